import type { JsonObject } from '../lenient-json'
import type { BrokenItem } from './body'
import { type InboundMessage, readItem, readMessages } from './messages'
import type { WebhookSender } from './sender'
import { type Handover, type HandoverRoles, summaryIn } from './standby'
import { CONTEXT_TYPE } from './system-change'

/**
 * Returns the summary of a handover as a message of the system, or `null` if it has none. `entryMs`
 * is its time if it names none.
 */
export const noteOfHandover = (
  { sender, summary, roles, timestampMs }: Handover,
  entryMs: number | null,
): InboundMessage | null =>
  summary === null ? null : noteOf({ sender, summary, roles, timestampMs: timestampMs ?? entryMs })

/**
 * Returns the summary beside the messages of a change as a message of the system, at the time of the
 * first of them. `null` without one, and if the messages are of several people.
 */
export function noteOfMessages(value: unknown): InboundMessage | null {
  const summary = summaryIn(value)
  if (summary === null) return null
  const written = readMessages(value).filter(isReadable)
  const [first] = written
  if (!first || written.some((message) => idsOf(message) !== idsOf(first))) return null
  const { from, userId, parentUserId, timestampMs } = first
  return noteOf({
    sender: { from, userId, parentUserId },
    summary,
    roles: { previous: null, next: null },
    timestampMs,
  })
}

const isReadable = (message: InboundMessage | BrokenItem): message is InboundMessage =>
  !('broken' in message)

const idsOf = ({ from, userId, parentUserId }: WebhookSender): string =>
  [from, userId, parentUserId].join(' ')

function noteOf(of: {
  sender: WebhookSender
  summary: string
  roles: HandoverRoles
  timestampMs: number | null
}): InboundMessage {
  const { sender, summary, roles, timestampMs } = of
  const raw: JsonObject = {
    from: sender.from,
    from_user_id: sender.userId,
    from_parent_user_id: sender.parentUserId,
    timestamp: timestampMs === null ? null : timestampMs / 1_000,
    type: 'system',
    system: { type: CONTEXT_TYPE, body: summary, old: roles.previous, new: roles.next },
  }
  return readItem(raw, sender, null)
}
