import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { ConversationRow } from './row'
import { conversations } from './table'

/** An ad as stored in the conversation. */
interface StoredReferral {
  at_ms: number
  referral: Record<string, unknown>
}

/** Returns the ad stored in a conversation, or `null`. */
export const referralIn = (kept: string | null): Record<string, unknown> | null =>
  kept === null ? null : (JSON.parse(kept) as StoredReferral).referral

/**
 * Stores the first and the last ad by platform time, whatever the order of arrival. Of two ads at
 * the same time the text decides.
 */
export function recordReferralIn(
  tx: Tx,
  ctx: Ctx,
  row: ConversationRow,
  message: { atMs: number; referral: string },
): void {
  const stored: StoredReferral = {
    at_ms: message.atMs,
    referral: JSON.parse(message.referral) as Record<string, unknown>,
  }
  const serialized = JSON.stringify(stored)
  const isBefore = (one: string, other: string): boolean => {
    const [a, b] = [one, other].map((text) => (JSON.parse(text) as StoredReferral).at_ms) as [
      number,
      number,
    ]
    return a < b || (a === b && one < other)
  }
  tx.update(conversations)
    .set({
      firstReferral:
        row.firstReferral === null || isBefore(serialized, row.firstReferral)
          ? serialized
          : row.firstReferral,
      lastReferral:
        row.lastReferral === null || isBefore(row.lastReferral, serialized)
          ? serialized
          : row.lastReferral,
    })
    .where(inOrganization(ctx, conversations, eq(conversations.id, row.id)))
    .run()
}
