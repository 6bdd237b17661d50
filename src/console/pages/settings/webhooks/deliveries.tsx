import { useQueryClient } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import type { WebhookDelivery, WebhookEndpointWithStats } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { refreshRows } from '../../../live/rows'
import { Button, IconButton } from '../../../parts/button'
import { DateRange } from '../../../parts/date-range'
import { ChoiceFilter, ListPage, useShow } from '../../../parts/list-page'
import type { Column } from '../../../parts/table'
import { report } from '../../../parts/toast'
import { timesOf } from '../../../texts/days-times'
import { formatDateTime, formatNumber } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { EndpointScreen, type Frame } from './frame'
import { ReplayDialog, ReplayProgress, useReplay } from './replay'
import { answerOf, DELIVERY_STATES, DeliveryState, sentenceOfEvent } from './words'

/** Days for which deliveries are kept. */
const KEPT_DAYS = '30d'

const columns = (): Column<WebhookDelivery>[] => [
  {
    ...{ id: 'event', label: t('webhooks.column.event'), width: 3 },
    cell: ({ id, endpoint_id: endpointId, event }) => (
      <Link
        to="/settings/webhooks/$endpointId/deliveries/$deliveryId"
        params={{ endpointId, deliveryId: id }}
        search={{}}
        title={event}
      >
        {sentenceOfEvent(event)}
      </Link>
    ),
  },
  {
    ...{ id: 'state', label: t('templates.state'), width: 1.8 },
    cell: (delivery) => <DeliveryState delivery={delivery} />,
  },
  { id: 'answer', label: t('webhooks.answer'), width: 1.6, cell: answerOf },
  {
    ...{ id: 'attempts', label: t('webhooks.delivery.attempts'), width: 0.8 },
    ...{ isNumber: true, isExtra: true },
    cell: ({ attempt_count: count }) => formatNumber(count),
  },
  {
    ...{ id: 'time', label: t('webhooks.column.time'), width: 1.8, isNumber: true },
    cell: ({ created_at: at }) => <time dateTime={at}>{formatDateTime(at)}</time>,
  },
]

/** The filters of the deliveries. */
function Filters() {
  const search = useSearch({ from: '/settings' })
  const show = useShow<typeof search>()
  const catalog = useApi('GET /api/webhooks/events', {}).data?.items ?? []
  return (
    <>
      <ChoiceFilter
        label={t('templates.state')}
        any={t('templates.any-state')}
        value={DELIVERY_STATES.find((one) => one === search.state)}
        choices={DELIVERY_STATES.map((id) => ({ id, label: t(`webhooks.delivery.${id}`) }))}
        onChange={(state) => {
          show({ state })
        }}
      />
      <ChoiceFilter
        label={t('webhooks.column.event')}
        any={t('webhooks.any-event')}
        value={search.event}
        choices={catalog.map(({ value }) => ({ id: value, label: sentenceOfEvent(value) }))}
        onChange={(event) => {
          show({ event })
        }}
      />
      <DateRange
        label={t('webhooks.column.time')}
        value={search.days ?? KEPT_DAYS}
        onChange={(days) => {
          show({ days: days === KEPT_DAYS ? undefined : days })
        }}
      />
    </>
  )
}

type Event = NonNullable<WebhookDelivery['event']>

function List({ endpoint, frame }: { endpoint: WebhookEndpointWithStats; frame: Frame }) {
  const search = useSearch({ from: '/settings' })
  const client = useQueryClient()
  const { id, is_active: isActive } = endpoint
  const [isOpen, setOpen] = useState(false)
  const [replayId, setReplay] = useReplay(id)
  const mayReplay = useCan('webhooks:update') && isActive
  const state = DELIVERY_STATES.find((one) => one === search.state)
  // the API names the events that it knows
  const event = search.event as Event as 'message.received' | undefined
  return (
    <ListPage
      {...frame}
      route="GET /api/webhooks/{id}/deliveries"
      needs="webhooks:read"
      icon="link"
      filter={{ state, event, ...timesOf(search.days) }}
      always={{ id }}
      columns={columns()}
      nameOf={({ event: type }) => sentenceOfEvent(type)}
      empty={t('webhooks.deliveries-empty')}
      emptyHint={t('webhooks.deliveries-empty-hint')}
      actions={
        <>
          <IconButton
            icon="refresh"
            label={t('webhooks.refresh')}
            onPress={() => {
              refreshRows(client, 'GET /api/webhooks/{id}/deliveries').catch(report)
            }}
          />
          {mayReplay && (
            <Button
              icon="refresh"
              onPress={() => {
                setOpen(true)
              }}
            >
              {t('webhooks.replay')}
            </Button>
          )}
        </>
      }
      filters={<Filters />}
      below={() => replayId !== null && <ReplayProgress endpointId={id} replayId={replayId} />}
    >
      {isOpen && (
        <ReplayDialog
          endpointId={id}
          onStarted={setReplay}
          onClose={() => {
            setOpen(false)
          }}
        />
      )}
    </ListPage>
  )
}

/** What was sent to an endpoint, what it answered, and how it is sent again. */
export function WebhookDeliveries() {
  return <EndpointScreen>{(endpoint, frame) => <List {...{ endpoint, frame }} />}</EndpointScreen>
}
