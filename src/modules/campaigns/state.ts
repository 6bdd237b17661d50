import { and, asc, eq, gt, inArray, isNull, sql } from 'drizzle-orm'

import { ConflictError, NotFoundError } from '../../lib/errors'
import { compiledUpdate } from '../../infra/db/compiled-update'
import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import type { Tx } from '../../infra/db/transact'
import type { SendError } from '../messages/outbound/delivery-state'
import type { CampaignStatus } from './rules'
import { campaignCounts, campaignRecipients, campaigns, campaignSends } from './table'
import type { CampaignRow, CountsRow, RecipientRow } from './view'

/** How a recipient and the send of its present attempt find each other. */
export const isPresentSend = and(
  eq(campaignSends.organizationId, campaignRecipients.organizationId),
  eq(campaignSends.campaignId, campaignRecipients.campaignId),
  eq(campaignSends.recipientId, campaignRecipients.id),
  eq(campaignSends.attempt, campaignRecipients.attempt),
)

type Scope = Pick<Ctx, 'db' | 'organizationId'>

const byId = compiled((orm) =>
  orm
    .select()
    .from(campaigns)
    .where(
      inOrganization(
        anyScope,
        campaigns,
        and(eq(campaigns.id, sql.placeholder('id')), isNull(campaigns.deletedAtMs)),
      ),
    )
    .prepare(),
)

/** The campaign with this id; `null` when there is none. */
export const findCampaign = (scope: Scope, id: string): CampaignRow | null =>
  byId(scope.db).get({ organizationId: scope.organizationId, id }) ?? null

/** The campaign with this id, also one that was deleted; `null` when there is none. */
export const findAnyCampaign = (scope: Scope, id: string): CampaignRow | null =>
  scope.db.orm
    .select()
    .from(campaigns)
    .where(inOrganization(scope, campaigns, eq(campaigns.id, id)))
    .get() ?? null

/** The campaign with this id. Throws NotFoundError. */
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
        eq(campaignCounts.campaignId, sql.placeholder('campaignId')),
      ),
    )
    .prepare(),
)

/**
 * How many recipients of a campaign are in which state. Throws when the campaign has no row of
 * counts, which each gets with its own.
 */
export function countsOf(scope: Scope, campaignId: string): CountsRow {
  const row = countsById(scope.db).get({ organizationId: scope.organizationId, campaignId })
  if (!row) throw new Error('campaign counters missing')
  return row
}

/** Writes fields of a campaign, in the caller's transaction. */
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

/** The refusal of what a campaign cannot do in its present state. */
export const wrongState = (row: Pick<CampaignRow, 'status'>): ConflictError =>
  new ConflictError(`The campaign is ${row.status}, which does not allow this action.`, {
    code: 'wrong_state',
    details: { status: row.status },
  })

/**
 * Takes a campaign to another state, in the caller's transaction: one conditional update, so of two
 * who try at once one loses. `null` when it is in none of the states `from`.
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
      eq(campaignRecipients.campaignId, sql.placeholder('campaignId')),
      eq(campaignRecipients.id, sql.placeholder('id')),
    ),
  ),
)

/** Writes fields of a recipient, in the caller's transaction; the counts follow by themselves. */
export function changeRecipientIn(
  tx: Tx,
  ctx: Ctx,
  row: Pick<RecipientRow, 'campaignId' | 'id'>,
  set: Partial<RecipientRow>,
): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  const place = { organizationId: ctx.organizationId, campaignId: row.campaignId, id: row.id }
  changeRecipient(ctx.db, place, { ...set, updatedAtMs: ctx.clock.nowMs() })
}

/** A recipient fails before there is a message, in the caller's transaction. */
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

/** The recipient of a campaign who goes by an identity; `null` when it has none. */
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

/**
 * The next recipients of a campaign that wait for their message, in the order of their ids, beyond
 * one of these.
 */
export const waitingRecipients = (
  scope: Scope,
  at: { campaignId: string; after: string; most: number },
): RecipientRow[] =>
  scope.db.orm
    .select()
    .from(campaignRecipients)
    .where(
      inOrganization(
        scope,
        campaignRecipients,
        and(
          eq(campaignRecipients.campaignId, at.campaignId),
          eq(campaignRecipients.status, 'pending'),
          gt(campaignRecipients.id, at.after),
        ),
      ),
    )
    .orderBy(asc(campaignRecipients.id))
    .limit(at.most)
    .all()
