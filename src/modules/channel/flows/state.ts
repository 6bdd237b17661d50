import { and, eq, isNull, ne, type SQL } from 'drizzle-orm'

import { isUuid } from '../../../lib/ids'
import { ConflictError, NotFoundError } from '../../../lib/errors'
import { foldText } from '../../../lib/fold-text'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { FlowChanged } from './events'
import { flows } from './table'
import type { FlowRow } from './view'

const find = (
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  condition: SQL | undefined,
): FlowRow | null =>
  ctx.db.orm
    .select()
    .from(flows)
    .where(inOrganization(ctx, flows, condition))
    .get() ?? null

/** Returns the Flow, deleted or not, or `null`. */
export const findFlow = (ctx: Pick<ReadCtx, 'db' | 'organizationId'>, id: string): FlowRow | null =>
  isUuid(id) ? find(ctx, eq(flows.id, id)) : null

/** Returns the Flow with this platform ID, deleted or not, or `null`. */
export const findFlowByMetaId = (
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  metaFlowId: string,
): FlowRow | null => find(ctx, eq(flows.metaFlowId, metaFlowId))

/** Returns the Flow. Throws NotFoundError, also for a deleted one. */
export function requireFlow(ctx: Pick<ReadCtx, 'db' | 'organizationId'>, id: string): FlowRow {
  const row = findFlow(ctx, id)
  if (!row || row.deletedAtMs !== null) throw new NotFoundError('Flow')
  return row
}

/** Updates a Flow in the caller's transaction and emits an event with the changed fields. */
export function changeFlowIn(
  tx: Tx,
  ctx: Ctx,
  id: string,
  set: Partial<FlowRow>,
  changed: string[],
): FlowRow {
  const row = tx
    .update(flows)
    .set({ ...set, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, flows, eq(flows.id, id)))
    .returning()
    .get()
  if (!row) throw new NotFoundError('Flow')
  if (changed.length > 0) emitFlowChangedIn(tx, ctx, id, changed)
  return row
}

/** Emits the event that a Flow changed, in the caller's transaction. */
export const emitFlowChangedIn = (tx: Tx, ctx: Ctx, flowId: string, changed: string[]): void =>
  emit(tx, ctx, FlowChanged, { contactId: null, payload: { flowId, changed } })

/** Throws ConflictError `name_taken` if another Flow of the phone number has this name. */
export function requireUniqueName(
  ctx: Ctx,
  at: { accountId: string; name: string },
  except: string | null,
): void {
  const taken = find(
    ctx,
    and(
      eq(flows.accountId, at.accountId),
      eq(flows.nameKey, foldText(at.name)),
      isNull(flows.deletedAtMs),
      except === null ? undefined : ne(flows.id, except),
    ),
  )
  if (taken)
    throw new ConflictError('A flow with this name already exists.', {
      code: 'name_taken',
      errors: [{ path: 'body.name', message: 'is already in use' }],
      details: { flow_id: taken.id },
    })
}

/** Statuses of a published Flow that is not deprecated. */
export const PUBLISHED_STATUSES: ReadonlySet<FlowRow['status']> = new Set([
  'PUBLISHED',
  'BLOCKED',
  'THROTTLED',
])
