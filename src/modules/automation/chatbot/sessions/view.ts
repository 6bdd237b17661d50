import { isoTime, isoTimeOrNull } from '../../../../lib/clock'
import { maskNumbersIn } from '../../../../lib/phone'
import { numbersOfContact, type ContactRow } from '../../../inbox/contacts/view'
import { maskJson } from '../../../inbox/messages/view'
import type { BotSessionRow } from '../engine/production/store'
import type { botTrace } from '../engine/table'
import {
  MAX_LISTED_VARIABLES,
  type SessionItem,
  type BotSessionView,
  type SessionStep,
} from './model'

/** Who and what a session is about. */
export type SessionNames = Pick<SessionItem, 'contact' | 'flow' | 'step'>

/** The numbers to mask in texts; `null` for a caller who sees them. */
export type Masking = Pick<ContactRow, 'phoneNumber' | 'waId'> | null

const maskOf =
  (masking: NonNullable<Masking>) =>
  (text: string): string =>
    maskNumbersIn(text, numbersOfContact(masking))

/** Returns a session as the API shows it. */
export const sessionView = (row: BotSessionRow, masking: Masking): BotSessionView => ({
  ...sessionFields(row),
  variables: variablesOf(row, masking),
})

/** Returns a session as lists show it: large variables are left out. */
export const sessionItem = (
  row: BotSessionRow,
  names: SessionNames,
  masking: Masking,
): SessionItem => ({
  ...(Buffer.byteLength(row.variables) > MAX_LISTED_VARIABLES
    ? sessionFields(row)
    : sessionView(row, masking)),
  ...names,
})

/** Returns the variables of a session as the API shows them. */
export const variablesOf = (
  { variables }: BotSessionRow,
  masking: Masking,
): BotSessionView['variables'] =>
  (masking
    ? maskJson(variables, maskOf(masking))
    : JSON.parse(variables)) as BotSessionView['variables']

const sessionFields = (row: BotSessionRow): Omit<BotSessionView, 'variables'> => ({
  id: row.id,
  contact_id: row.contactId,
  account_id: row.accountId,
  status: row.status,
  waiting_for: row.waitingFor,
  current_flow_id: row.flowId,
  flow_version: row.flowVersion,
  current_step: row.node,
  started_at: isoTime(row.startedAtMs),
  last_activity: isoTime(row.lastActivityMs),
  ended_at: isoTimeOrNull(row.endedAtMs),
  end_reason: row.endReason,
})

/** Returns a trace row as the API shows it. `label` is the name of its node. */
export const traceView = (
  row: typeof botTrace.$inferSelect,
  label: string | null,
  masking: Masking,
): SessionStep => ({
  seq: row.seq,
  at: isoTime(row.atMs),
  message_id: row.messageId,
  stage: row.stage,
  node_id: row.node,
  node_type: row.nodeType,
  node_label: label,
  input: masking && row.input !== null ? maskOf(masking)(row.input) : row.input,
  outcome: row.outcome,
  next_node: row.nextNode,
  sent_message_ids: JSON.parse(row.sentMessageIds) as string[],
  duration_ms: row.durationMs,
  error: row.error,
})
