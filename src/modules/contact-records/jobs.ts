import { Type } from '@sinclair/typebox'

import { defineTransactionJob, type TransactionJob } from '../../infra/jobs/define'
import { enqueue } from '../../infra/jobs/enqueue'
import { findContact } from '../contacts/service'
import { eraseConversationsIn } from '../conversations/merging'
import { eraseMessagesIn, forgetFilesIn } from '../messages/erasing'
import { eraseNotesIn } from '../notes/moving'
import { endPartIn } from './privacy/requests'

interface Forgetting {
  contactId: string
  after: string
}

/** Removes the files of a deleted contact, some at a time, unless it has come back. */
export const forgetFiles: TransactionJob<Forgetting> = defineTransactionJob({
  name: 'contact.forget-files',
  lane: 'default',
  args: Type.Object({ contactId: Type.String(), after: Type.String() }),
  isKept: false,
  run(tx, ctx, { contactId, after }) {
    if (findContact(ctx, contactId)?.deletedAtMs === null) return
    const next = forgetFilesIn(tx, ctx, { contactId, after })
    if (next !== null) enqueue(tx, ctx, forgetFiles, { args: { contactId, after: next } })
  },
})

/** Erases all that was said with a contact and written about it, some at a time. */
export const eraseContact: TransactionJob<{ contactId: string; requestId?: string }> = defineTransactionJob({
  name: 'contact.erase',
  lane: 'default',
  args: Type.Object({ contactId: Type.String(), requestId: Type.Optional(Type.String()) }),
  run(tx, ctx, args) {
    const { contactId, requestId } = args
    if (eraseMessagesIn(tx, ctx, contactId)) {
      enqueue(tx, ctx, eraseContact, { args })
      return
    }
    eraseNotesIn(tx, ctx, contactId)
    eraseConversationsIn(tx, ctx, contactId)
    if (requestId !== undefined) endPartIn(tx, ctx, requestId)
  },
})
