import { and, eq } from 'drizzle-orm'

import type { JobCtx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { inboundBodies } from '../table'
import { enterChangesIn } from './split-batch'

/**
 * Stores the changes of one part of a large delivery as rows, in the caller's transaction. Returns
 * whether the part exists.
 */
export function storePartIn(
  tx: Tx,
  ctx: JobCtx,
  {
    digest,
    signedBy,
    cell,
    part,
  }: { digest: string; signedBy: string; cell: string; part: number },
): boolean {
  const body = tx
    .select({ id: inboundBodies.id, receivedAtMs: inboundBodies.receivedAtMs })
    .from(inboundBodies)
    .where(
      and(
        eq(inboundBodies.digest, digest),
        eq(inboundBodies.signedBy, signedBy),
        eq(inboundBodies.cell, cell),
        eq(inboundBodies.part, part),
      ),
    )
    .get()
  if (!body) return false
  enterChangesIn(tx, ctx, { ...body, signedBy, cell })
  return true
}
