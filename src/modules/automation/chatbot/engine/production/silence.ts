import { and, eq, gt, max, sql } from 'drizzle-orm'

import { MINUTE_MS } from '../../../../../lib/clock'
import { numberVariants } from '../../../../../lib/phone'
import { anyScope, inOrganization, type Ctx } from '../../../../../infra/ctx'
import { compiled, atMost, place } from '../../../../../infra/db/compiled'
import type { ChatbotSettings } from '../../../chatbot-settings/catalog'
import { findContact } from '../../../../inbox/contacts/service'
import { findConversation } from '../../../../inbox/conversations/service'
import {
  currentThreadOwner,
  holdsBackAutomaticMessages,
} from '../../../../inbox/conversations/thread-owner'
import { messages } from '../../../../inbox/messages/table'
import { findHoldingTransfer } from '../../../transfers/find'
import { transfers } from '../../../transfers/table'
import type { Session } from '../model'
import { isByRequest } from '../run'
import { loopReasonOf } from './loop-guard'
import type { BotSessionRow } from './store'

/** What the bot's silence depends on beside its contact. */
interface Silencing {
  settings: Readonly<ChatbotSettings>
  session: Pick<Session, 'status' | 'startedAtMs' | 'firstMessageId'> | null
}

/** Returns why nothing automatic may answer a contact on a number, or on any, now; or `null`. */
export function silenceReasonOf(
  ctx: Ctx,
  place: { contactId: string; accountId: string | null },
  { settings, session }: Silencing,
): string | null {
  const { contactId, accountId } = place
  const gone = unreachableReason(ctx, contactId)
  if (gone !== null) return gone
  if (findHoldingTransfer(ctx, contactId)) return 'transfer_active'
  const active = session?.status === 'active' ? session : null
  if (!isByRequest(active) && isExcluded(ctx, settings, contactId)) return 'contact_excluded'
  const sinceMs = Math.max(
    ctx.clock.nowMs() - settings.human_takeover_minutes * MINUTE_MS,
    // The end of a transfer gives the contact back to the bot. So does a flow that a person starts.
    lastTransferEndMs(ctx, contactId),
    active?.startedAtMs ?? 0,
  )
  if (hasPersonWrittenSince(ctx, contactId, sinceMs)) return 'person_wrote'
  const conversation = accountId === null ? null : findConversation(ctx, { contactId, accountId })
  if (conversation && holdsBackAutomaticMessages(currentThreadOwner(ctx, conversation)))
    return 'not_owner'
  return loopReasonOf(ctx, contactId)
}

/**
 * Returns why the settings keep the bot from writing to a contact, or `null`. They do not stop flows
 * that were started by request.
 */
export function haltReasonOf(
  ctx: Ctx,
  contactId: string,
  { settings, session }: Pick<Silencing, 'settings'> & { session: Session | BotSessionRow | null },
): 'chatbot_disabled' | 'contact_excluded' | null {
  if (isByRequest(session)) return null
  if (isExcluded(ctx, settings, contactId)) return 'contact_excluded'
  return settings.chatbot_enabled ? null : 'chatbot_disabled'
}

/** Whether the settings keep a contact from being answered automatically. */
function isExcluded(
  ctx: Ctx,
  { excluded_numbers: excluded }: Readonly<ChatbotSettings>,
  contactId: string,
): boolean {
  if (excluded.length === 0) return false
  const contact = findContact(ctx, contactId)
  return [contact?.phoneNumber, contact?.waId].some(
    (number) =>
      number != null && numberVariants(number).some((spelling) => excluded.includes(spelling)),
  )
}

/** Returns why the bot must not write to a contact at all, or `null`. */
export function unreachableReason(ctx: Ctx, contactId: string): string | null {
  const contact = findContact(ctx, contactId)
  if (!contact || contact.deletedAtMs !== null) return 'contact_deleted'
  return contact.blockedAtMs === null ? null : 'contact_blocked'
}

const lastTransferEnd = compiled((orm) =>
  orm
    .select({ atMs: max(transfers.endedAtMs) })
    .from(transfers)
    .where(
      inOrganization(
        anyScope,
        transfers,
        eq(transfers.contactId, place(transfers.contactId, 'contactId')),
      ),
    )
    .prepare(),
)

/** Returns when the last transfer of a contact ended, or 0. */
const lastTransferEndMs = ({ db, organizationId }: Ctx, contactId: string): number =>
  lastTransferEnd(db).get({ organizationId, contactId })?.atMs ?? 0

const ofPersonSince = compiled((orm) =>
  orm
    .select({ id: messages.id })
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        and(
          eq(messages.contactId, place(messages.contactId, 'contactId')),
          gt(messages.timestampMs, place(messages.timestampMs, 'sinceMs')),
          sql`${messages.source} in ('agent', 'phone_app')`,
        ),
      ),
    )
    .limit(atMost(1))
    .prepare(),
)

/** Whether a person wrote to a contact after a time, from the console or from the phone app. */
const hasPersonWrittenSince = (
  { db, organizationId }: Ctx,
  contactId: string,
  sinceMs: number,
): boolean => ofPersonSince(db).get({ organizationId, contactId, sinceMs }) !== undefined
