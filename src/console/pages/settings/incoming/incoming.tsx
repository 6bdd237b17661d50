import { useQueryClient } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'

import type { InboundEvent } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { refreshRows } from '../../../live/rows'
import { IconButton } from '../../../parts/button'
import { DateRange } from '../../../parts/date-range'
import { ChoiceFilter, FoundFilter, ListPage, useShow } from '../../../parts/list-page'
import { MenuItem } from '../../../parts/menu'
import type { Column } from '../../../parts/table'
import { report } from '../../../parts/toast'
import { timesOf } from '../../../texts/days-times'
import { formatDateTime, formatNumber } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { Figures } from './figures'
import { ReplaySelected } from './replay'
import { useReplayOne } from './use-replay'
import { canReplay, contentsOf, nameOfField, reasonOf, State, STATES } from './words'

/** Days that the list covers unless others are chosen; the journal is kept for fewer. */
const ALL_DAYS = '30d'

const columns = (): Column<InboundEvent>[] => [
  {
    ...{ id: 'field', label: t('incoming.column.what'), width: 2.8 },
    cell: ({ id, field }) => (
      <Link to="/settings/incoming/$eventId" params={{ eventId: id }} search={{}}>
        {nameOfField(field)}
      </Link>
    ),
  },
  {
    ...{ id: 'state', label: t('templates.state'), width: 1.5 },
    cell: ({ state, reason, last_error: error }) => (
      <>
        <State state={state} />
        {(reason ?? error) !== null && (
          <span className="second small" dir="auto">
            {reasonOf(reason ?? error ?? '')}
          </span>
        )}
      </>
    ),
  },
  { id: 'items', label: t('incoming.column.items'), width: 1.5, cell: contentsOf },
  {
    ...{ id: 'attempts', label: t('webhooks.delivery.attempts'), width: 0.8 },
    ...{ isNumber: true, isExtra: true },
    cell: ({ attempts }) => formatNumber(attempts),
  },
  {
    ...{ id: 'time', label: t('webhooks.column.time'), width: 2, isNumber: true },
    cell: ({ received_at: at }) => <time dateTime={at}>{formatDateTime(at)}</time>,
  },
]

/** The filters of the journal. */
function Filters() {
  const search = useSearch({ from: '/settings' })
  const show = useShow<typeof search>()
  return (
    <>
      <ChoiceFilter
        label={t('templates.state')}
        any={t('templates.any-state')}
        value={STATES.find((one) => one === search.state)}
        choices={STATES.map((id) => ({ id, label: t(`incoming.state.${id}`) }))}
        onChange={(state) => {
          show({ state })
        }}
      />
      <FoundFilter
        kind="account"
        label={t('incoming.number')}
        any={t('incoming.any-number')}
        value={search.account}
        onChange={(account) => {
          show({ account })
        }}
      />
      <DateRange
        label={t('webhooks.column.time')}
        value={search.days ?? ALL_DAYS}
        onChange={(days) => {
          show({ days: days === ALL_DAYS ? undefined : days })
        }}
      />
    </>
  )
}

/** The journal of what WhatsApp sent to this server, and what became of it. */
export function Incoming() {
  const search = useSearch({ from: '/settings' })
  const client = useQueryClient()
  const mayReplay = useCan('settings:update')
  const replay = useReplayOne()
  const state = STATES.find((one) => one === search.state)
  const filter = { state, account_id: search.account, ...timesOf(search.days) }
  return (
    <ListPage
      title={t('incoming.title')}
      hint={t('incoming.hint')}
      route="GET /api/inbound/events"
      needs="settings:read"
      icon="download"
      filter={filter}
      columns={columns()}
      nameOf={({ field }) => nameOfField(field)}
      empty={t('incoming.empty')}
      emptyHint={t('incoming.empty-hint')}
      above={<Figures />}
      actions={
        <IconButton
          icon="refresh"
          label={t('webhooks.refresh')}
          onPress={() => {
            refreshRows(client, 'GET /api/inbound/events').catch(report)
            client.invalidateQueries({ queryKey: ['GET /api/inbound/stats'] }).catch(report)
          }}
        />
      }
      filters={<Filters />}
      bulk={
        mayReplay ? (selected) => <ReplaySelected selected={selected} filter={filter} /> : undefined
      }
      {...(mayReplay
        ? {
            menu: (event: InboundEvent) =>
              canReplay(event) && (
                <MenuItem
                  icon="refresh"
                  label={t('incoming.replay')}
                  onAction={() => {
                    replay(event.id)
                  }}
                />
              ),
          }
        : {})}
    />
  )
}
