import { Type } from '@sinclair/typebox'

import { defineTransactionJob, type TransactionJob } from '../../../infra/jobs/define'
import { enqueue } from '../../../infra/jobs/enqueue'
import { readChanges } from '../../../platform/payload'
import { unpackedBody } from '../bodies'
import { splitIn } from './splitting'

interface Splitting {
  bodyId: string
  from: number
  receivedAtMs: number
}

/** Changes that become rows in one transaction. */
const AT_ONCE = 500

/** Makes rows of the changes of a delivery that has more of them than are written while the platform waits, some at a time. */
export const splitFurther: TransactionJob<Splitting> = defineTransactionJob({
  name: 'inbound.split',
  lane: 'inbound',
  args: Type.Object({ bodyId: Type.String(), from: Type.Integer({ minimum: 0 }), receivedAtMs: Type.Integer() }),
  isKept: false,
  run(tx, ctx, { bodyId, from, receivedAtMs }) {
    const changes = readChanges(unpackedBody(ctx, bodyId), { from, most: AT_ONCE })
    splitIn(tx, ctx, { bodyId, receivedAtMs, changes })
    if (changes.length === AT_ONCE) enqueue(tx, ctx, splitFurther, { args: { bodyId, from: from + AT_ONCE, receivedAtMs } })
  },
})
