import { and, eq, inArray, isNull, type SQL } from 'drizzle-orm'

import { NotFoundError } from '../../lib/errors'
import { hasPermission, inOrganization, type Ctx } from '../../infra/ctx'
import { cannedResponses } from '../canned-responses/table'
import { contacts } from '../contacts/table'
import { seesAll, visibleTo } from '../contacts/visibility'
import { messageFiles, messages } from '../messages/table'
import { templateCardFiles, templates } from '../templates/table'
import { media } from './table'
import type { MediaRow } from './view'

/**
 * The file with this id, or of the message with this id, when the caller sees it: its own upload, a
 * file of a message of a contact it sees, a file of an answer people keep ready. Throws
 * NotFoundError, also for what is out of sight.
 */
export function getVisibleMedia(ctx: Ctx, id: string): MediaRow {
  const row = findVisibleMedia(ctx, id) ?? ofVisibleMessage(ctx, id)
  if (!row) throw new NotFoundError('Media')
  return row
}

/** The file with this id when the caller sees it; `null` when it does not, or there is none. */
export function findVisibleMedia(ctx: Ctx, id: string): MediaRow | null {
  const row = ctx.db.orm
    .select()
    .from(media)
    .where(inOrganization(ctx, media, eq(media.id, id)))
    .get()
  if (!row) return null
  const isOwn = row.uploadedBy !== null && row.uploadedBy === ctx.actor.userId
  return isOwn ||
    isOfVisibleMessage(ctx, row.id) ||
    isKeptReady(ctx, row.id) ||
    isOfTemplate(ctx, row.id) ||
    isNobodys(ctx, row.id)
    ? row
    : null
}

/** A message with a file whose contact the caller sees; of a deleted contact nothing is seen. */
const seenMessage = (ctx: Ctx, condition: SQL | undefined) =>
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
        and(condition, isNull(contacts.deletedAtMs), visibleTo(ctx, messages.contactId)),
      ),
    )
    .limit(1)
    .get()

const isOfVisibleMessage = (ctx: Ctx, mediaId: string): boolean =>
  hasPermission(ctx.actor, 'messages:read') &&
  (seenMessage(ctx, eq(messages.mediaId, mediaId)) !== undefined ||
    seenMessage(ctx, inArray(messages.id, carriersOf(ctx, mediaId))) !== undefined)

/** The messages whose cards carry a file. */
const carriersOf = (ctx: Ctx, mediaId: string) =>
  ctx.db.orm
    .select({ id: messageFiles.messageId })
    .from(messageFiles)
    .where(inOrganization(ctx, messageFiles, eq(messageFiles.mediaId, mediaId)))

function ofVisibleMessage(ctx: Ctx, messageId: string): MediaRow | null {
  const mediaId = hasPermission(ctx.actor, 'messages:read')
    ? (seenMessage(ctx, eq(messages.id, messageId))?.mediaId ?? null)
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

const isKeptReady = (ctx: Ctx, mediaId: string): boolean =>
  hasPermission(ctx.actor, 'canned_responses:read') &&
  ctx.db.orm
    .select({ id: cannedResponses.id })
    .from(cannedResponses)
    .where(inOrganization(ctx, cannedResponses, eq(cannedResponses.mediaId, mediaId)))
    .limit(1)
    .get() !== undefined

/** Whether a template that somebody may still see names the file. */
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

/** Whether a message refers to a file. */
export const isOfAnyMessage = (ctx: Ctx, mediaId: string): boolean =>
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

/** An upload nothing refers to yet hangs on no contact: who sees every contact sees it too. */
const isNobodys = (ctx: Ctx, mediaId: string): boolean =>
  seesAll(ctx.actor) && hasPermission(ctx.actor, 'messages:read') && !isOfAnyMessage(ctx, mediaId)
