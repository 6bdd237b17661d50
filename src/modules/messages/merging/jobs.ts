import { Type } from '@sinclair/typebox'

import { defineTransactionJob, type TransactionJob } from '../../../infra/jobs/define'
import { enqueue } from '../../../infra/jobs/enqueue'
import { rescopeWordsIn } from '../contact-changes/move'

interface Rescoping {
  contactId: string
  after: number
}

/**
 * Lets the search know whose messages are whose after two contacts were merged or split again, some
 * at a time.
 */
export const rescopeWords: TransactionJob<Rescoping> = defineTransactionJob({
  name: 'message.rescope-words',
  lane: 'default',
  args: Type.Object({ contactId: Type.String(), after: Type.Integer() }),
  isKept: false,
  run: (tx, ctx, { contactId, after }) => {
    const next = rescopeWordsIn(tx, ctx, { contactId, after })
    if (next !== null) enqueue(tx, ctx, rescopeWords, { args: { contactId, after: next } })
  },
})
