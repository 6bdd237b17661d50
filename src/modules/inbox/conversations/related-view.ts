import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { maskNumbersIn, maskPhone, maskPhonesIn } from '../../../lib/phone'
import { callPreview, callStatus } from '../../../platform/call-summary'
import { canCall, canTakeThreads } from '../../channel/accounts/routing/roles'
import type { TagSummary } from '../contacts/tags'
import { displayNameOf, numbersOfContact, type ContactRow } from '../contacts/view'
import type { ContactSight } from '../contacts/sight/visible-history'
import { timerOf } from '../../automation/chatbot/engine/table'
import type { ConversationView } from './model'
import type { RelatedRows } from './related-rows'

/** Returns an active transfer as conversations show it. */
const transferSummary = (row: RelatedRows['transfer']): ConversationView['transfer'] =>
  row && {
    id: row.id,
    agent_id: row.agentId,
    team_id: row.teamId,
    priority: row.priority,
    sla_response_deadline: isoTimeOrNull(row.responseDueAtMs),
    sla_breached: row.breachedAtMs !== null,
  }

/**
 * Returns the preview of the newest message, with the same masked numbers as in `messages/view.ts`.
 */
function previewOf(
  { type, preview, source }: { type: string; preview: string; source?: string },
  contact: ContactRow,
  isMasked: boolean,
): string {
  if (!isMasked) return preview
  if (type === 'system' || type === 'unsupported') return maskPhonesIn(preview)
  const isOurs = type === 'template' || source === 'chatbot'
  return isOurs ? maskNumbersIn(preview, numbersOfContact(contact)) : preview
}

/** Returns a call as the newest item of its conversation, in the form of a message. */
const lastCallView = (call: RelatedRows['lastCall']) =>
  call && {
    id: call.id,
    direction: call.direction,
    type: 'call',
    preview: callPreview(call.direction, call.state),
    status: callStatus(call),
    errorCode: null,
    timestampMs: call.timestampMs,
  }

/** The parts of a conversation that come from other rows, and its priority. */
export type RelatedView = Pick<
  ConversationView,
  | 'contact'
  | 'assigned_user'
  | 'team'
  | 'priority'
  | 'bot_active'
  | 'bot_waits_until'
  | 'last_message'
  | 'transfer'
  | 'can_take'
  | 'can_call'
>

/** Returns the parts of a conversation that come from other rows, as lists and frames show them. */
export function relatedView(
  {
    conversation,
    contact,
    account,
    assignee,
    team,
    last: message,
    lastCall,
    transfer,
    bot,
  }: RelatedRows,
  at: { sight: ContactSight; contactTags: TagSummary[] },
): RelatedView {
  const newest = message ?? lastCallView(lastCall)
  const { isMasked, historyFromMs } = at.sight
  const last = newest && newest.timestampMs >= (historyFromMs(contact.id) ?? 0) ? newest : null
  const { phoneNumber } = contact
  return {
    contact: {
      id: contact.id,
      display_name: displayNameOf(contact, isMasked),
      phone_number: isMasked && phoneNumber !== null ? maskPhone(phoneNumber) : phoneNumber,
      avatar_url: null,
      tags: at.contactTags,
      blocked: contact.blockedAtMs !== null,
    },
    assigned_user: assignee,
    team,
    priority: conversation.priority,
    bot_active: bot !== null,
    bot_waits_until: bot?.waitingFor === 'timer' ? isoTimeOrNull(timerOf(bot.expiresAtMs)) : null,
    last_message: last && {
      id: last.id,
      direction: last.direction,
      type: last.type,
      preview: previewOf(last, contact, isMasked),
      status: last.status,
      timestamp: isoTime(last.timestampMs),
      error_code: last.errorCode,
    },
    transfer: transferSummary(transfer),
    can_take: canTakeThreads(account),
    can_call: canCall(account),
  }
}
