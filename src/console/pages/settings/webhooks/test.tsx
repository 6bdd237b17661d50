import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../../api/client'
import type { WebhookEndpointWithStats } from '../../../api/shapes'
import { useApi } from '../../../live/query'
import { Button } from '../../../parts/button'
import { Section } from '../../../parts/page'
import { SearchSelect } from '../../../parts/search-select'
import { report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import { Attempts } from './attempts'
import { sentenceOfEvent } from './words'

const TEST = 'webhook.test'

/** Sends an event now, once, and shows the answer. */
export function TestSection({
  endpoint: { id, is_active: isActive },
}: {
  endpoint: WebhookEndpointWithStats
}) {
  const catalog = useApi('GET /api/webhooks/events', {}).data?.items ?? []
  const [event, setEvent] = useState<string>(TEST)
  const [sent, setSent] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  if (!isActive) return null
  const test = (): void => {
    setBusy(true)
    call('POST /api/webhooks/{id}/test', { params: { id }, body: { event } })
      .then(({ delivery_id: delivery }) => {
        setSent(delivery)
      })
      .catch(report)
      .finally(() => {
        setBusy(false)
      })
  }
  return (
    <Section title={t('webhooks.test')} hint={t('webhooks.test-hint')}>
      <div className="form">
        <SearchSelect
          label={t('webhooks.test.event')}
          choices={catalog.map(({ value }) => ({
            id: value,
            label: sentenceOfEvent(value),
            hint: value,
          }))}
          value={event}
          chosen={sentenceOfEvent(event)}
          onChange={setEvent}
        />
        <div>
          <Button icon="send" isPending={isBusy} onPress={test}>
            {t('webhooks.test.send')}
          </Button>
        </div>
        {sent !== null && <Answer endpointId={id} deliveryId={sent} />}
      </div>
    </Section>
  )
}

function Answer({ endpointId, deliveryId }: { endpointId: string; deliveryId: string }) {
  const params = { delivery_id: deliveryId }
  const delivery = useApi('GET /api/webhooks/deliveries/{delivery_id}', { params }).data
  if (!delivery) return null
  const hasArrived = delivery.state === 'delivered'
  return (
    <div role="status" className="test-result">
      <p className={`chip ${hasArrived ? 'good' : 'danger'}`}>
        {t(hasArrived ? 'webhooks.test.arrived' : 'webhooks.test.failed')}
      </p>
      <Attempts attempts={delivery.attempts} />
      <Link
        to="/settings/webhooks/$endpointId/deliveries/$deliveryId"
        params={{ endpointId, deliveryId }}
        search={{}}
      >
        {t('webhooks.test.body')}
      </Link>
    </div>
  )
}
