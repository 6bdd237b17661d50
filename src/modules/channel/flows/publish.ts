import { ConflictError, InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import type { FlowProblem } from '../../../platform/client/flow-facts'
import type { FlowView } from './model'
import { flowCallOf, withLock, flowNotSaved, type LockedFlow } from './lock'
import { confirmAtPlatform, storeStatus } from './change-status'

/**
 * Publishes a saved draft; this cannot be undone. Throws NotFoundError, ConflictError `wrong_state`
 * and `flow_busy`, InvalidError `not_saved`, `local_changes`, `validation_errors`,
 * `flow_key_missing` and `platform_rejected`, and UnavailableError.
 */
export const publishFlow = (ctx: Ctx, id: string): Promise<FlowView> =>
  withLock(ctx, id, requirePublishable, async (turn) => {
    const call = flowCallOf(ctx, turn)
    const rejected = 'The platform rejected the request to publish this flow.'
    await confirmAtPlatform(ctx, turn, {
      act: ctx.platform.publishFlow(call),
      wanted: 'PUBLISHED',
      rejected,
    })
    return storeStatus(ctx, turn.row, 'PUBLISHED', 'published')
  })

function requirePublishable({ row, account }: LockedFlow): void {
  if (row.status !== 'DRAFT')
    throw new ConflictError(
      `Only drafts can be published. The status of this flow is ${row.status}.`,
      {
        code: 'wrong_state',
      },
    )
  if (row.metaFlowId === null) throw flowNotSaved()
  if (row.hasLocalChanges)
    throw new InvalidError(
      'The flow has unsaved changes. Save it to the platform before publishing.',
      { code: 'local_changes' },
    )
  const problems = JSON.parse(row.validationErrors) as FlowProblem[]
  if (problems.length > 0 || row.definition === null) throw invalidAtPlatform(problems)
  if (row.endpointMode !== 'none' && account.flowPublicKey === null)
    throw new InvalidError(
      'Flows with an endpoint need an encryption key. Create one with `POST ' +
        '/api/accounts/{id}/flow-key`.',
      { code: 'flow_key_missing' },
    )
}

function invalidAtPlatform(problems: FlowProblem[]): InvalidError {
  const errors = problems.slice(0, 20).map(({ path, message, line_start }) => ({
    path: path === null ? 'json_definition' : `json_definition.${path}`,
    message: message ?? 'is not valid',
    ...(line_start === null ? {} : { line: line_start }),
  }))
  const message =
    problems.length === 0
      ? 'This flow has no Flow JSON yet.'
      : `The platform found ${problems.length} errors in this flow.`
  return new InvalidError(message, { code: 'validation_errors', errors })
}
