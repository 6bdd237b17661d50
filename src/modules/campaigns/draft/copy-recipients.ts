import { and, asc, eq, gt } from 'drizzle-orm'

import { ForbiddenError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { delegatedCtx, type RequestedBy } from '../../auth/delegated-ctx'
import { isVisible } from '../../contacts/visibility'
import { publishCampaignIn } from '../results/publish'
import { notifyAboutCampaignIn } from '../results/notify'
import { addRecipientIn } from '../recipients/add'
import { findCampaign } from '../state'
import { campaignRecipients } from '../table'
import { paramsOf } from '../view'

/** One transaction of recipients takes about so long, milliseconds. */
const AT_ONCE_MS = 8
const READ_AT_ONCE = 200

/**
 * Where the copying of recipients stands: `after` is the last one copied, `asker` whoever sees
 * which of them.
 */
export interface Copying {
  from: string
  to: string
  after: string
  asker: RequestedBy
}

/**
 * Copies some of those who were brought into a campaign to a draft, in the caller's transaction:
 * those whom whoever asked for it sees. Returns where to go on; `null` at the end.
 */
export function copySomeIn(
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
 * Goes on copying, in the caller's transaction. A copy that is no draft any more, or is deleted,
 * gets nobody else; people are told when not all could be copied. Returns where to go on; `null` at
 * the end.
 */
export function copyOnIn(tx: Tx, ctx: Ctx, at: Copying): Copying | null {
  if (findCampaign(ctx, at.to)?.status !== 'draft') return null
  const acting = actingOrNull(ctx, at.asker)
  if (!acting)
    return endEarlyIn(
      tx,
      ctx,
      at.to,
      'The user who requested the copy no longer has the permission for it.',
    )
  if (!findCampaign(ctx, at.from))
    return endEarlyIn(tx, ctx, at.to, 'The original campaign was deleted in the meantime.')
  const after = copySomeIn(tx, acting, at)
  publishCampaignIn(tx, ctx, at.to, 'counters')
  return after === null ? null : { ...at, after }
}

/** Tells people that a copy has not all of the recipients, in the caller's transaction. */
export function endEarlyIn(tx: Tx, ctx: Ctx, campaignId: string, why: string): null {
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

function actingOrNull(ctx: Ctx, asker: RequestedBy): Ctx | null {
  try {
    return delegatedCtx(ctx, asker, ['campaigns:create'])
  } catch (error) {
    if (error instanceof ForbiddenError) return null
    throw error
  }
}
