import { and, asc, eq, gt, inArray, notExists, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { timeIsOver } from '../../../infra/jobs/concurrency'
import { campaignRecipients, campaignSends } from '../table'

const AT_ONCE = 300

/** What is personal of a recipient. Which message was theirs stays. */
const BLANK = { phoneNumber: null, userId: null, name: null, words: '', params: null } as const

/**
 * Forgets some recipients of a deleted campaign, in the caller's transaction: who got no message
 * has no row any more, of the others nothing personal stays. Returns where to go on.
 */
export function eraseSomeRecipientsIn(
  tx: Tx,
  ctx: Ctx,
  at: { campaignId: string; after: string },
): string | null {
  const ids = tx
    .select({ id: campaignRecipients.id })
    .from(campaignRecipients)
    .where(
      inOrganization(
        ctx,
        campaignRecipients,
        and(eq(campaignRecipients.campaignId, at.campaignId), gt(campaignRecipients.id, at.after)),
      ),
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
        and(
          eq(campaignSends.campaignId, at.campaignId),
          eq(campaignSends.recipientId, campaignRecipients.id),
        ),
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

/**
 * Forgets what is personal of a contact that was erased, in the caller's transaction; the counts
 * stay. Returns of how many recipients.
 */
export function eraseContactIn(tx: Tx, ctx: Ctx, contactId: string): number {
  return tx
    .update(campaignRecipients)
    .set({ ...BLANK, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, campaignRecipients, eq(campaignRecipients.contactId, contactId)))
    .returning({ id: campaignRecipients.id })
    .all().length
}

/** Where among the recipients of an organization one stands. */
export interface RecipientPlace {
  campaignId: string
  id: string
}

/**
 * Recipients looked at between two looks at the clock, and how long one step takes with all that
 * belongs to it, milliseconds.
 */
const A_FEW = 100
const STEP_MS = 5

/**
 * Forgets the numbers and ids of a person who was erased where they were brought in for a campaign
 * and no contact was known for them, in the caller's transaction, from those after `after` on and
 * until the time is over. Returns where to go on, `null` at the end, and of how many recipients.
 */
export function eraseNumbersIn(
  tx: Tx,
  ctx: Ctx,
  { traces, after }: { traces: string[]; after: RecipientPlace | null },
): { next: RecipientPlace | null; forgotten: number } {
  const isOver = timeIsOver(STEP_MS)
  const { campaignId, id, contactId, phoneNumber, userId } = campaignRecipients
  let forgotten = 0
  let place = after ?? { campaignId: '', id: '' }
  do {
    const rows = tx
      .select({ campaignId, id, contactId, phoneNumber, userId })
      .from(campaignRecipients)
      .where(
        inOrganization(
          ctx,
          campaignRecipients,
          sql`(${campaignId}, ${id}) > (${place.campaignId}, ${place.id})`,
        ),
      )
      .orderBy(asc(campaignId), asc(id))
      .limit(A_FEW)
      .all()
    const isNamed = (name: string | null): boolean =>
      name !== null && ctx.vault.codeDigests(name).some((mark) => traces.includes(mark))
    for (const row of rows.filter(
      (one) => one.contactId === null && (isNamed(one.phoneNumber) || isNamed(one.userId)),
    )) {
      tx.update(campaignRecipients)
        .set({ ...BLANK, identity: sql`'x:' || ${id}`, updatedAtMs: ctx.clock.nowMs() })
        .where(
          inOrganization(
            ctx,
            campaignRecipients,
            and(eq(campaignId, row.campaignId), eq(id, row.id)),
          ),
        )
        .run()
      forgotten += 1
    }
    const last = rows.at(-1)
    if (rows.length < A_FEW || !last) return { next: null, forgotten }
    place = { campaignId: last.campaignId, id: last.id }
  } while (!isOver())
  return { next: place, forgotten }
}
