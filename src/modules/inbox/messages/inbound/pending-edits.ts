import { and, asc, eq, isNotNull, lte } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { inOrganization, systemCtx, type Ctx } from '../../../../infra/ctx'
import { inWorkingOrganizations } from '../../../../infra/working-organizations'
import type { Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { messagePreview } from '../../../../platform/webhook/content'
import { recordInboundMediaIn } from '../../../channel/media/receive'
import { isMediaKind } from '../../../channel/media/view'
import { findContact } from '../../contacts/service'
import { findOrOpenConversationIn } from '../../conversations/service'
import { MessageEchoed, MessageReceived } from '../events'
import { observedSourceOf } from './handover'
import { dropRevisionsIn, versionOf, type RevisionRow, type Version } from './edit-versions'
import { storeMessageIn } from '../store'
import { messageRevisions } from './table'

/** How long edits and deletions wait for their message (inbound contract 7). */
const PENDING_TTL_MS = DAY_MS

const BATCH = 100

/**
 * Expires edits and deletions that waited a day for their message, a batch at a time, in the
 * caller's transaction. The newest edit becomes a message unless there is a deletion. Returns the
 * number of messages waited for.
 */
export function expirePendingEditsIn(tx: Tx, ctx: Ctx): number {
  const overdue = tx
    .selectDistinct({
      organizationId: messageRevisions.organizationId,
      accountId: messageRevisions.accountId,
      targetWaMessageId: messageRevisions.targetWaMessageId,
    })
    .from(messageRevisions)
    .where(
      inWorkingOrganizations(
        'expired edits are found for all organizations at once',
        messageRevisions,
        and(
          isNotNull(messageRevisions.pendingSinceMs),
          lte(messageRevisions.pendingSinceMs, ctx.clock.nowMs() - PENDING_TTL_MS),
        ),
      ),
    )
    .limit(BATCH)
    .all()
  for (const target of overdue) expireIn(tx, systemCtx(ctx, target.organizationId), target)
  return overdue.length
}

function expireIn(
  tx: Tx,
  ctx: Ctx,
  target: Pick<RevisionRow, 'accountId' | 'targetWaMessageId'>,
): void {
  const ledger = tx
    .select()
    .from(messageRevisions)
    .where(
      inOrganization(
        ctx,
        messageRevisions,
        and(
          eq(messageRevisions.accountId, target.accountId),
          eq(messageRevisions.targetWaMessageId, target.targetWaMessageId),
        ),
      ),
    )
    .orderBy(asc(messageRevisions.timestampMs), asc(messageRevisions.waMessageId))
    .all()
  dropRevisionsIn(tx, ctx, target)
  const newest = ledger.findLast(({ kind }) => kind === 'edit')
  const version = newest ? versionOf(newest) : null
  if (newest && version && !ledger.some(({ kind }) => kind === 'revoke'))
    storeEditAsMessageIn(tx, ctx, newest, version)
}

/** Stores an edit as a message of its own, which does not open the window. */
function storeEditAsMessageIn(tx: Tx, ctx: Ctx, edit: RevisionRow, version: Version): void {
  const contact = findContact(ctx, edit.contactId)
  if (!contact) return
  const { accountId, timestampMs, receivedAtMs, waMessageId, raw } = edit
  const {
    type,
    content,
    file,
    direction = 'incoming',
    isObserved = false,
    context = null,
  } = version
  const isOurs = direction === 'outgoing'
  const isSilent = isObserved || contact.blockedAtMs !== null
  const conversation = findOrOpenConversationIn(tx, ctx, {
    contactId: contact.id,
    accountId,
    assignedTo: isSilent ? null : contact.assignedTo,
  })
  const origin = isOurs ? ('phone_app' as const) : ('inbound' as const)
  const stored = storeMessageIn(
    tx,
    ctx,
    {
      conversationId: conversation.id,
      contactId: contact.id,
      accountId,
      waMessageId,
      direction,
      type,
      content,
      preview: messagePreview(type, content),
      mediaId:
        file && isMediaKind(type)
          ? recordInboundMediaIn(tx, ctx, { accountId, kind: type, origin, ...file })
          : null,
      context,
      isObserved,
      isSilent,
      raw: type === 'text' ? null : raw,
      timestampMs,
      receivedAtMs,
      ...(isOurs
        ? {
            status: 'sent',
            stage: 'accepted',
            source: isObserved
              ? observedSourceOf(ctx, { conversationId: conversation.id, atMs: timestampMs })
              : 'phone_app',
            acceptedAtMs: timestampMs,
            sentAtMs: timestampMs,
          }
        : {
            status: isSilent ? 'read' : 'delivered',
            source: 'contact',
            readAtMs: isSilent ? receivedAtMs : null,
          }),
    },
    { opensWindow: false, unread: isOurs || isSilent ? 0 : 1, reopens: false, isAnswer: false },
  )
  if (!stored) return
  const payload = {
    messageId: stored.id,
    contactId: contact.id,
    isLate: true,
    ...(isObserved ? { isObserved } : {}),
  }
  emit(tx, ctx, isOurs ? MessageEchoed : MessageReceived, { contactId: contact.id, payload })
}
