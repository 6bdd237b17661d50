import { Type } from '@sinclair/typebox'
import { and, eq } from 'drizzle-orm'

import { defineTransactionJob, type TransactionJob } from '../../../infra/jobs/define'
import { enqueue } from '../../../infra/jobs/enqueue'
import { inboundBodies } from '../table'
import { enterChangesIn } from '../journal/split-batch'

/** A part of a large delivery whose changes are to become rows. */
interface Part {
  digest: string
  signedBy: string
  part: number
}

/**
 * Makes rows of the changes of a large delivery, one of its parts after the other, the first of
 * which is in the journal at once.
 */
export const enterPart: TransactionJob<Part> = defineTransactionJob({
  name: 'inbound.enter-part',
  lane: 'inbound',
  args: Type.Object({
    digest: Type.String(),
    signedBy: Type.String(),
    part: Type.Integer({ minimum: 1 }),
  }),
  isKept: false,
  run(tx, ctx, { digest, signedBy, part }) {
    const body = tx
      .select({ id: inboundBodies.id, receivedAtMs: inboundBodies.receivedAtMs })
      .from(inboundBodies)
      .where(
        and(
          eq(inboundBodies.digest, digest),
          eq(inboundBodies.signedBy, signedBy),
          eq(inboundBodies.part, part),
        ),
      )
      .get()
    if (!body) return
    enterChangesIn(tx, ctx, { ...body, signedBy })
    enqueue(tx, ctx, enterPart, { args: { digest, signedBy, part: part + 1 } })
  },
})
