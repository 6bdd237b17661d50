import { asc, gt, inArray, type SQL } from 'drizzle-orm'

import { InvalidError } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { liveArgsOf } from '../../../../infra/jobs/live-jobs'
import { recordCampaignIn } from '../audit'
import { RetryRecipients, type CampaignRetryArgs } from '../jobs'
import type { RetryView } from './model'
import { publishCampaignIn, publishStateChangeIn } from '../results/publish'
import { STEPS } from '../rules'
import { changeCampaignIn, changeStateIn, findCampaign, getCampaignRow, wrongState } from '../state'
import { keepOpenCostsIn } from '../results/open-costs'
import { campaignRecipients } from '../table'
import type { CampaignRow } from '../view'
import { CountRetried } from './readers'
import { isSelected, type Selection } from './retried'
import { retryKeyOf } from './retry-key'
import { continueIn } from './continue'
import { requireReady } from './require-ready'

/** Recipients made pending in one transaction. */
const AT_ONCE = 500

/**
 * How often recipients are counted again because another retry of the campaign started or ended.
 */
const MAX_COUNTS = 10

/**
 * Sends a new message to recipients with a retryable error, or with one of the given codes. The
 * first 500 are pending when it returns; a job does the others. Recipients that another request
 * already retries are not counted. Throws NotFoundError, InvalidError `nothing_to_retry` and
 * ConflictError `wrong_state`.
 */
export async function retryFailed(
  ctx: Ctx,
  id: string,
  input: { codes?: string[] | undefined; include_unknown?: boolean | undefined },
): Promise<RetryView> {
  requireRetryable(getCampaignRow(ctx, id))
  const selection: Selection = {
    campaignId: id,
    codes: input.codes ?? null,
    includeUnknown: input.include_unknown ?? false,
    requestedAtMs: ctx.clock.nowMs(),
  }
  for (let counts = 1; ; counts += 1) {
    const running = runningRetries(ctx, id)
    const found = await ctx.reads.value(CountRetried, ctx, { selection, others: running })
    const view = transact(ctx.db, (tx) => {
      const isCurrent = String(runningRetries(ctx, id).map(keyOf)) === String(running.map(keyOf))
      if (!isCurrent && counts < MAX_COUNTS) return null
      return beginIn(tx, ctx, selection, found)
    })
    if (view) return view
  }
}

function requireRetryable(row: CampaignRow): void {
  if (!STEPS.retry.some((status) => status === row.status)) throw wrongState(row)
}

/** Starts a retry in the transaction that records it. */
function beginIn(tx: Tx, ctx: Ctx, selection: Selection, found: number): RetryView {
  const row = getCampaignRow(ctx, selection.campaignId)
  requireRetryable(row)
  if (found === 0)
    throw new InvalidError('No failed recipients can be retried now.', {
      code: 'nothing_to_retry',
    })
  if (row.status === 'completed') requireReady(ctx, row)
  recordCampaignIn(tx, ctx, row, 'retried')
  const next = retryBatchIn(tx, ctx, { ...selection, after: '' })
  if (next) enqueueRetryIn(tx, ctx, next)
  return { retry_count: found, status: getCampaignRow(ctx, row.id).status }
}

/** Sends to all recipients with an unknown outcome, in the caller's transaction. */
export function retryUnknownIn(tx: Tx, ctx: Ctx, campaignId: string): void {
  const selection = {
    ...{ campaignId, codes: [], includeUnknown: true },
    requestedAtMs: ctx.clock.nowMs(),
  }
  const next = retryBatchIn(tx, ctx, { ...selection, after: '' })
  if (next) enqueueRetryIn(tx, ctx, next)
}

/** Enqueues the next batch of a retry, in the caller's transaction. */
export const enqueueRetryIn = (tx: Tx, ctx: Ctx, args: CampaignRetryArgs): string =>
  enqueue(tx, ctx, RetryRecipients, { args, orderingKey: retryKeyOf(args.campaignId) })

/**
 * Makes a batch of recipients pending again and continues the campaign. Processes recipients in the
 * order of their IDs, so that one that fails again during the retry is not retried twice. Returns
 * the position of the next batch, `null` after the last one. Runs inside the caller's transaction.
 */
export function retryBatchIn(tx: Tx, ctx: Ctx, args: CampaignRetryArgs): CampaignRetryArgs | null {
  const campaign = findCampaign(ctx, args.campaignId)
  if (!campaign || campaign.status === 'cancelled') return null
  const ids = selectedIds(ctx, args, isSelected(args))
  keepOpenCostsIn(tx, ctx, args.campaignId, ids)
  tx.update(campaignRecipients)
    .set({
      status: 'pending',
      costMicros: null,
      isCostActual: false,
      error: null,
      errorCode: null,
      failedAtMs: null,
      finishedAtMs: null,
      updatedAtMs: ctx.clock.nowMs(),
    })
    .where(
      inOrganization(
        ctx,
        campaignRecipients,
        isSelected(args),
        inArray(campaignRecipients.id, ids),
      ),
    )
    .run()
  if (ids.length > 0) sendAgainIn(tx, ctx, campaign)
  const after = ids.at(-1)
  return ids.length < AT_ONCE || after === undefined ? null : { ...args, after }
}

/** A completed campaign sends again; a paused one stays paused. */
function sendAgainIn(tx: Tx, ctx: Ctx, campaign: CampaignRow): void {
  const { id } = campaign
  const reopened = changeStateIn(tx, ctx, id, {
    from: ['completed'],
    set: { status: 'sending', completedAtMs: null },
  })
  if (reopened) {
    continueIn(tx, ctx, changeCampaignIn(tx, ctx, id, { errorsSinceMs: ctx.clock.nowMs() }))
    return publishStateChangeIn(tx, ctx, id, 'resumed')
  }
  if (campaign.status === 'sending') continueIn(tx, ctx, campaign)
  return publishCampaignIn(tx, ctx, id, 'counters')
}

const selectedIds = (
  ctx: Ctx,
  { after }: { after: string },
  condition: SQL | undefined,
): string[] =>
  ctx.db.orm
    .select({ id: campaignRecipients.id })
    .from(campaignRecipients)
    .where(inOrganization(ctx, campaignRecipients, condition, gt(campaignRecipients.id, after)))
    .orderBy(asc(campaignRecipients.id))
    .limit(AT_ONCE)
    .all()
    .map(({ id }) => id)

const keyOf = (selection: Selection): string => JSON.stringify(selection)

/** Returns the unfinished retries of a campaign. */
const runningRetries = (ctx: Ctx, campaignId: string): Selection[] =>
  liveArgsOf(ctx, { kind: RetryRecipients.name, orderingKey: retryKeyOf(campaignId) })
    .map((args) => {
      const { after: _, ...selection } = args as CampaignRetryArgs // checked when it was enqueued
      return selection
    })
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
