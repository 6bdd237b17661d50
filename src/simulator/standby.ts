import {
  defaultNumber,
  defaultPerson,
  envelope,
  newMessageId,
  type About,
  type Webhook,
} from './payloads'

/** Where the lists of a standby change are: below a `standby` member, or directly in the value. */
export type StandbyShape = 'nested' | 'flat'

const present = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))

/**
 * Turns a webhook of the field `messages` into what an app gets that does not own the thread: the
 * same lists in the field `standby`.
 */
export function asStandby(webhook: Webhook, shape: StandbyShape = 'nested'): Webhook {
  return {
    ...webhook,
    entry: webhook.entry.map((entry) => ({
      ...entry,
      changes: entry.changes.map(({ value }) => {
        const { messaging_product, metadata, ...lists } = value
        const inner = shape === 'nested' ? { standby: lists } : lists
        return { field: 'standby', value: { messaging_product, metadata, ...inner } }
      }),
    })),
  }
}

/**
 * An answer of the thread's owner, as an app in standby sees it. Nested ones hold recipient and
 * content in a `message` member.
 */
export function standbyEcho(
  body: string,
  about: About & { shape?: StandbyShape | undefined } = {},
): Webhook {
  const line = about.line ?? defaultNumber
  const person = about.person ?? defaultPerson
  const head = {
    id: about.id ?? newMessageId(),
    timestamp: String(about.timestamp ?? 1_790_000_000),
  }
  const content = { type: 'text', text: { body } }
  const echo =
    about.shape === 'flat'
      ? present({
          ...head,
          from: line.displayPhoneNumber,
          to: person.waId,
          to_user_id: person.userId,
          ...content,
        })
      : {
          ...head,
          message: present({
            to: person.waId,
            recipient: person.waId ?? person.userId,
            recipient_type: 'individual',
            ...content,
          }),
        }
  const metadata = {
    display_phone_number: line.displayPhoneNumber,
    phone_number_id: line.phoneNumberId,
  }
  const value = { messaging_product: 'whatsapp', metadata, message_echoes: [echo] }
  return asStandby(envelope(value, { line }), about.shape)
}

/** What a handover says: how control changed, the roles as far as they are told, and metadata. */
export type HandoverFacts = {
  type?: 'control_passed' | 'control_taken'
  control?: Record<string, unknown>
  /** False leaves the time out, as a measured payload did. */
  isTimed?: boolean
}

/** What the former owner of a thread says about the conversation so far. */
export const summaryOf = (text: string): Record<string, unknown> => ({
  type: 'summary',
  summary: { text },
})

/** Control passed from the platform's agent to this app, as it was measured. */
export const FROM_AGENT = { previous_owner_app_role: 'meta_business_agent' }
/** Control passed to the platform's agent. */
export const TO_AGENT = { previous_owner_role: 'escalation', new_owner_role: 'ai_agent' }
/** Control taken by another app. */
export const TO_OTHER = { previous_owner_role: 'ai_agent', new_owner_role: 'escalation' }

/** A handover of the thread with a customer. It names the number by its recipient only. */
export function handover(facts: HandoverFacts = {}, about: About = {}): Webhook {
  const line = about.line ?? defaultNumber
  const person = about.person ?? defaultPerson
  const type = facts.type ?? 'control_passed'
  const value = {
    messaging_product: 'whatsapp',
    type,
    sender: present({
      phone_number: person.waId,
      user_id: person.waId ? undefined : person.userId,
    }),
    recipient: {
      phone_number_id: line.phoneNumberId,
      display_phone_number: line.displayPhoneNumber,
    },
    ...(facts.isTimed === false ? {} : { timestamp: String(about.timestamp ?? 1_790_000_000) }),
    [type]: facts.control ?? FROM_AGENT,
  }
  return envelope(value, { line, field: 'messaging_handovers' })
}
