import { and, count, desc, eq, inArray, sql } from 'drizzle-orm'

import { AppError, ConflictError, NotFoundError } from '../../../lib/errors'
import { numberedPage, type Page } from '../../../lib/page'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import { advanceWorkIn } from '../../organization/notifications/work/note'
import { isOnLegalHold } from '../../organization/organizations/retention/service'
import { idsOfPerson } from '../../inbox/contacts/erase/erase'
import {
  ERASED_PLACES,
  privacyRequestView,
  type PrivacyRequestView,
  type PrivacyRow,
} from './model'
import { privacyRequests } from './table'

/** Counts of erased or exported items by place. */
export type PrivacyCounts = Record<string, number>

/**
 * Rejects an erasure while the organization is on legal hold. Throws ConflictError `legal_hold`.
 */
export function refuseOnLegalHold(ctx: Ctx): void {
  if (isOnLegalHold(ctx))
    throw new ConflictError('Data cannot be erased while the organization is on legal hold.', {
      code: 'legal_hold',
    })
}

/**
 * Creates a privacy request in the transaction that starts its work. Throws ConflictError
 * `request_open` while another request for this contact, or one merged into it, is running.
 */
export function openRequestIn(
  tx: Tx,
  ctx: Ctx,
  what: { kind: PrivacyRow['kind']; contactId: string; reason: string | null; parts: number },
): PrivacyRow {
  const isOpen = tx
    .select({ id: privacyRequests.id })
    .from(privacyRequests)
    .where(
      inOrganization(
        ctx,
        privacyRequests,
        and(
          inArray(privacyRequests.contactId, idsOfPerson(ctx, what.contactId)),
          eq(privacyRequests.state, 'running'),
        ),
      ),
    )
    .get()
  if (isOpen)
    throw new ConflictError('A privacy request for this contact is already in progress.', {
      code: 'request_open',
    })
  return tx
    .insert(privacyRequests)
    .values({
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      kind: what.kind,
      state: 'running',
      contactId: what.contactId,
      reason: what.reason,
      requestedBy: ctx.actor.userId,
      counts: JSON.stringify(
        what.kind === 'erase' ? Object.fromEntries(ERASED_PLACES.map((place) => [place, 0])) : {},
      ),
      partsLeft: what.parts,
      createdAtMs: ctx.clock.nowMs(),
    })
    .returning()
    .get()
}

const runningErasure = compiled((orm) =>
  orm
    .select({ id: privacyRequests.id })
    .from(privacyRequests)
    .where(
      inOrganization(
        anyScope,
        privacyRequests,
        and(eq(privacyRequests.state, sql`'running'`), eq(privacyRequests.kind, 'erase')),
      ),
    )
    .limit(1)
    .prepare(),
)

/**
 * Reports whether an erasure of this organization is still running, so that some stored data about
 * the person may remain.
 */
export const isErasing = ({ db, organizationId }: Pick<Ctx, 'db' | 'organizationId'>): boolean =>
  runningErasure(db).get({ organizationId }) !== undefined

const erasures = compiled((orm) =>
  orm
    .select({ id: privacyRequests.id })
    .from(privacyRequests)
    .where(inOrganization(anyScope, privacyRequests, eq(privacyRequests.kind, 'erase')))
    .orderBy(desc(privacyRequests.createdAtMs), desc(privacyRequests.id))
    .limit(1)
    .prepare(),
)

/**
 * Returns the ID of the organization's newest erasure, or an empty string. A file begun before that
 * erasure may contain the erased person.
 */
export const newestErasure = ({ db, organizationId }: Pick<Ctx, 'db' | 'organizationId'>): string =>
  erasures(db).get({ organizationId })?.id ?? ''

/** Adds to the counts of a receipt. Runs inside the transaction that erases the items. */
export function countErasedIn(tx: Tx, ctx: Ctx, requestId: string, erased: PrivacyCounts): void {
  const row = findRequest(ctx, requestId)
  if (!row) return
  const counts = JSON.parse(row.counts) as PrivacyCounts
  for (const [place, number] of Object.entries(erased))
    counts[place] = (counts[place] ?? 0) + number
  changeRequestIn(tx, ctx, requestId, { counts: JSON.stringify(counts) })
  advanceWorkIn(tx, ctx, requestId, { done: sumOf(counts) })
}

/** Returns how many items were erased or exported, of all places. */
export const sumOf = (counts: PrivacyCounts): number =>
  Object.values(counts).reduce((sum, number) => sum + number, 0)

/** Updates a privacy request. Runs inside the caller's transaction. */
export function changeRequestIn(tx: Tx, ctx: Ctx, id: string, changes: Partial<PrivacyRow>): void {
  tx.update(privacyRequests)
    .set(changes)
    .where(inOrganization(ctx, privacyRequests, eq(privacyRequests.id, id)))
    .run()
}

/** Returns the privacy request with this ID, or `undefined`. */
export const findRequest = (ctx: Ctx, id: string): PrivacyRow | undefined =>
  ctx.db.orm
    .select()
    .from(privacyRequests)
    .where(inOrganization(ctx, privacyRequests, eq(privacyRequests.id, id)))
    .get()

/** Returns one privacy request. Throws NotFoundError. */
export function getRequest(ctx: Ctx, id: string): PrivacyRow {
  const row = findRequest(ctx, id)
  if (!row) throw new NotFoundError('Request')
  return row
}

/** Lists privacy requests, newest first. */
export function listRequests(
  ctx: Ctx,
  {
    kind,
    state,
    contactId,
    page,
    limit,
  }: {
    kind?: PrivacyRow['kind'] | undefined
    state?: PrivacyRow['state'] | undefined
    contactId?: string | undefined
    page: number
    limit: number
  },
): Page<PrivacyRequestView> {
  const wanted = inOrganization(
    ctx,
    privacyRequests,
    and(
      kind === undefined ? undefined : eq(privacyRequests.kind, kind),
      state === undefined ? undefined : eq(privacyRequests.state, state),
      contactId === undefined ? undefined : eq(privacyRequests.contactId, contactId),
    ),
  )
  const rows = ctx.db.orm
    .select()
    .from(privacyRequests)
    .where(wanted)
    .orderBy(desc(privacyRequests.createdAtMs), desc(privacyRequests.id))
    .limit(limit)
    .offset((page - 1) * limit)
    .all()
  const total =
    ctx.db.orm.select({ rows: count() }).from(privacyRequests).where(wanted).get()?.rows ?? 0
  return numberedPage(rows.map(privacyRequestView), total, { page, limit })
}

/**
 * Returns the file of a privacy export. Throws NotFoundError, ConflictError `unfinished`, and
 * AppError 404 `expired`.
 */
export async function fileOfRequest(
  ctx: Ctx,
  id: string,
): Promise<{ path: string; sizeBytes: number; etag: string; filename: string }> {
  const row = getRequest(ctx, id)
  if (row.kind !== 'export') throw new NotFoundError('File')
  if (row.state === 'running' || row.state === 'failed')
    throw new ConflictError(
      row.state === 'running'
        ? 'The export is not finished yet. Try again shortly.'
        : 'The export failed. Start a new one.',
      {
        code: 'unfinished',
      },
    )
  const isOver = (row.expiresAtMs ?? 0) <= ctx.clock.nowMs()
  if (row.storedAs === null || isOver || !(await ctx.files.has(row.storedAs)))
    throw new AppError(404, 'The file has been deleted.', { code: 'expired' })
  return {
    path: ctx.files.pathOf(row.storedAs),
    sizeBytes: row.bytes ?? 0,
    etag: `"${row.id}"`,
    filename: `privacy-export-${row.id}.zip`,
  }
}

/** Whether a privacy request of the organization is running. */
export const hasOpenRequests = (ctx: Pick<Ctx, 'db' | 'organizationId'>): boolean =>
  ctx.db.orm
    .select({ id: privacyRequests.id })
    .from(privacyRequests)
    .where(inOrganization(ctx, privacyRequests, eq(privacyRequests.state, 'running')))
    .limit(1)
    .get() !== undefined
