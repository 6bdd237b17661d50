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

/** Returns where a session stands: the step it is at, and what it waits for. */
export function whereOf({
  step,
  waiting_for: waits,
  status,
}: Pick<BotSessionItem, 'step' | 'waiting_for' | 'status'>): string {
  const at = step === null ? null : (step.label ?? t('bot.sessions.step', { id: step.id }))
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

const timeOf = (entry: Entry): string => ('step' in entry ? entry.step.at : entry.message.timestamp)
/** Of the same moment, what the customer wrote is first, and what the bot wrote last. */
const rankOf = (entry: Entry): number =>
  'step' in entry ? 1 : entry.message.direction === 'incoming' ? 0 : 2

/** Returns the messages and the steps of a session in the order in which they happened. */
export const entriesOf = ({
  messages,
  trace,
}: Pick<BotSessionDetails, 'messages' | 'trace'>): Entry[] =>
  [...messages.map((message): Entry => ({ message })), ...trace.map((step): Entry => ({ step }))]
    .map((entry, at) => ({ entry, at }))
    .toSorted(
      (a, b) =>
        Date.parse(timeOf(a.entry)) - Date.parse(timeOf(b.entry)) ||
        rankOf(a.entry) - rankOf(b.entry) ||
        a.at - b.at,
    )
    .map(({ entry }) => entry)

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
