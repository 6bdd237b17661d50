import type { BotSessionDetails, BotSessionItem } from '../../../api/shapes'
import type { PhoneMessage } from '../../../parts/phone/message'
import { findText, t } from '../../../texts/texts'
import { botMessage } from '../message-fields'

/** A message of a session, and a step of the bot. */
export type SessionMessage = BotSessionDetails['messages'][number]
export type Step = BotSessionDetails['trace'][number]

/** The states of a session. */
export const STATES = [
  'active',
  'completed',
  'transferred',
  'timed_out',
  'cancelled',
  'failed',
] as const

/** Returns what people call a step of a flow: the name that somebody gave it, or that of its kind. */
export const stepName = (id: string, type: string | null, label: string | null): string =>
  label ??
  findText(`flow.kind.${type === 'interactive' ? 'message' : (type ?? '')}`) ??
  t('bot.sessions.step', { id })

/** Returns where a session stands: the step it is at, and what it waits for. */
export function whereOf({
  step,
  waiting_for: waits,
  status,
}: Pick<BotSessionItem, 'step' | 'waiting_for' | 'status'>): string {
  const at = step === null ? null : stepName(step.id, step.type, step.label)
  const wait = status === 'active' && waits !== null ? t(`bot.sessions.waits.${waits}`) : null
  return [at, wait].filter((word) => word !== null).join(' · ')
}

/** Returns why a session ended, in words. */
export const endOf = ({ end_reason: reason }: Pick<BotSessionItem, 'end_reason'>): string | null =>
  reason === null ? null : (findText(`bot.end.${reason}`) ?? reason)

/** Returns what a step did, in words; names of rules and flows are shown beside it. */
export function stepInWords({ stage, outcome }: Pick<Step, 'stage' | 'outcome'>): string {
  const [kind = ''] = outcome.split(':')
  return (
    findText(`bot.step.${stage}.${outcome}`) ??
    findText(`bot.outcome.${outcome}`) ??
    findText(`bot.outcome.${kind}`) ??
    outcome
  )
}

/** What a step led to: a rule or a flow, if it did. */
export function targetOf({
  outcome,
}: Pick<Step, 'outcome'>): { kind: 'rule' | 'flow'; id: string } | null {
  const [, kind, id] = /^(rule|flow):([0-9a-f-]{36})$/.exec(outcome) ?? []
  return kind === undefined || id === undefined ? null : { kind: kind as 'rule' | 'flow', id }
}

/** An entry of a session, as it happened. */
export type Entry = { message: SessionMessage } | { step: Step }

/**
 * Returns the messages and the steps of a session in the order in which they happened: what a customer
 * wrote, what the bot did with it, and what it wrote, which is after the last step that it is of.
 * Times would not do: WhatsApp tells only seconds.
 */
export function entriesOf({
  messages,
  trace,
}: Pick<BotSessionDetails, 'messages' | 'trace'>): Entry[] {
  const lastStepOf = new Map(
    trace.flatMap(({ seq, sent_message_ids: sent }) => sent.map((id) => [id, seq] as const)),
  )
  const written = messages.filter(({ direction }) => direction === 'incoming')
  const entries = new Set<SessionMessage | Step>()
  for (const step of trace) {
    const upTo = written.findIndex(({ id }) => id === step.message_id)
    for (const message of written.slice(0, upTo + 1)) entries.add(message)
    entries.add(step)
    for (const message of messages)
      if (lastStepOf.get(message.id) === step.seq) entries.add(message)
  }
  for (const message of messages) entries.add(message) // of which no step is kept
  return [...entries].map((one) => ('seq' in one ? { step: one } : { message: one }))
}

const textIn = (content: Record<string, unknown>, name: string): string => {
  const value = content[name]
  return typeof value === 'string' ? value : ''
}

/** Returns a message of a session as the customer sees it. */
export function shownMessage({ content, preview, type }: SessionMessage): PhoneMessage {
  const all = (content ?? {}) as Record<string, unknown>
  const words = ['text', 'body', 'caption'].map((name) => textIn(all, name)).find(Boolean)
  const buttons = Array.isArray(all['buttons'])
    ? (all['buttons'] as Record<string, unknown>[]).map((one) => ({ title: textIn(one, 'title') }))
    : []
  const text = words ?? (preview === '' ? `[${type}]` : preview)
  const footer = textIn(all, 'footer')
  return { ...botMessage(text, buttons), footer }
}
