import { sha256Hex } from '../../../../lib/hash'
import type { Arrival } from '../../../../infra/arrival'
import { bytesToUuid } from '../../../../infra/db/uuid'

/**
 * How invitations arrive: pending ones are revoked, because a link that somebody else made opens nothing
 * here. In a move, both servers are the same installation, and links go on.
 */
export const invitationArrival: Arrival = {
  change: (row, { nowMs, isMove }) => {
    if (isMove) return row
    const id = bytesToUuid(row['id'] as Uint8Array)
    const isDone = row['accepted_at_ms'] !== null || row['revoked_at_ms'] !== null
    return {
      ...row,
      token_hash: sha256Hex(`the link of invitation ${id} stayed behind`),
      revoked_at_ms: isDone ? (row['revoked_at_ms'] ?? null) : nowMs,
    }
  },
}
