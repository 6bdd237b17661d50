import { ConflictError, InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { PlatformError } from '../../../platform/client/errors'
import { businessCallOf } from '../accounts/platform-calls'
import { isTemporary, platformErrorOf } from '../accounts/platform-errors'
import { recordAudit } from '../../organization/audit/record'
import { restoredStatus } from './archive-columns'
import { changeTemplateIn } from './change'
import { requireUnused } from './in-use'
import { requireAccount, withLock } from './lock'
import type { TemplateView } from './model'
import { requireTemplate } from './queries'
import { requestSync } from './request-sync'
import { minEventTimeMs } from './status'
import { readUsage } from './usage'
import { templateView, type TemplateRow } from './view'

/** Statuses with which the platform archives (platform documentation: archived templates). */
const ARCHIVABLE = new Set(['APPROVED', 'REINSTATED', 'FLAGGED', 'REJECTED'])

/**
 * Archives a template at the platform. It cannot be sent then, and is deleted 28 days later unless it
 * is restored. Throws NotFoundError, ConflictError (`in_use` by a scheduled or running campaign,
 * `pending`, `wrong_state`), InvalidError (`platform_rejected`, `account_inactive`) and
 * UnavailableError.
 */
export const archiveTemplate = (ctx: Ctx, id: string): Promise<TemplateView> =>
  withLock(ctx, id, async () => {
    const row = requireTemplate(ctx, id)
    if (row.platformId === null || !ARCHIVABLE.has(row.status))
      throw wrongState(`Only approved and rejected templates can be archived, not ${row.status}.`)
    requireUnused(ctx, [row])
    await askPlatform(ctx, row, { isArchived: true })
    return store(ctx, row, { status: 'ARCHIVED', action: 'archived' })
  })

/**
 * Restores a template from the archive, with the status that it had. Throws NotFoundError,
 * ConflictError (`pending`, `wrong_state`), InvalidError (`platform_rejected`, `account_inactive`) and
 * UnavailableError.
 */
export const restoreTemplate = (ctx: Ctx, id: string): Promise<TemplateView> =>
  withLock(ctx, id, async () => {
    const row = requireTemplate(ctx, id)
    if (row.platformId === null || row.status !== 'ARCHIVED')
      throw wrongState(`Only archived templates can be restored, not ${row.status}.`)
    await askPlatform(ctx, row, { isArchived: false })
    const view = store(ctx, row, { status: restoredStatus(row), action: 'restored' })
    // Of a template that was found in the archive, nobody here knows the status.
    if (row.statusBeforeArchive === null) requestSync(ctx, row)
    return view
  })

const wrongState = (message: string): ConflictError =>
  new ConflictError(message, { code: 'wrong_state' })

async function askPlatform(
  ctx: Ctx,
  row: TemplateRow,
  { isArchived }: { isArchived: boolean },
): Promise<void> {
  const account = requireAccount(ctx, row)
  const failed = isArchived
    ? 'WhatsApp did not archive this template'
    : 'WhatsApp did not restore this template'
  const call = { ...businessCallOf(ctx, account), templateId: row.platformId ?? '', isArchived }
  const reason = await ctx.platform.archiveTemplate(call).catch((error: unknown) => {
    // The platform may have done it although the call failed; then the next sync finds it.
    if (error instanceof PlatformError && isTemporary(error)) requestSync(ctx, account)
    const said = error instanceof PlatformError ? (error.details ?? error.platformMessage) : null
    throw platformErrorOf(error, { rejected: said === null ? `${failed}.` : `${failed}: ${said}` })
  })
  if (reason !== null) throw new InvalidError(`${failed}: ${reason}`, { code: 'platform_rejected' })
}

const store = (
  ctx: Ctx,
  row: TemplateRow,
  { status, action }: { status: string; action: 'archived' | 'restored' },
): TemplateView =>
  transact(ctx.db, (tx) => {
    const nowMs = ctx.clock.nowMs()
    const after = changeTemplateIn(
      tx,
      ctx,
      requireTemplate(ctx, row.id),
      { status, statusAtMs: minEventTimeMs(nowMs), syncedAtMs: nowMs },
      ['status'],
      { isOwn: true },
    )
    recordAudit(tx, ctx, {
      action,
      resourceType: 'template',
      resourceId: row.id,
      resourceName: row.name,
    })
    return templateView(after, readUsage(ctx, [row.id])(row.id))
  })
