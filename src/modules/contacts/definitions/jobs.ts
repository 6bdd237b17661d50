import { Type } from '@sinclair/typebox'

import { defineTransactionJob, type TransactionJob } from '../../../infra/jobs/define'
import { enqueue } from '../../../infra/jobs/enqueue'
import { clearValuesIn } from '../attributes/clear-values'

interface Clearing {
  key: string
  after: string
}

/** Takes the values of a deleted field from the contacts, some at a time. */
export const clearAttribute: TransactionJob<Clearing> = defineTransactionJob({
  name: 'contact-attribute.clear',
  lane: 'default',
  args: Type.Object({ key: Type.String(), after: Type.String() }),
  run: (tx, ctx, { key, after }) => {
    const next = clearValuesIn(tx, ctx, { key, after })
    if (next !== null) enqueue(tx, ctx, clearAttribute, { args: { key, after: next } })
  },
})
