import { and, eq, inArray, isNull, or, type SQL } from 'drizzle-orm'

import { isUuid } from '../../../lib/ids'
import { NotFoundError } from '../../../lib/errors'
import { hasPermission, inOrganization, type Ctx } from '../../../infra/ctx'
import { calls } from '../calls/table'
import { cannedResponses } from '../../inbox/canned-responses/table'
import { keywordRules } from '../../automation/chatbot/keywords/table'
import { contacts } from '../../inbox/contacts/table'
import { isShownHistory } from '../../inbox/contacts/sight/visible-history'
import { isVisibleIn, seesAll } from '../../inbox/contacts/sight/visibility'
import { messageFiles, messages } from '../../inbox/messages/table'
import { templateCardFiles, templates } from '../templates/table'
import { media } from './table'
import type { MediaRow } from './view'

/**
 * Returns a file by its ID or message ID if the caller can see it: an own upload, a file of a
 * visible contact's message or call, canned response, keyword rule or template, or the QR code of a number.
 * Throws NotFoundError otherwise.
 */
export function getVisibleMedia(ctx: Ctx, id: string): MediaRow {
  const row = findVisibleMedia(ctx, id) ?? findOfVisibleMessage(ctx, id)
  if (!row) throw new NotFoundError('Media')
  return row
}

/** Returns the file if the caller can see it, or `null`. */
export function findVisibleMedia(ctx: Ctx, id: string): MediaRow | null {
  if (!isUuid(id)) return null
  const row = ctx.db.orm
    .select()
    .from(media)
    .where(inOrganization(ctx, media, eq(media.id, id)))
    .get()
  if (!row) return null
  const isOwn = row.uploadedBy !== null && row.uploadedBy === ctx.actor.userId
  return isOwn ||
    isOfVisibleMessage(ctx, row.id) ||
    isOfVisibleCall(ctx, row.id) ||
    isOfCannedResponse(ctx, row.id) ||
    isOfKeywordRule(ctx, row.id) ||
    isOfTemplate(ctx, row.id) ||
    (row.origin === 'qr_code' && hasPermission(ctx.actor, 'accounts:read')) ||
    isUnreferencedUpload(ctx, row.id)
    ? row
    : null
}

/** Returns a message whose contact the caller can see; deleted contacts are excluded. */
const findVisibleMessage = (ctx: Ctx, condition: SQL | undefined) =>
  ctx.db.orm
    .select({ mediaId: messages.mediaId })
    .from(messages)
    .innerJoin(
      contacts,
      and(
        eq(contacts.organizationId, messages.organizationId),
        eq(contacts.id, messages.contactId),
      ),
    )
    .where(
      inOrganization(
        ctx,
        messages,
        and(
          condition,
          isNull(contacts.deletedAtMs),
          isVisibleIn(ctx, messages.contactId),
          isShownHistory(ctx, { contactId: messages.contactId, atMs: messages.timestampMs }),
        ),
      ),
    )
    .limit(1)
    .get()

const isOfVisibleMessage = (ctx: Ctx, mediaId: string): boolean =>
  hasPermission(ctx.actor, 'messages:read') &&
  (findVisibleMessage(ctx, eq(messages.mediaId, mediaId)) !== undefined ||
    findVisibleMessage(ctx, inArray(messages.id, messagesWithCardFile(ctx, mediaId))) !== undefined)

/** Reports whether the file is the recording or transcript of a visible contact's call. */
const isOfVisibleCall = (ctx: Ctx, mediaId: string): boolean =>
  hasPermission(ctx.actor, 'messages:read') &&
  ctx.db.orm
    .select({ id: calls.id })
    .from(calls)
    .innerJoin(
      contacts,
      and(eq(contacts.organizationId, calls.organizationId), eq(contacts.id, calls.contactId)),
    )
    .where(
      inOrganization(
        ctx,
        calls,
        and(
          isFileOf(mediaId),
          isNull(contacts.deletedAtMs),
          isVisibleIn(ctx, calls.contactId),
          isShownHistory(ctx, { contactId: calls.contactId, atMs: calls.timestampMs }),
        ),
      ),
    )
    .limit(1)
    .get() !== undefined

const isFileOf = (mediaId: string): SQL | undefined =>
  or(eq(calls.recordingMediaId, mediaId), eq(calls.transcriptMediaId, mediaId))

/** Returns the messages with this file in a carousel card. */
const messagesWithCardFile = (ctx: Ctx, mediaId: string) =>
  ctx.db.orm
    .select({ id: messageFiles.messageId })
    .from(messageFiles)
    .where(inOrganization(ctx, messageFiles, eq(messageFiles.mediaId, mediaId)))

function findOfVisibleMessage(ctx: Ctx, messageId: string): MediaRow | null {
  const mediaId = hasPermission(ctx.actor, 'messages:read')
    ? (findVisibleMessage(ctx, eq(messages.id, messageId))?.mediaId ?? null)
    : null
  if (mediaId === null) return null
  return (
    ctx.db.orm
      .select()
      .from(media)
      .where(inOrganization(ctx, media, eq(media.id, mediaId)))
      .get() ?? null
  )
}

const isOfCannedResponse = (ctx: Ctx, mediaId: string): boolean =>
  hasPermission(ctx.actor, 'canned_responses:read') &&
  ctx.db.orm
    .select({ id: cannedResponses.id })
    .from(cannedResponses)
    .where(inOrganization(ctx, cannedResponses, eq(cannedResponses.mediaId, mediaId)))
    .limit(1)
    .get() !== undefined

const isOfKeywordRule = (ctx: Ctx, mediaId: string): boolean =>
  hasPermission(ctx.actor, 'chatbot:read') &&
  ctx.db.orm
    .select({ id: keywordRules.id })
    .from(keywordRules)
    .where(inOrganization(ctx, keywordRules, eq(keywordRules.mediaId, mediaId)))
    .limit(1)
    .get() !== undefined

/** Reports whether a visible template uses the file. */
const isOfTemplate = (ctx: Ctx, mediaId: string): boolean =>
  hasPermission(ctx.actor, 'templates:read') &&
  (ctx.db.orm
    .select({ id: templates.id })
    .from(templates)
    .where(
      inOrganization(
        ctx,
        templates,
        eq(templates.headerMediaId, mediaId),
        isNull(templates.deletedAtMs),
      ),
    )
    .limit(1)
    .get() !== undefined ||
    ctx.db.orm
      .select({ id: templateCardFiles.templateId })
      .from(templateCardFiles)
      .where(inOrganization(ctx, templateCardFiles, eq(templateCardFiles.mediaId, mediaId)))
      .limit(1)
      .get() !== undefined)

/** Reports whether a message or call refers to the file. */
export const isOfAnyMessage = (ctx: Ctx, mediaId: string): boolean =>
  ctx.db.orm
    .select({ id: calls.id })
    .from(calls)
    .where(inOrganization(ctx, calls, isFileOf(mediaId)))
    .limit(1)
    .get() !== undefined ||
  ctx.db.orm
    .select({ id: messages.id })
    .from(messages)
    .where(inOrganization(ctx, messages, eq(messages.mediaId, mediaId)))
    .limit(1)
    .get() !== undefined ||
  ctx.db.orm
    .select({ id: messageFiles.messageId })
    .from(messageFiles)
    .where(inOrganization(ctx, messageFiles, eq(messageFiles.mediaId, mediaId)))
    .limit(1)
    .get() !== undefined

/** An unused upload belongs to no contact: users who see all contacts see it. */
const isUnreferencedUpload = (ctx: Ctx, mediaId: string): boolean =>
  seesAll(ctx.actor) && hasPermission(ctx.actor, 'messages:read') && !isOfAnyMessage(ctx, mediaId)
