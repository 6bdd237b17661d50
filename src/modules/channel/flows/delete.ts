import { and, isNull, ne, sql } from 'drizzle-orm'

import { ConflictError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { PlatformError } from '../../../platform/client/errors'
import { platformErrorOf } from '../accounts/platform-errors'
import { recordAudit } from '../../organization/audit/record'
import { cannedResponses } from '../../inbox/canned-responses/table'
import { templates } from '../templates/table'
import { emitFlowChangedIn, changeFlowIn, requireFlow, PUBLISHED_STATUSES } from './state'
import { flowCallOf, withLock } from './lock'
import type { FlowRow } from './view'

/**
 * Deletes a Flow; a draft is first deleted at the platform. Throws NotFoundError, ConflictError
 * `published`, `in_use` and `flow_busy`, InvalidError `platform_rejected` and UnavailableError.
 */
export async function deleteFlow(ctx: Ctx, id: string): Promise<void> {
  const { status, metaFlowId } = requireFlow(ctx, id)
  if (status !== 'DRAFT' || metaFlowId === null)
    return transact(ctx.db, (tx) => deleteFlowIn(tx, ctx, id))
  await withLock(
    ctx,
    id,
    ({ row }) => requireUnused(ctx, row),
    async (turn) => {
      const rejected = 'The platform rejected the request to delete this flow.'
      try {
        await ctx.platform.deleteFlow(flowCallOf(ctx, turn))
      } catch (error) {
        if (!isMissingAtPlatform(error)) throw platformErrorOf(error, { rejected })
      }
      transact(ctx.db, (tx) => deleteFlowIn(tx, ctx, id))
    },
  )
}

/** Reports whether the platform answered that it does not have the Flow. */
const isMissingAtPlatform = (error: unknown): boolean =>
  error instanceof PlatformError && error.platformCode === 100 && error.subcode === 33

function requireUnused(ctx: Ctx, row: FlowRow): void {
  if (PUBLISHED_STATUSES.has(row.status))
    throw new ConflictError('This flow is published. Deprecate it first.', { code: 'published' })
  const user = findReference(ctx, row.id)
  if (user)
    throw new ConflictError(`The flow is used by "${user.name}". Remove it there first.`, {
      code: 'in_use',
      details: { used_by: user },
    })
}

/** Returns a template or canned response that refers to the Flow, or `null`. */
function findReference(ctx: Ctx, id: string): { kind: string; id: string; name: string } | null {
  const template = ctx.db.orm
    .select({ id: templates.id, name: templates.name })
    .from(templates)
    .where(
      inOrganization(
        ctx,
        templates,
        and(
          isNull(templates.deletedAtMs),
          ne(templates.status, 'DELETED'),
          sql`instr(${templates.components}, ${id}) > 0`,
        ),
      ),
    )
    .limit(1)
    .get()
  if (template) return { kind: 'template', ...template }
  const answer = ctx.db.orm
    .select({ id: cannedResponses.id, name: cannedResponses.name })
    .from(cannedResponses)
    .where(inOrganization(ctx, cannedResponses, sql`instr(${cannedResponses.buttons}, ${id}) > 0`))
    .limit(1)
    .get()
  return answer ? { kind: 'canned_response', ...answer } : null
}

/**
 * Marks a Flow as deleted in the caller's transaction. Its sent messages and responses are kept.
 */
function deleteFlowIn(tx: Tx, ctx: Ctx, id: string): void {
  const row = requireFlow(ctx, id)
  requireUnused(ctx, row)
  changeFlowIn(
    tx,
    ctx,
    id,
    {
      deletedAtMs: ctx.clock.nowMs(),
      // The platform keeps a deprecated Flow: its ID prevents the next sync from restoring it.
      metaFlowId: row.status === 'DRAFT' ? null : row.metaFlowId,
      endpointSecretSealed: null,
      endpointHeadersSealed: null,
    },
    [],
  )
  emitFlowChangedIn(tx, ctx, id, ['deleted'])
  recordAudit(tx, ctx, {
    action: 'deleted',
    resourceType: 'flow',
    resourceId: id,
    resourceName: row.name,
  })
}
