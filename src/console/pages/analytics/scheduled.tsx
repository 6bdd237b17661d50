import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../api/client'
import type { ScheduledReport } from '../../api/shapes'
import { useCan, useMe } from '../../live/me'
import { useApi } from '../../live/query'
import { useRefresh } from '../../live/use-refresh'
import { Button } from '../../parts/button'
import { Confirm } from '../../parts/dialog'
import { Item, ItemList } from '../../parts/item-list'
import { Guarded, Loaded } from '../../parts/loaded'
import { MenuItem } from '../../parts/menu'
import { Empty } from '../../parts/state'
import { notify, report as tell } from '../../parts/toast'
import { formatAhead, formatTimeOfDay } from '../../texts/format'
import { t } from '../../texts/texts'
import { nameOf, ScheduleDialog } from './schedule-dialog'

/** When it is sent, to how many, and what became of the last one. */
const hintOf = (one: ScheduledReport): string =>
  [
    t(`analytics.scheduled.when-${one.every}`, { time: formatTimeOfDay(one.at) }),
    t('analytics.scheduled.people', { count: one.user_ids.length }),
    ...(one.next_at === null
      ? []
      : [t('analytics.scheduled.next', { time: formatAhead(one.next_at) })]),
    ...(one.last_outcome === null ? [] : [t(`analytics.scheduled.outcome.${one.last_outcome}`)]),
  ].join(' · ')

interface RowProps {
  scheduled: ScheduledReport
  onEdit: () => void
  onDelete: () => void
}

/** A report by email, with what may be done with it: its maker and administrators change it. */
function Row({ scheduled, onEdit, onDelete }: RowProps) {
  const me = useMe()
  const mayChange = [scheduled.made_by === me.id, useCan('settings:update')].includes(true)
  const send = (): void => {
    call('POST /api/analytics/scheduled-reports/{id}/send', { params: { id: scheduled.id } })
      .then(() => {
        notify(t('analytics.scheduled.sent'))
      })
      .catch(tell)
  }
  return (
    <Item
      name={nameOf(scheduled)}
      hint={hintOf(scheduled)}
      badge={
        !scheduled.is_active && <span className="chip">{t('analytics.scheduled.paused')}</span>
      }
      menu={
        mayChange && (
          <>
            <MenuItem icon="edit" label={t('analytics.scheduled.edit')} onAction={onEdit} />
            <MenuItem icon="send" label={t('analytics.scheduled.send')} onAction={send} />
            <MenuItem
              icon="trash"
              isDangerous
              label={t('analytics.scheduled.delete')}
              onAction={onDelete}
            />
          </>
        )
      }
    />
  )
}

/** Reports that the server mails every week or month. */
export function Scheduled() {
  const { report: wanted } = useSearch({ from: '/analytics' })
  const [edited, setEdited] = useState<ScheduledReport | 'new' | null>(
    wanted === undefined ? null : 'new',
  )
  const [deleted, setDeleted] = useState<ScheduledReport | null>(null)
  const result = useApi('GET /api/analytics/scheduled-reports', {}, useCan('analytics:read'))
  const add = (
    <Button
      look="primary"
      icon="plus"
      onPress={() => {
        setEdited('new')
      }}
    >
      {t('analytics.scheduled.add')}
    </Button>
  )
  return (
    <Guarded needs="analytics:read">
      <Loaded result={result}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty
              icon="clock"
              title={t('analytics.scheduled.empty')}
              hint={t('analytics.scheduled.empty-hint')}
            >
              {add}
            </Empty>
          ) : (
            <>
              <div className="actions">{add}</div>
              <ItemList label={t('analytics.tab.reports')}>
                {items.map((one) => (
                  <Row
                    key={one.id}
                    scheduled={one}
                    onEdit={() => {
                      setEdited(one)
                    }}
                    onDelete={() => {
                      setDeleted(one)
                    }}
                  />
                ))}
              </ItemList>
            </>
          )
        }
      </Loaded>
      <Windows
        {...{ edited, deleted, wanted }}
        onClose={() => {
          setEdited(null)
          setDeleted(null)
        }}
      />
    </Guarded>
  )
}

interface WindowsProps {
  edited: ScheduledReport | 'new' | null
  deleted: ScheduledReport | null
  wanted: string | undefined
  onClose: () => void
}

/** The windows in which a report by email is made, changed and deleted. */
function Windows({ edited, deleted, wanted, onClose }: WindowsProps) {
  const refresh = useRefresh('GET /api/analytics/scheduled-reports')
  return (
    <>
      {edited && (
        <ScheduleDialog
          scheduled={edited === 'new' ? null : edited}
          wanted={wanted}
          onClose={onClose}
        />
      )}
      {deleted && (
        <Confirm
          isOpen
          title={t('analytics.scheduled.delete-title', { name: nameOf(deleted) })}
          text={t('analytics.scheduled.delete-text')}
          action={t('analytics.scheduled.delete')}
          onClose={onClose}
          onConfirm={() => {
            call('DELETE /api/analytics/scheduled-reports/{id}', { params: { id: deleted.id } })
              .then(refresh)
              .catch(tell)
          }}
        />
      )}
    </>
  )
}
