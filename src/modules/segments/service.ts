import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../lib/clock'
import { foldText } from '../../lib/fold-text'
import { ConflictError, ForbiddenError, NotFoundError } from '../../lib/errors'
import type { Page } from '../../lib/page'
import { throwProblems } from '../../lib/input-problems'
import { hasPermission, inOrganization, type Ctx } from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import { readNumbered } from '../../infra/offset-pagination'
import { holdsText } from '../../infra/search-keys'
import { requireUnique } from '../../infra/require-unique'
import { differences, recordAudit } from '../audit/record'
import { campaigns } from '../campaigns/table'
import { contactsWhere } from '../contacts/filters'
import { firstContacts } from '../contacts/queries'
import { countAllContacts, sumOverContacts } from '../contacts/scan'
import { boundedSegmentCondition, usableSegments } from '../contacts/segment-filter'
import { contacts } from '../contacts/table'
import { seesAll } from '../contacts/visibility'
import type { NewSegment, SegmentChanges, SegmentPreview, SegmentView } from './model'
import { segments } from './table'

type SegmentRow = typeof segments.$inferSelect

/** Contacts a preview shows. */
const SAMPLE = 10

/** The segments the caller may use, shared ones and its own, by name. */
export function listSegments(
  ctx: Ctx,
  query: { page: number; limit: number; search?: string | undefined },
): Page<SegmentView> {
  return readNumbered(ctx, query, {
    table: segments,
    filter: inOrganization(
      ctx,
      segments,
      usableSegments(ctx),
      query.search === undefined ? undefined : holdsText(segments.nameKey, query.search),
    ),
    order: [asc(segments.nameKey), asc(segments.id)],
    views: (rows) => rows.map((row) => segmentView(ctx, row)),
  })
}

/** A segment the caller may use. Throws NotFoundError. */
export const getSegment = (ctx: Ctx, id: string): SegmentView =>
  segmentView(ctx, usableRow(ctx, id))

function usableRow(ctx: Ctx, id: string): SegmentRow {
  const row = ctx.db.orm
    .select()
    .from(segments)
    .where(inOrganization(ctx, segments, usableSegments(ctx), eq(segments.id, id)))
    .get()
  if (!row) throw new NotFoundError('Segment')
  return row
}

/**
 * Saves a filter. Throws ForbiddenError for a shared one without contacts:update, InvalidError for
 * a bad filter, ConflictError `name_taken`.
 */
export async function createSegment(ctx: Ctx, input: NewSegment): Promise<SegmentView> {
  const isShared = input.shared ?? false
  if (isShared) requireSharing(ctx)
  const name = nameOf(input.name)
  const place = { name, isShared, createdBy: ctx.actor.userId ?? '', except: null }
  refuseTakenName(ctx, place)
  const lastCount = await countOf(ctx, input.filter)
  return transact(ctx.db, (tx) => {
    refuseTakenName(ctx, place)
    const nowMs = ctx.clock.nowMs()
    const row = tx
      .insert(segments)
      .values({
        organizationId: ctx.organizationId,
        id: ctx.ids.next(),
        name,
        nameKey: foldText(name),
        description: input.description ?? null,
        filter: JSON.stringify(input.filter),
        isShared,
        createdBy: ctx.actor.userId ?? '',
        lastCount,
        lastCountedAtMs: nowMs,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      })
      .returning()
      .get()
    recordAudit(tx, ctx, {
      action: 'created',
      resourceType: 'segment',
      resourceId: row.id,
      resourceName: row.name,
    })
    return segmentView(ctx, row)
  })
}

/** Changes a segment. Throws as creating does, and NotFoundError. */
export async function updateSegment(
  ctx: Ctx,
  id: string,
  changes: SegmentChanges,
): Promise<SegmentView> {
  if (usableRow(ctx, id).isShared || changes.shared === true) requireSharing(ctx)
  const lastCount = changes.filter === undefined ? null : await countOf(ctx, changes.filter)
  return transact(ctx.db, (tx) => {
    const before = usableRow(ctx, id)
    const isShared = changes.shared ?? before.isShared
    if (isShared || before.isShared) requireSharing(ctx)
    const name = changes.name === undefined ? before.name : nameOf(changes.name)
    refuseTakenName(ctx, { name, isShared, createdBy: before.createdBy, except: id })
    const nowMs = ctx.clock.nowMs()
    const row = tx
      .update(segments)
      .set({
        name,
        nameKey: foldText(name),
        isShared,
        ...(changes.description === undefined ? {} : { description: changes.description }),
        ...(lastCount === null
          ? {}
          : { filter: JSON.stringify(changes.filter), lastCount, lastCountedAtMs: nowMs }),
        updatedAtMs: nowMs,
      })
      .where(inOrganization(ctx, segments, eq(segments.id, id)))
      .returning()
      .get()
    const [was, is] = [segmentView(ctx, before), segmentView(ctx, row)]
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'segment',
      resourceId: id,
      resourceName: name,
      changes: differences(was, is),
    })
    return is
  })
}

/** Refuses to delete the audience of a campaign under way. Throws ConflictError `in_use`. */
function refuseWhileCampaignRuns(ctx: Ctx, id: string): void {
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
    const row = usableRow(ctx, id)
    if (row.isShared) requireSharing(ctx)
    refuseWhileCampaignRuns(ctx, id)
    tx.delete(segments)
      .where(inOrganization(ctx, segments, eq(segments.id, id)))
      .run()
    recordAudit(tx, ctx, {
      action: 'deleted',
      resourceType: 'segment',
      resourceId: id,
      resourceName: row.name,
    })
  })
}

function requireSharing(ctx: Ctx): void {
  if (!hasPermission(ctx.actor, 'contacts:update'))
    throw new ForbiddenError('This requires the permission `contacts:update`.', {
      code: 'permission_denied',
    })
}

function nameOf(written: string): string {
  const name = written.trim()
  throwProblems(name === '' ? [{ path: 'body.name', message: 'must not be blank' }] : [])
  return name
}

/** Names differ among the shared segments, and among those of one person. */
function refuseTakenName(
  ctx: Ctx,
  at: { name: string; isShared: boolean; createdBy: string; except: string | null },
): void {
  requireUnique(ctx, {
    table: segments,
    thing: 'segment',
    field: 'name',
    where: and(
      eq(segments.nameKey, foldText(at.name)),
      eq(segments.isShared, at.isShared),
      at.isShared ? undefined : eq(segments.createdBy, at.createdBy),
    ),
    except: at.except,
    isTold: at.isShared || at.createdBy === ctx.actor.userId,
  })
}

/**
 * What a filter finds among the contacts the caller sees. Throws InvalidError for a bad filter, and
 * `segment_too_expensive`.
 */
export async function previewSegment(ctx: Ctx, filter: unknown): Promise<SegmentPreview> {
  const condition = boundedSegmentCondition(ctx, filter)
  const counted = await sumOverContacts(ctx, contactsWhere(ctx, { condition }), {
    opted_out: sql`(${contacts.marketingConsent} = 'opted_out')`,
    blocked: sql`(${contacts.blockedAtMs} is not null)`,
    no_phone: sql`(coalesce(${contacts.waId}, ${contacts.phoneNumber}) is null)`,
  })
  const { rows, ...excluded } = counted
  return { count: rows, sample: await firstContacts(ctx, { condition }, SAMPLE), excluded }
}

/**
 * How many contacts of the organization fit a filter. Throws InvalidError for a bad filter, and
 * `segment_too_expensive`.
 */
async function countOf(ctx: Ctx, filter: unknown): Promise<number> {
  const found = inOrganization(
    ctx,
    contacts,
    isNull(contacts.deletedAtMs),
    boundedSegmentCondition(ctx, filter),
  )
  return await countAllContacts(ctx, found)
}

const segmentView = (ctx: Ctx, row: SegmentRow): SegmentView => ({
  id: row.id,
  name: row.name,
  description: row.description,
  filter: JSON.parse(row.filter) as Record<string, unknown>,
  shared: row.isShared,
  created_by: row.createdBy === '' ? null : row.createdBy,
  last_count: seesAll(ctx.actor) ? row.lastCount : null,
  last_counted_at: seesAll(ctx.actor) ? isoTimeOrNull(row.lastCountedAtMs) : null,
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})
