import { ConflictError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import type { FlowView } from './model'
import { flowCallOf, withLock } from './lock'
import { PUBLISHED_STATUSES } from './state'
import { confirmAtPlatform, storeStatus } from './change-status'

/**
 * Deprecates a published Flow, so that it can no longer be sent. Throws NotFoundError,
 * ConflictError `wrong_state` and `flow_busy`, InvalidError and UnavailableError.
 */
export const deprecateFlow = (ctx: Ctx, id: string): Promise<FlowView> =>
  withLock(
    ctx,
    id,
    ({ row }) => {
      if (!PUBLISHED_STATUSES.has(row.status))
        throw new ConflictError(
          `Only published flows can be deprecated. The status of this flow is ${row.status}.`,
          { code: 'wrong_state' },
        )
    },
    async (turn) => {
      const rejected = 'The platform rejected the request to deprecate this flow.'
      await confirmAtPlatform(ctx, turn, {
        act: ctx.platform.deprecateFlow(flowCallOf(ctx, turn)),
        wanted: 'DEPRECATED',
        rejected,
      })
      return storeStatus(ctx, turn.row, 'DEPRECATED', 'deprecated')
    },
  )
