import { asc } from 'drizzle-orm'

import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { of } from '../../../infra/scoped'
import { PlatformError } from '../../../platform/client/errors'
import { businessCallOf } from '../accounts/platform-calls'
import { platformErrorOf } from '../accounts/platform-errors'
import { recordAudit } from '../../organization/audit/record'
import { updateFileReferencesIn } from './files'
import { changeTemplateIn } from './change'
import { requireUnused } from './in-use'
import { requireTemplate } from './queries'
import { templates } from './table'
import { requireAccount, withLock } from './lock'
import type { TemplateRow } from './view'

/** Options for deleting a template. */
export interface TemplateDeletion {
  /** Deletes all languages of the name. */
  isAllLanguages: boolean
  /** Deletes the template here only. The next sync restores it if the platform still has it. */
  isLocalOnly: boolean
}

/**
 * Deletes a template, first at the platform, then here. Throws NotFoundError, ConflictError
 * (`in_use` by a scheduled or running campaign, `pending`), InvalidError (`platform_rejected`,
 * `account_inactive`) and UnavailableError.
 */
export const deleteTemplate = (ctx: Ctx, id: string, deletion: TemplateDeletion): Promise<void> =>
  withLock(ctx, id, async () => {
    const row = requireTemplate(ctx, id)
    const meant = deletion.isAllLanguages ? languagesOf(ctx, row) : [row]
    requireUnused(ctx, meant)
    const isThere = meant.some(
      ({ platformId, status }) => platformId !== null && status !== 'DELETED',
    )
    if (isThere && !deletion.isLocalOnly) await deleteAtPlatform(ctx, row, deletion.isAllLanguages)
    transact(ctx.db, (tx) => {
      for (const each of meant) deleteRowIn(tx, ctx, each)
    })
  })

const languagesOf = (ctx: Ctx, row: TemplateRow): TemplateRow[] =>
  of(ctx, templates).list({
    where: [{ businessId: row.businessId, name: row.name, deletedAtMs: null }],
    order: [asc(templates.id)],
    limit: 500,
  })

async function deleteAtPlatform(
  ctx: Ctx,
  row: TemplateRow,
  isAllLanguages: boolean,
): Promise<void> {
  try {
    const call = businessCallOf(ctx, requireAccount(ctx, row))
    await ctx.platform.deleteTemplate({
      ...call,
      name: row.name,
      templateId: isAllLanguages ? null : row.platformId,
    })
  } catch (error) {
    // The platform no longer has the template.
    if (error instanceof PlatformError && (error.httpStatus === 404 || error.subcode === 33)) return
    const said = error instanceof PlatformError ? (error.details ?? error.platformMessage) : null
    throw platformErrorOf(error, {
      rejected: `The platform rejected the deletion of this template${said === null ? '.' : `: ${said}`}`,
    })
  }
}

function deleteRowIn(tx: Tx, ctx: Ctx, row: TemplateRow): void {
  const nowMs = ctx.clock.nowMs()
  const after = changeTemplateIn(
    tx,
    ctx,
    row,
    {
      status: 'DELETED',
      headerMediaId: null,
      components: '[]',
      deletedAtMs: nowMs,
      syncedAtMs: nowMs,
    },
    ['status'],
  )
  updateFileReferencesIn(tx, ctx, after, row)
  recordAudit(tx, ctx, {
    action: 'deleted',
    resourceType: 'template',
    resourceId: row.id,
    resourceName: row.name,
  })
}
