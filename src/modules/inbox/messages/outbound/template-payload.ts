import { eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { filesOfTemplate, type TemplateToSend } from '../../../../platform/send/template'
import type { OutgoingContent } from '../../../../platform/send/content'
import { cardMediaOf } from '../compose/interactive/carousel'
import { findTemplate } from '../../../channel/templates/queries'
import type { TemplateRow } from '../../../channel/templates/view'
import { messageFiles, messageTemplates } from '../table'
import type { MessageRow } from '../view'
import { sendOptionsOf, type SendOptions } from './send-options'

/** Encryption context of a sealed code. */
const sealContextOf = (ctx: Pick<Ctx, 'organizationId'>, accountId: string): string =>
  `${ctx.organizationId}/messages/send_options/${accountId}`

/** Creates the send options of a filled template. One-time codes are encrypted. */
export const templateOptions = (
  ctx: Ctx,
  toSend: TemplateToSend,
  at: { accountId: string; isSecret: boolean },
): SendOptions =>
  at.isSecret
    ? { sealed: ctx.vault.seal(JSON.stringify(toSend), sealContextOf(ctx, at.accountId)) }
    : { template: toSend }

/**
 * Returns the filled template of a message; `null` for other types and if its one-time code is
 * gone.
 */
export function templateToSend(
  ctx: Ctx,
  row: Pick<MessageRow, 'type' | 'sendOptions' | 'accountId'>,
): TemplateToSend | null {
  if (row.type !== 'template') return null
  const { template, sealed } = sendOptionsOf(row)
  if (sealed === undefined) return template ?? null
  // Sealed with a root key that no longer exists: the code is lost.
  return ctx.vault.knows(sealed)
    ? (JSON.parse(ctx.vault.open(sealed, sealContextOf(ctx, row.accountId))) as TemplateToSend)
    : null
}

/** Returns the send options with the one-time code encrypted with the current key. */
export function reencryptOptions(
  ctx: Ctx,
  row: Pick<MessageRow, 'type' | 'sendOptions' | 'accountId'>,
): string | null {
  if (row.type !== 'template') return row.sendOptions
  const { sealed, ...rest } = sendOptionsOf(row)
  if (sealed === undefined) return row.sendOptions
  const resealed = ctx.vault.reseal(sealed, sealContextOf(ctx, row.accountId))
  return resealed === sealed ? row.sendOptions : JSON.stringify({ ...rest, sealed: resealed })
}

/** Returns the template of a message; `null` for other types. */
export function templateOfMessage(
  ctx: Ctx,
  row: Pick<MessageRow, 'type' | 'content'>,
): TemplateRow | null {
  if (row.type !== 'template') return null
  const { template_id } = JSON.parse(row.content) as { template_id?: string }
  return template_id === undefined ? null : findTemplate(ctx, template_id)
}

/** IDs of the files of a message: its own, and those of its cards or of its template. */
export const filesOfMessage = (
  row: Pick<MessageRow, 'mediaId' | 'type' | 'content'>,
  template: TemplateToSend | null,
): string[] => [
  ...new Set([
    ...(row.mediaId === null ? [] : [row.mediaId]),
    ...(template === null ? [] : filesOfTemplate(template)),
    ...(row.type === 'interactive' ? cardMediaOf(contentOf(row)) : []),
  ]),
]

/** The content as a message of the same type stored it. */
const contentOf = (row: Pick<MessageRow, 'type' | 'content'>): OutgoingContent =>
  ({ type: row.type, content: JSON.parse(row.content) as unknown }) as OutgoingContent

const insertLink = compiled((orm) =>
  orm
    .insert(messageTemplates)
    .values({
      organizationId: sql.placeholder('organizationId'),
      messageId: sql.placeholder('messageId'),
      templateId: sql.placeholder('templateId'),
      createdAtMs: sql.placeholder('createdAtMs'),
    })
    .prepare(),
)

/** Links a message to its template and to the files of its cards. */
export function linkTemplateIn(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  links: { templateId: string; mediaIds: string[] },
): void {
  const { organizationId } = ctx
  insertLink(ctx.db).run({
    organizationId,
    messageId: row.id,
    templateId: links.templateId,
    createdAtMs: row.createdAtMs,
  })
  linkFilesIn(tx, ctx, row, links.mediaIds)
}

/** Links a message to the files of its cards. */
export function linkFilesIn(tx: Tx, ctx: Ctx, row: MessageRow, mediaIds: string[]): void {
  const { organizationId } = ctx
  for (const mediaId of new Set(mediaIds))
    if (mediaId !== row.mediaId)
      tx.insert(messageFiles).values({ organizationId, messageId: row.id, mediaId }).run()
}

const linkOf = compiled((orm) =>
  orm
    .select({ id: messageTemplates.templateId })
    .from(messageTemplates)
    .where(
      inOrganization(
        anyScope,
        messageTemplates,
        eq(messageTemplates.messageId, place(messageTemplates.messageId, 'messageId')),
      ),
    )
    .prepare(),
)

/** Returns the ID of the linked template, or `null`. */
export const linkedTemplateId = (ctx: Ctx, messageId: string): string | null =>
  linkOf(ctx.db).get({ organizationId: ctx.organizationId, messageId })?.id ?? null
