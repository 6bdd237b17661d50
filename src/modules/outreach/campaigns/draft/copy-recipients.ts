import { and, asc, eq, gt } from 'drizzle-orm'

import { ForbiddenError } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { delegatedCtx, type RequestedBy } from '../../../organization/auth/delegated-ctx'
import { isVisible } from '../../../inbox/contacts/sight/visibility'
import { publishCampaignIn } from '../results/publish'
import { notifyAboutCampaignIn } from '../results/notify'
import { addRecipientIn } from '../recipients/add'
import { findCampaign } from '../state'
import { campaignRecipients } from '../table'
import { paramsOf } from '../view'

/** Approximate maximum duration of one transaction, milliseconds. */
const AT_ONCE_MS = 8
const READ_AT_ONCE = 200

/**
 * The progress of a copy: `after` is the last recipient copied. Only recipients that `asker` can
 * see are copied.
 */
export interface Copying {
  from: string
  to: string
  after: string
  asker: RequestedBy
}

/**
 * Copies a batch of imported recipients that the caller can see to a draft. Returns the last ID
 * copied, or `null` when the copy is complete. Runs inside the caller's transaction.
 */
export function copyBatchIn(
  tx: Tx,
  ctx: Ctx,
  at: Pick<Copying, 'from' | 'to' | 'after'>,
): string | null {
  const startedMs = performance.now()
  const rows = tx
    .select()
    .from(campaignRecipients)
    .where(
      inOrganization(
        ctx,
        campaignRecipients,
        and(
          eq(campaignRecipients.campaignId, at.from),
          eq(campaignRecipients.source, 'upload'),
          gt(campaignRecipients.id, at.after),
        ),
      ),
    )
    .orderBy(asc(campaignRecipients.id))
    .limit(READ_AT_ONCE)
    .all()
  for (const row of rows) {
    if (row.contactId === null || isVisible(ctx, row.contactId))
      addRecipientIn(tx, ctx, { ...row, campaignId: at.to, skip: null, params: paramsOf(row) })
    if (performance.now() - startedMs > AT_ONCE_MS) return row.id
  }
  return rows.length < READ_AT_ONCE ? null : (rows.at(-1)?.id ?? null)
}

/**
 * Copies the next batch. Stops if the copy is no longer a draft or was deleted; notifies users if
 * not all recipients could be copied. Returns the next position, or `null` at the end. Runs inside
 * the caller's transaction.
 */
export function continueCopyIn(tx: Tx, ctx: Ctx, at: Copying): Copying | null {
  if (findCampaign(ctx, at.to)?.status !== 'draft') return null
  const delegated = delegatedCtxOrNull(ctx, at.asker)
  if (!delegated)
    return notifyIncompleteIn(
      tx,
      ctx,
      at.to,
      'The user who requested the copy no longer has the permission for it.',
    )
  if (!findCampaign(ctx, at.from))
    return notifyIncompleteIn(tx, ctx, at.to, 'The original campaign was deleted in the meantime.')
  const after = copyBatchIn(tx, delegated, at)
  publishCampaignIn(tx, ctx, at.to, 'counters')
  return after === null ? null : { ...at, after }
}

/**
 * Notifies users that a copy does not have all recipients. Runs inside the caller's transaction.
 */
export function notifyIncompleteIn(tx: Tx, ctx: Ctx, campaignId: string, why: string): null {
  const campaign = findCampaign(ctx, campaignId)
  if (campaign)
    notifyAboutCampaignIn(tx, ctx, campaign, {
      kind: 'campaign_incomplete',
      severity: 'warning',
      title: 'Copied campaign lacks recipients',
      body: `${why} The recipients copied so far were kept.`,
    })
  return null
}

function delegatedCtxOrNull(ctx: Ctx, asker: RequestedBy): Ctx | null {
  try {
    return delegatedCtx(ctx, asker, ['campaigns:create'])
  } catch (error) {
    if (error instanceof ForbiddenError) return null
    throw error
  }
}
