import { and, asc, eq, gt, inArray, notExists, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db'
import { campaignRecipients, campaignSends } from '../table'

const AT_ONCE = 300

/** What is personal of a recipient. Which message was theirs stays. */
const BLANK = { phoneNumber: null, userId: null, name: null, words: '', params: null } as const

/** Forgets some recipients of a deleted campaign, in the caller's transaction: who got no message has no row any more, of the others nothing personal stays. Returns where to go on. */
export function forgetSomeIn(tx: Tx, ctx: Ctx, at: { campaignId: string; after: string }): string | null {
  const ids = tx
    .select({ id: campaignRecipients.id })
    .from(campaignRecipients)
    .where(
      inOrganization(ctx, campaignRecipients, and(eq(campaignRecipients.campaignId, at.campaignId), gt(campaignRecipients.id, at.after))),
    )
    .orderBy(asc(campaignRecipients.id))
    .limit(AT_ONCE)
    .all()
    .map(({ id }) => id)
  if (ids.length === 0) return null
  const these = inOrganization(
    ctx,
    campaignRecipients,
    and(eq(campaignRecipients.campaignId, at.campaignId), inArray(campaignRecipients.id, ids)),
  )
  const sent = tx
    .select({ one: sql`1` })
    .from(campaignSends)
    .where(
      inOrganization(
        ctx,
        campaignSends,
        and(eq(campaignSends.campaignId, at.campaignId), eq(campaignSends.recipientId, campaignRecipients.id)),
      ),
    )
  tx.delete(campaignRecipients)
    .where(and(these, notExists(sent)))
    .run()
  tx.update(campaignRecipients)
    .set({ ...BLANK, identity: sql`'x:' || ${campaignRecipients.id}` })
    .where(these)
    .run()
  return ids.length < AT_ONCE ? null : (ids.at(-1) ?? null)
}

/** Forgets what is personal of a contact that was erased, in the caller's transaction; the counts stay. Returns of how many recipients. */
export function forgetContactIn(tx: Tx, ctx: Ctx, contactId: string): number {
  return tx
    .update(campaignRecipients)
    .set({ ...BLANK, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, campaignRecipients, eq(campaignRecipients.contactId, contactId)))
    .returning({ id: campaignRecipients.id })
    .all().length
}
