import { and, asc, eq, gt, inArray, isNull, notInArray, type SQL } from 'drizzle-orm'

import { ConflictError, NotFoundError } from '../../../lib/errors'
import { compiledUpdate } from '../../../infra/db/compiled-update'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { compiled, place } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import type { SendError } from '../../inbox/messages/outbound/delivery-state'
import type { CampaignStatus } from './rules'
import { campaignCounts, campaignRecipients, campaigns, campaignSends } from './table'
import type { CampaignRow, CountsRow, RecipientRow } from './view'

/** Joins a recipient with the send of its current attempt. */
export const isCurrentSend = and(
  eq(campaignSends.organizationId, campaignRecipients.organizationId),
  eq(campaignSends.campaignId, campaignRecipients.campaignId),
  eq(campaignSends.recipientId, campaignRecipients.id),
  eq(campaignSends.attempt, campaignRecipients.attempt),
)

type Scope = Pick<ReadCtx, 'db' | 'organizationId'>

/** The campaign with the placeholder `id`, if it is not deleted. */
const hasGivenId = inOrganization(
  anyScope,
  campaigns,
  and(eq(campaigns.id, place(campaigns.id, 'id')), isNull(campaigns.deletedAtMs)),
)

const byId = compiled((orm) => orm.select().from(campaigns).where(hasGivenId).prepare())

/** Returns a campaign that is not deleted, or `null`. */
export const findCampaign = (scope: Scope, id: string): CampaignRow | null =>
  byId(scope.db).get({ organizationId: scope.organizationId, id }) ?? null

/** The columns of a campaign that every change of a recipient looks at. */
export type CampaignProgress = Pick<
  CampaignRow,
  'id' | 'status' | 'isPlanned' | 'publishedAtMs' | 'isPublishDue'
>

const progressById = compiled((orm) =>
  orm
    .select({
      id: campaigns.id,
      status: campaigns.status,
      isPlanned: campaigns.isPlanned,
      publishedAtMs: campaigns.publishedAtMs,
      isPublishDue: campaigns.isPublishDue,
    })
    .from(campaigns)
    .where(hasGivenId)
    .prepare(),
)

/** Returns the progress of a campaign that is not deleted, or `null`. Much cheaper than the row. */
export const findProgress = (scope: Scope, id: string): CampaignProgress | null =>
  progressById(scope.db).get({ organizationId: scope.organizationId, id }) ?? null

/** Returns a campaign, deleted or not, or `null`. */
export const findAnyCampaign = (scope: Scope, id: string): CampaignRow | null =>
  scope.db.orm
    .select()
    .from(campaigns)
    .where(inOrganization(scope, campaigns, eq(campaigns.id, id)))
    .get() ?? null

/** Returns a campaign that is not deleted. Throws NotFoundError. */
export function getCampaignRow(scope: Scope, id: string): CampaignRow {
  const row = findCampaign(scope, id)
  if (!row) throw new NotFoundError('Campaign')
  return row
}

const countsById = compiled((orm) =>
  orm
    .select()
    .from(campaignCounts)
    .where(
      inOrganization(
        anyScope,
        campaignCounts,
        eq(campaignCounts.campaignId, place(campaignCounts.campaignId, 'campaignId')),
      ),
    )
    .prepare(),
)

/**
 * Returns the counters of a campaign. Throws if they are missing; each campaign is created with
 * them.
 */
export function countsOf(scope: Scope, campaignId: string): CountsRow {
  const row = countsById(scope.db).get({ organizationId: scope.organizationId, campaignId })
  if (!row) throw new Error('campaign counters missing')
  return row
}

/** Updates fields of a campaign. Runs inside the caller's transaction. */
export function changeCampaignIn(
  tx: Tx,
  ctx: Ctx,
  id: string,
  set: Partial<CampaignRow>,
): CampaignRow {
  return tx
    .update(campaigns)
    .set({ ...set, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, campaigns, eq(campaigns.id, id)))
    .returning()
    .get()
}

/**
 * Notes what was published of a campaign, which is no change of it. Runs inside the caller's
 * transaction.
 */
export function notePublishedIn(
  tx: Tx,
  ctx: Ctx,
  id: string,
  set: Pick<CampaignRow, 'isPublishDue'> & Partial<Pick<CampaignRow, 'publishedAtMs'>>,
): void {
  tx.update(campaigns)
    .set(set)
    .where(inOrganization(ctx, campaigns, eq(campaigns.id, id)))
    .run()
}

/** Returns the error for an action that the current state does not allow. */
export const wrongState = (row: Pick<CampaignRow, 'status'>): ConflictError =>
  new ConflictError(`The campaign is ${row.status}, which does not allow this action.`, {
    code: 'wrong_state',
    details: { status: row.status },
  })

/**
 * Changes the state of a campaign with a conditional update. Returns `null` if the campaign is in
 * none of the states in `from`, for example because another request was first. Runs inside the
 * caller's transaction.
 */
export function changeStateIn(
  tx: Tx,
  ctx: Ctx,
  id: string,
  step: { from: readonly CampaignStatus[]; set: Partial<CampaignRow> & { status: CampaignStatus } },
): CampaignRow | null {
  return (
    tx
      .update(campaigns)
      .set({ pauseReason: null, resumesAtMs: null, ...step.set, updatedAtMs: ctx.clock.nowMs() })
      .where(
        inOrganization(
          ctx,
          campaigns,
          and(
            eq(campaigns.id, id),
            isNull(campaigns.deletedAtMs),
            inArray(campaigns.status, [...step.from]),
          ),
        ),
      )
      .returning()
      .get() ?? null
  )
}

const changeRecipient = compiledUpdate(
  campaignRecipients,
  inOrganization(
    anyScope,
    campaignRecipients,
    and(
      eq(campaignRecipients.campaignId, place(campaignRecipients.campaignId, 'campaignId')),
      eq(campaignRecipients.id, place(campaignRecipients.id, 'id')),
    ),
  ),
)

/**
 * Updates fields of a recipient; triggers update the counters. Runs inside the caller's
 * transaction.
 */
export function changeRecipientIn(
  tx: Tx,
  ctx: Ctx,
  row: Pick<RecipientRow, 'campaignId' | 'id'>,
  set: Partial<RecipientRow>,
): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  const key = { organizationId: ctx.organizationId, campaignId: row.campaignId, id: row.id }
  changeRecipient(ctx.db, key, { ...set, updatedAtMs: ctx.clock.nowMs() })
}

/** Marks a recipient as failed before a message exists. Runs inside the caller's transaction. */
export function failRecipientIn(
  tx: Tx,
  ctx: Ctx,
  row: Pick<RecipientRow, 'campaignId' | 'id'>,
  error: SendError,
): void {
  const nowMs = ctx.clock.nowMs()
  changeRecipientIn(tx, ctx, row, {
    status: 'failed',
    error: JSON.stringify(error),
    errorCode: error.code,
    failedAtMs: nowMs,
    finishedAtMs: nowMs,
  })
}

/** Returns the recipient of a campaign with this identity, or `null`. */
export const findRecipient = (
  scope: Scope,
  { campaignId, identity }: Pick<RecipientRow, 'campaignId' | 'identity'>,
): RecipientRow | null =>
  scope.db.orm
    .select()
    .from(campaignRecipients)
    .where(
      inOrganization(
        scope,
        campaignRecipients,
        and(
          eq(campaignRecipients.campaignId, campaignId),
          eq(campaignRecipients.identity, identity),
        ),
      ),
    )
    .get() ?? null

interface RecipientsAfter {
  campaignId: string
  /** ID of the last recipient of the page before; empty for the first page. */
  after: string
  limit: number
}

/** Returns pending recipients of a campaign in the order of their IDs. */
export const pendingRecipients = (scope: Scope, at: RecipientsAfter): RecipientRow[] =>
  recipientsAfter(scope, at, eq(campaignRecipients.status, 'pending'))

/** Returns recipients that are neither skipped nor cancelled, in the order of their IDs. */
export const activeRecipients = (scope: Scope, at: RecipientsAfter): RecipientRow[] =>
  recipientsAfter(scope, at, notInArray(campaignRecipients.status, ['skipped', 'cancelled']))

const recipientsAfter = (scope: Scope, at: RecipientsAfter, condition: SQL): RecipientRow[] =>
  scope.db.orm
    .select()
    .from(campaignRecipients)
    .where(
      inOrganization(
        scope,
        campaignRecipients,
        and(
          eq(campaignRecipients.campaignId, at.campaignId),
          condition,
          gt(campaignRecipients.id, at.after),
        ),
      ),
    )
    .orderBy(asc(campaignRecipients.id))
    .limit(at.limit)
    .all()
