import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { saveFile } from '../../../api/save-file'
import type { AuditEntry } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { serverNow } from '../../../live/server-clock'
import { Button, PlainButton } from '../../../parts/button'
import { DateRange } from '../../../parts/date-range'
import { ChoiceFilter, ListPage, useShow } from '../../../parts/list-page'
import type { Column } from '../../../parts/table'
import { report } from '../../../parts/toast'
import { readDays } from '../../../texts/days'
import { dayOf, formatNumber, formatShort } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { Entry, Thing } from './entry'
import { differencesOf, nameOfAction, nameOfActor, nameOfResource, type Names } from './words'

const NEEDS = 'audit_logs:read'
const DEFAULT_DAYS = '30d'
/** Changes that a row tells; the window of the entry has all. */
const MAX_TOLD = 2

/** Who changed what, and when: the log of the organization. */
export function Audit() {
  const search = useSearch({ from: '/settings' })
  const [open, setOpen] = useState<AuditEntry | null>(null)
  const filter = useFilter()
  const names = useNames()
  return (
    <ListPage
      title={t('settings.audit.title')}
      route="GET /api/audit-logs"
      needs={NEEDS}
      icon="list"
      find={t('settings.audit.find')}
      words={search.q}
      filter={filter}
      columns={columns(names, setOpen)}
      nameOf={(entry) => `${nameOfActor(entry)} · ${nameOfAction(entry.action)}`}
      empty={t('settings.audit.empty')}
      emptyHint={t('settings.audit.empty-hint')}
      filters={<Filters />}
      actions={
        <Button
          look="quiet"
          icon="download"
          onPress={() => {
            const query = {
              ...filter,
              ...(search.q === undefined ? {} : { search: search.q }),
              format: 'csv' as const,
            }
            saveFile('GET /api/audit-logs', { query }, 'audit-log.csv').catch(report)
          }}
        >
          {t('settings.audit.csv')}
        </Button>
      }
    >
      {open && (
        <Entry
          entry={open}
          names={names}
          onClose={() => {
            setOpen(null)
          }}
        />
      )}
    </ListPage>
  )
}

/** Names by the IDs in changes: of colleagues, and of teams for who may read them. */
function useNames(): Names {
  const query = { limit: 100 }
  const people = useApi('GET /api/colleagues', { query }, useCan(NEEDS)).data?.items ?? []
  const teams = useApi('GET /api/teams', { query }, useCan('teams:read')).data?.items ?? []
  return new Map([
    ...people.map(({ id, full_name: name }) => [id, name] as const),
    ...teams.map(({ id, name }) => [id, name] as const),
  ])
}

/** What the address filters by, as the API takes it. */
function useFilter() {
  const { who, action, kind, days = DEFAULT_DAYS } = useSearch({ from: '/settings' })
  const span = readDays(days, dayOf(serverNow()))
  const [type, id] = who?.split(':') ?? []
  return {
    ...(type === 'user' && id !== undefined ? { user_id: id } : {}),
    ...(type === 'key' && id !== undefined ? { api_key_id: id } : {}),
    ...(action === undefined ? {} : { action }),
    ...(kind === undefined ? {} : { resource_type: kind }),
    ...(span ? { from: span.from, to: span.to } : {}),
  }
}

function columns(names: Names, onOpen: (entry: AuditEntry) => void): Column<AuditEntry>[] {
  return [
    {
      ...{ id: 'action', label: t('settings.audit.action'), width: 2 },
      cell: (entry) => (
        <PlainButton
          className="as-link"
          onPress={() => {
            onOpen(entry)
          }}
        >
          {nameOfAction(entry.action)}
        </PlainButton>
      ),
    },
    {
      ...{ id: 'thing', label: t('settings.audit.what'), width: 2.4 },
      cell: (entry) => <Thing entry={entry} />,
    },
    {
      ...{ id: 'changes', label: t('settings.audit.changes'), width: 3.4, isExtra: true },
      cell: (entry) => <Changes entry={entry} names={names} />,
    },
    {
      ...{ id: 'who', label: t('settings.audit.who'), width: 1.6 },
      cell: (entry) => <bdi>{nameOfActor(entry)}</bdi>,
    },
    {
      ...{ id: 'when', label: t('settings.audit.when'), width: 1.2, isNumber: true },
      cell: ({ created_at: at }) => <time dateTime={at}>{formatShort(at)}</time>,
    },
  ]
}

/** The first changes of an entry, before and after. */
function Changes({ entry, names }: { entry: AuditEntry; names: Names }) {
  const all = differencesOf(entry, names)
  return (
    <span className="audit-told">
      {all.slice(0, MAX_TOLD).map(({ field, before, after }) => (
        <span key={field}>
          <span className="muted">{t('settings.audit.named', { field })}</span>{' '}
          {before !== null && (
            <>
              <del dir="auto">{before}</del>{' '}
            </>
          )}
          <ins dir="auto">{after}</ins>
        </span>
      ))}
      {all.length > MAX_TOLD && (
        <span className="muted">{t('settings.audit.more', { count: all.length - MAX_TOLD })}</span>
      )}
    </span>
  )
}

/** Filters by what there is: people and keys, actions, kinds of things, days. */
function Filters() {
  const search = useSearch({ from: '/settings' })
  const show = useShow<typeof search>()
  const words = search.q === undefined ? {} : { search: search.q }
  const query = { ...useFilter(), ...words }
  const { data } = useApi('GET /api/audit-logs/facets', { query }, useCan(NEEDS))
  const counted = (name: string, count: number): string =>
    t('settings.audit.counted', { name, count: formatNumber(count) })
  const { users = [], api_keys: keys = [], actions = [], resource_types: kinds = [] } = data ?? {}
  const known = (id: string, name: string | null, count: number) => ({
    ...{ id, label: counted(name ?? t('settings.audit.unknown'), count) },
  })
  return (
    <>
      <DateRange
        label={t('analytics.days')}
        value={search.days ?? DEFAULT_DAYS}
        onChange={(days) => {
          show({ days })
        }}
      />
      <ChoiceFilter
        label={t('settings.audit.who')}
        any={t('settings.audit.anybody')}
        value={search.who}
        choices={[
          ...users.map(({ id, name, count }) => known(`user:${id}`, name, count)),
          ...keys.map(({ id, name, count }) => ({
            id: `key:${id}`,
            label: counted(
              t('settings.audit.by-key', { name: name ?? t('settings.audit.unknown') }),
              count,
            ),
          })),
        ]}
        onChange={(who) => {
          show({ who })
        }}
      />
      <ChoiceFilter
        label={t('settings.audit.action')}
        any={t('settings.audit.any-action')}
        value={search.action}
        choices={actions.map(({ action: id, count }) => ({
          ...{ id, label: counted(nameOfAction(id), count) },
        }))}
        onChange={(action) => {
          show({ action })
        }}
      />
      <ChoiceFilter
        label={t('settings.audit.what')}
        any={t('settings.audit.anything')}
        value={search.kind}
        choices={kinds.map(({ resource_type: id, count }) => ({
          ...{ id, label: counted(nameOfResource(id), count) },
        }))}
        onChange={(kind) => {
          show({ kind })
        }}
      />
    </>
  )
}
