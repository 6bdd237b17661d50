import { asc, desc, inArray, isNotNull } from 'drizzle-orm'

import { isoTimeOrNull } from '../../../../lib/clock'
import type { Page } from '../../../../lib/page'
import type { Ctx } from '../../../../infra/ctx'
import { of } from '../../../../infra/scoped'
import { requireVisibleContact } from '../../../inbox/contacts/sight/visibility'
import type { ReceivedCampaign } from '../model'
import { campaignRecipients, campaigns } from '../table'
import type { RecipientRow } from '../view'

/** Returns a page of the campaigns that were sent to a contact. Throws NotFoundError. */
export function campaignsOf(
  ctx: Ctx,
  contactId: string,
  query: { page: number; limit: number },
): Page<ReceivedCampaign> {
  requireVisibleContact(ctx, contactId)
  return of(ctx, campaignRecipients).page(query, {
    where: [{ contactId }, isNotNull(campaignRecipients.sentAtMs)],
    order: [desc(campaignRecipients.sentAtMs), desc(campaignRecipients.id)],
    views: (rows) => receivedViews(ctx, rows),
  })
}

function receivedViews(ctx: Ctx, rows: RecipientRow[]): ReceivedCampaign[] {
  const ids = rows.map(({ campaignId }) => campaignId)
  const known = of(ctx, campaigns).list({
    where: [inArray(campaigns.id, ids)],
    order: [asc(campaigns.id)],
    limit: ids.length,
  })
  const names = new Map(known.map(({ id, name }) => [id, name]))
  return rows.map((row) => ({
    id: row.campaignId,
    name: names.get(row.campaignId) ?? '',
    status: row.status,
    sent_at: isoTimeOrNull(row.sentAtMs),
    delivered_at: isoTimeOrNull(row.deliveredAtMs),
    read_at: isoTimeOrNull(row.readAtMs),
    failed_at: isoTimeOrNull(row.failedAtMs),
    replied_at: isoTimeOrNull(row.repliedAtMs),
  }))
}
