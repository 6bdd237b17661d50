import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { callOnce } from '../../../api/call-once'
import type { WebhookDeliveryDetails } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { refreshRows } from '../../../live/rows'
import { IconButton } from '../../../parts/button'
import { CodeEditor } from '../../../parts/code/code-field'
import { Guarded, Loaded } from '../../../parts/loaded'
import { Page, Section } from '../../../parts/page'
import { notify, report } from '../../../parts/toast'
import { WorkButton } from '../../../parts/work-button'
import { formatDateTime, formatNumber } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { Facts } from '../number/facts'
import { useRefresh } from '../../../live/use-refresh'
import { Attempts } from './attempts'
import { useFollow } from './follow'
import { DeliveryState, sentenceOfEvent } from './words'

interface Props {
  delivery: WebhookDeliveryDetails
}

/** What there is to know about a delivery besides its body. */
function DeliveryFacts({ delivery }: Props) {
  const { contact_id: contactId, next_attempt_at: next } = delivery
  return (
    <Facts
      facts={[
        [t('templates.state'), <DeliveryState key="state" delivery={delivery} />],
        [t('webhooks.delivery.why'), reasonOf(delivery)],
        [t('webhooks.delivery.next'), next && formatDateTime(next)],
        [
          t('webhooks.delivery.arrived'),
          delivery.delivered_at && formatDateTime(delivery.delivered_at),
        ],
        [t('webhooks.delivery.attempts'), formatNumber(delivery.attempt_count)],
        [
          t('webhooks.delivery.id'),
          <code key="id" dir="ltr">
            {delivery.message_id}
          </code>,
        ],
        [
          t('webhooks.delivery.contact'),
          contactId && (
            <Link key="contact" to="/contacts/$contactId" params={{ contactId }}>
              {t('webhooks.delivery.open-contact')}
            </Link>
          ),
        ],
      ]}
    />
  )
}

/** Why a delivery is as it is, where its state does not say it. */
function reasonOf({ state, replay_id: replay, manual }: WebhookDeliveryDetails): string {
  const how = replay !== null ? 'replayed' : manual ? 'by-hand' : 'by-event'
  const what = `webhooks.delivery.${state}-hint` as const
  return [t(what), t(`webhooks.delivery.${how}`)].join(' ')
}

/** One event for one endpoint: what was sent, and what was answered. */
export function WebhookDelivery() {
  const { endpointId = '', deliveryId = '' } = useParams({ strict: false })
  const params = { delivery_id: deliveryId }
  const mayRead = useCan('webhooks:read')
  const result = useApi('GET /api/webhooks/deliveries/{delivery_id}', { params }, mayRead)
  useFollow(result.data)
  const refresh = useRefresh('GET /api/webhooks/deliveries/{delivery_id}')
  const event = result.data?.event
  return (
    <Page
      title={event === undefined ? t('webhooks.delivery') : sentenceOfEvent(event)}
      {...(result.data
        ? {
            hint: `\u2066${event ?? ''}\u2069 · \u2068${formatDateTime(result.data.created_at)}\u2069`,
          }
        : {})}
      actions={
        result.data && (
          <>
            <IconButton
              icon="refresh"
              label={t('webhooks.refresh')}
              onPress={() => {
                refresh().catch(report)
              }}
            />
            <Resend delivery={result.data} />
          </>
        )
      }
      tabs={
        <p className="crumb">
          <Link to="/settings/webhooks/$endpointId/deliveries" params={{ endpointId }} search={{}}>
            {t('webhooks.back')}
          </Link>
        </p>
      }
    >
      <Guarded needs="webhooks:read">
        <Loaded result={result}>{(delivery) => <Shown delivery={delivery} />}</Loaded>
      </Guarded>
    </Page>
  )
}

function Shown({ delivery }: Props) {
  const { payload, attempts } = delivery
  return (
    <>
      <Section title={t('webhooks.delivery')}>
        <DeliveryFacts delivery={delivery} />
      </Section>
      {attempts.length > 0 && (
        <Section title={t('webhooks.attempts')}>
          <Attempts attempts={attempts} />
        </Section>
      )}
      <Section title={t('webhooks.body')}>
        {payload === null ? (
          <p className="muted">{t('webhooks.body-gone')}</p>
        ) : (
          <CodeEditor
            label={t('webhooks.body-label')}
            isTitled
            language="json"
            isReadOnly
            value={JSON.stringify(payload, null, 2)}
            onChange={() => undefined}
          />
        )}
      </Section>
    </>
  )
}

/** Sends a delivery again, and leads to the new one. */
function Resend({ delivery: { id, endpoint_id: endpointId, payload } }: Props) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const mayResend = useCan('webhooks:update') && payload !== null
  if (!mayResend) return null
  const resend = async (): Promise<void> => {
    const made = await callOnce('POST /api/webhooks/deliveries/{delivery_id}/resend', {
      params: { delivery_id: id },
    })
    notify(t('webhooks.resent'))
    await refreshRows(client, 'GET /api/webhooks/{id}/deliveries')
    await navigate({
      to: '/settings/webhooks/$endpointId/deliveries/$deliveryId',
      params: { endpointId, deliveryId: made.id },
      search: {},
    })
  }
  return (
    <WorkButton icon="send" look="primary" onWork={resend}>
      {t('webhooks.resend')}
    </WorkButton>
  )
}
