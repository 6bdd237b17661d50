import type { InboundEvent } from '../../../api/shapes'
import { findText, t } from '../../../texts/texts'

/** The states of what WhatsApp sent, in the order of the filter: first what needs somebody. */
export const STATES = [
  'failed',
  'unrouted',
  'partial',
  'pending',
  'processing',
  'done',
  'ignored',
] as const satisfies readonly InboundEvent['state'][]

const LOOKS: Partial<Record<InboundEvent['state'], string>> = {
  done: 'good',
  partial: 'warn',
  unrouted: 'warn',
  failed: 'danger',
}

/** The state of a delivery of WhatsApp in a word. */
export const State = ({ state }: Pick<InboundEvent, 'state'>) => (
  <span className={`chip ${LOOKS[state] ?? ''}`}>{t(`incoming.state.${state}`)}</span>
)

/** What a field of WhatsApp's webhooks is about; one that this page does not know by its code. */
export const nameOfField = (field: string | null): string =>
  field === null ? t('incoming.no-field') : (findText(`incoming.field.${field}`) ?? field)

/** Why something had no effect, in words where they are known. */
export const reasonOf = (reason: string): string => findText(`incoming.reason.${reason}`) ?? reason

/** How many of what a delivery contains, such as "2 messages, 1 status". */
export const contentsOf = ({ items }: Pick<InboundEvent, 'items'>): string =>
  (['messages', 'statuses', 'errors', 'other'] as const)
    .filter((kind) => items[kind] > 0)
    .map((kind) => t(`incoming.items.${kind}`, { count: items[kind] }))
    .join(', ')

/** Whether a delivery may be processed again now. */
export const canReplay = ({ state, reason }: InboundEvent): boolean =>
  state !== 'pending' && state !== 'processing' && reason !== 'not_signed_for'
