import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { PlatformError } from '../../../platform/client/errors'
import { platformErrorOf } from '../accounts/platform-errors'
import type { AuditAction } from '../../organization/audit/model'
import { recordAudit } from '../../organization/audit/record'
import type { FlowView } from './model'
import { changeFlowIn, requireFlow } from './state'
import { flowCallOf, type LockedFlow } from './lock'
import { flowView, type FlowRow } from './view'

/**
 * Waits for a platform call; if its response is lost, reads the status of the Flow instead. Throws
 * InvalidError and UnavailableError.
 */
export async function confirmAtPlatform(
  ctx: Ctx,
  turn: LockedFlow,
  { act, wanted, rejected }: { act: Promise<void>; wanted: string; rejected: string },
): Promise<void> {
  try {
    await act
  } catch (error) {
    const isLost = error instanceof PlatformError && error.outcome !== 'unreachable'
    const listed = isLost
      ? await ctx.platform.getFlow(flowCallOf(ctx, turn)).catch(() => null)
      : null
    if (listed?.status !== wanted) throw platformErrorOf(error, { rejected })
  }
}

/** Stores the new status of a Flow with an audit entry. Returns the Flow. */
export function storeStatus(
  ctx: Ctx,
  { id }: FlowRow,
  status: FlowRow['status'],
  action: AuditAction,
): FlowView {
  return transact(ctx.db, (tx) => {
    const nowMs = ctx.clock.nowMs()
    // Webhook times are whole seconds: the webhook about this change must not look older.
    const statusAtMs = Math.max(requireFlow(ctx, id).statusAtMs, nowMs - (nowMs % 1_000))
    const row = changeFlowIn(tx, ctx, id, { status, statusAtMs, syncedAtMs: nowMs }, ['status'])
    recordAudit(tx, ctx, { action, resourceType: 'flow', resourceId: id, resourceName: row.name })
    return flowView(row)
  })
}
