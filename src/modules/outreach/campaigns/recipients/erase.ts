import { and, asc, eq, gt, inArray, notExists, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { emptied } from '../../../../infra/db/define-table'
import type { Tx } from '../../../../infra/db/transact'
import { timeIsOver } from '../../../../infra/jobs/concurrency'
import { campaignRecipients, campaignSends } from '../table'

const AT_ONCE = 300

/** Clears the personal data of a recipient. The link to its message stays. */
const BLANK = emptied(campaignRecipients)

/**
 * Erases a batch of recipients of a deleted campaign: deletes those without a message, clears the
 * personal data of the others. Returns the last ID, or `null` at the end. Runs inside the caller's
 * transaction.
 */
export function eraseRecipientBatchIn(
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
  tx.update(campaignRecipients).set(BLANK).where(these).run()
  return ids.length < AT_ONCE ? null : (ids.at(-1) ?? null)
}

/**
 * Clears the personal data of an erased contact from all recipients; counters stay. Returns the
 * number of recipients. Runs inside the caller's transaction.
 */
export function eraseContactIn(tx: Tx, ctx: Ctx, contactId: string): number {
  return tx
    .update(campaignRecipients)
    .set({ ...BLANK, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, campaignRecipients, eq(campaignRecipients.contactId, contactId)))
    .returning({ id: campaignRecipients.id })
    .all().length
}

/** The position of a recipient among all recipients of the organization. */
export interface RecipientPosition {
  campaignId: string
  id: string
}

/** Recipients read per query, and the maximum duration of one transaction, milliseconds. */
const READ_AT_ONCE = 100
const STEP_MS = 5

/**
 * Erases imported numbers and user IDs of an erased person that belong to no contact. Starts after
 * `after` and stops when its time is used up. Returns the next position (`null` at the end) and the
 * number of recipients erased. Runs inside the caller's transaction.
 */
export function eraseNumbersIn(
  tx: Tx,
  ctx: Ctx,
  { traces, after }: { traces: string[]; after: RecipientPosition | null },
): { next: RecipientPosition | null; erasedCount: number } {
  const isOver = timeIsOver(STEP_MS)
  const { campaignId, id, contactId, phoneNumber, userId } = campaignRecipients
  let erasedCount = 0
  let position = after ?? { campaignId: '', id: '' }
  do {
    const rows = tx
      .select({ campaignId, id, contactId, phoneNumber, userId })
      .from(campaignRecipients)
      .where(
        inOrganization(
          ctx,
          campaignRecipients,
          sql`(${campaignId}, ${id}) > (${sql.param(position.campaignId, campaignId)}, ${sql.param(position.id, id)})`,
        ),
      )
      .orderBy(asc(campaignId), asc(id))
      .limit(READ_AT_ONCE)
      .all()
    const matchesTrace = (name: string | null): boolean =>
      name !== null && ctx.vault.codeDigests(name).some((mark) => traces.includes(mark))
    for (const row of rows.filter(
      (one) =>
        one.contactId === null && (matchesTrace(one.phoneNumber) || matchesTrace(one.userId)),
    )) {
      tx.update(campaignRecipients)
        .set({ ...BLANK, updatedAtMs: ctx.clock.nowMs() })
        .where(
          inOrganization(
            ctx,
            campaignRecipients,
            and(eq(campaignId, row.campaignId), eq(id, row.id)),
          ),
        )
        .run()
      erasedCount += 1
    }
    const last = rows.at(-1)
    if (rows.length < READ_AT_ONCE || !last) return { next: null, erasedCount }
    position = { campaignId: last.campaignId, id: last.id }
  } while (!isOver())
  return { next: position, erasedCount }
}
