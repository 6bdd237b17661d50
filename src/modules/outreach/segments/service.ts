import { inArray, isNull, sql } from 'drizzle-orm'

import { ConflictError, ForbiddenError } from '../../../lib/errors'
import { foldText } from '../../../lib/fold-text'
import { throwProblems } from '../../../lib/input-problems'
import { hasPermission, inOrganization, type Ctx } from '../../../infra/ctx'
import { NIL_UUID } from '../../../infra/db/uuid'
import { transact } from '../../../infra/db/transact'
import { requireUnique } from '../../../infra/require-unique'
import { collection } from '../../organization/audit/collection'
import { campaigns } from '../campaigns/table'
import type { NewSegment, SegmentChanges, SegmentView } from './model'
import { CountMatches } from './readers'
import { segmentView, getUsableSegment } from './queries'
import { segments } from './table'

const changed = collection({
  table: segments,
  name: 'Segment',
  resourceType: 'segment',
  recorded: ({ name, description, filter, isShared }) => ({
    name,
    description,
    filter,
    shared: isShared,
  }),
})

/**
 * Creates a segment. Throws ForbiddenError for a shared one without contacts:update, InvalidError
 * for an invalid filter, and ConflictError `name_taken`.
 */
export async function createSegment(ctx: Ctx, input: NewSegment): Promise<SegmentView> {
  const isShared = input.shared ?? false
  if (isShared) requireSharing(ctx)
  const name = parseName(input.name)
  const key = { name, isShared, createdBy: ctx.actor.userId ?? NIL_UUID, except: null }
  requireUniqueName(ctx, key)
  const lastCount = await ctx.reads.value(CountMatches, ctx, input.filter)
  return transact(ctx.db, (tx) => {
    requireUniqueName(ctx, key)
    const row = changed.addIn(tx, ctx, {
      name,
      nameKey: foldText(name),
      description: input.description ?? null,
      filter: input.filter,
      isShared,
      createdBy: ctx.actor.userId ?? NIL_UUID,
      lastCount,
      lastCountedAtMs: ctx.clock.nowMs(),
    })
    return segmentView(ctx, row)
  })
}

/**
 * Changes the given fields of a segment. Throws NotFoundError and the errors of {@link
 * createSegment}.
 */
export async function updateSegment(
  ctx: Ctx,
  id: string,
  changes: SegmentChanges,
): Promise<SegmentView> {
  if (getUsableSegment(ctx, id).isShared || changes.shared === true) requireSharing(ctx)
  const lastCount =
    changes.filter === undefined ? null : await ctx.reads.value(CountMatches, ctx, changes.filter)
  return transact(ctx.db, (tx) => {
    const before = getUsableSegment(ctx, id)
    const isShared = changes.shared ?? before.isShared
    if (isShared || before.isShared) requireSharing(ctx)
    const name = changes.name === undefined ? before.name : parseName(changes.name)
    requireUniqueName(ctx, { name, isShared, createdBy: before.createdBy, except: id })
    const counted =
      lastCount === null
        ? {}
        : { filter: changes.filter, lastCount, lastCountedAtMs: ctx.clock.nowMs() }
    const { description } = changes
    const named = { name, nameKey: foldText(name), description, isShared }
    return segmentView(ctx, changed.changeIn(tx, ctx, before, { ...named, ...counted }))
  })
}

/**
 * Requires that no scheduled, sending or paused campaign uses the segment. Throws ConflictError
 * `in_use`.
 */
function requireUnused(ctx: Ctx, id: string): void {
  const running = ctx.db.orm
    .select({ id: campaigns.id, name: campaigns.name })
    .from(campaigns)
    .where(
      inOrganization(
        ctx,
        campaigns,
        inArray(campaigns.status, ['scheduled', 'sending', 'paused']),
        isNull(campaigns.deletedAtMs),
        sql`json_extract(${campaigns.audience}, '$.segment_id') = ${id}`,
      ),
    )
    .limit(1)
    .get()
  if (running)
    throw new ConflictError(`Campaign "${running.name}" uses this segment.`, {
      code: 'in_use',
      details: { campaign_id: running.id },
    })
}

/**
 * Deletes a segment. Throws NotFoundError, ConflictError `in_use`, and ForbiddenError for a shared
 * one without contacts:update.
 */
export function deleteSegment(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = getUsableSegment(ctx, id)
    if (row.isShared) requireSharing(ctx)
    requireUnused(ctx, id)
    changed.deleteIn(tx, ctx, row)
  })
}

function requireSharing(ctx: Ctx): void {
  if (!hasPermission(ctx.actor, 'contacts:update'))
    throw new ForbiddenError('This requires the permission `contacts:update`.', {
      code: 'permission_denied',
    })
}

function parseName(written: string): string {
  const name = written.trim()
  throwProblems(name === '' ? [{ path: 'body.name', message: 'must not be blank' }] : [])
  return name
}

/**
 * Requires a name that is unique among shared segments, or among the private segments of one user.
 */
function requireUniqueName(
  ctx: Ctx,
  at: { name: string; isShared: boolean; createdBy: string; except: string | null },
): void {
  requireUnique(ctx, {
    table: segments,
    kind: 'segment',
    field: 'name',
    where: {
      nameKey: foldText(at.name),
      isShared: at.isShared,
      ...(at.isShared ? {} : { createdBy: at.createdBy }),
    },
    except: at.except,
    revealsId: at.isShared || at.createdBy === ctx.actor.userId,
  })
}
