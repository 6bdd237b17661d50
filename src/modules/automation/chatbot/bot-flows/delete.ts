import { eq } from 'drizzle-orm'

import { ConflictError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { recordAudit } from '../../../organization/audit/record'
import { requireBotFlow } from './find'
import { deleteUnusedVersionsIn, deleteVersionsIn } from './store'
import { botFlowVersions, DRAFT } from './table'
import { usesOf } from './uses'
import { changeBotFlowIn } from './update'

/**
 * Deletes a bot flow. Sessions under way finish on their version. Throws NotFoundError and
 * ConflictError `in_use` while another flow points at it.
 */
export function deleteBotFlow(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const { name } = requireBotFlow(ctx, id)
    requireUnused(ctx, id)
    changeBotFlowIn(tx, ctx, id, { isEnabled: false, deletedAtMs: ctx.clock.nowMs() })
    deleteVersionsIn(tx, ctx, id, eq(botFlowVersions.version, DRAFT))
    deleteUnusedVersionsIn(tx, ctx, id, Number.MAX_SAFE_INTEGER)
    recordAudit(tx, ctx, {
      action: 'deleted',
      resourceType: 'bot_flow',
      resourceId: id,
      resourceName: name,
    })
  })
}

function requireUnused(ctx: Ctx, id: string): void {
  const uses = usesOf(ctx, 'bot_flow', id).filter((use) => use.id !== id)
  const [first] = uses
  if (!first) return
  throw new ConflictError(
    `The flow is used by "${first.name}"${uses.length > 1 ? ` and ${uses.length - 1} more` : ''}. ` +
      'Remove it there first.',
    { code: 'in_use', details: { used_by: uses } },
  )
}
