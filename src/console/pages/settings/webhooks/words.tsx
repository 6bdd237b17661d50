import type { WebhookDelivery, WebhookEndpoint } from '../../../api/shapes'
import { findText, t } from '../../../texts/texts'

const ENDPOINT_LOOKS: Record<WebhookEndpoint['state'], string> = {
  healthy: 'good',
  failing: 'warn',
  down: 'danger',
  disabled: '',
}

/** The state of an endpoint in a word. */
export const EndpointState = ({ state }: Pick<WebhookEndpoint, 'state'>) => (
  <span className={`chip ${ENDPOINT_LOOKS[state]}`}>{t(`webhooks.state.${state}`)}</span>
)

/** The states of deliveries, in the order of the filter. */
export const DELIVERY_STATES = [
  'exhausted',
  'missed',
  'held',
  'pending',
  'sending',
  'delivered',
  'cancelled',
] as const satisfies readonly WebhookDelivery['state'][]

const DELIVERY_LOOKS: Partial<Record<WebhookDelivery['state'], string>> = {
  delivered: 'good',
  held: 'warn',
  missed: 'warn',
  exhausted: 'danger',
}

/** The state of a delivery in words; one that waits because a request failed says so. */
export function DeliveryState({
  delivery: { state, last_error: error },
}: {
  delivery: Pick<WebhookDelivery, 'state' | 'last_error'>
}) {
  const isRetried = state === 'pending' && error !== null
  return (
    <span className={`chip ${isRetried ? 'warn' : (DELIVERY_LOOKS[state] ?? '')}`}>
      {t(isRetried ? 'webhooks.delivery.retried' : `webhooks.delivery.${state}`)}
    </span>
  )
}

/** What an event tells, in a sentence; one that this page does not know yet, by its code. */
export const sentenceOfEvent = (event: string): string =>
  findText(`webhooks.event.${event}`) ?? event

/** What an area of events is about. */
export const nameOfArea = (area: string): string => findText(`webhooks.area.${area}`) ?? area

/** What the last request of a delivery came to, in a few words; `null` without one. */
export function answerOf({
  last_status_code: status,
  last_error: error,
}: Pick<WebhookDelivery, 'last_status_code' | 'last_error'>): string | null {
  if (status !== null) return t('webhooks.answered', { status: String(status) })
  return error === null ? null : t('webhooks.no-answer')
}
