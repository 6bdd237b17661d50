import { Type, type Static } from '@sinclair/typebox'

import { DAY_MS } from '../../lib/clock'
import { defineTransactionJob, type TransactionJob } from '../../infra/jobs/define'
import { enqueue } from '../../infra/jobs/enqueue'
import { findContact } from '../contacts/service'
import { eraseEventsIn } from '../../infra/outbox/events'
import { forgetFilesIn } from '../messages/contact-changes/erase'
import { isOnLegalHold } from '../organizations/retention/service'
import { eraseSomeIn } from '../privacy/erase'
import { endPartIn } from '../privacy/erasure-steps'
import { countErasedIn } from '../privacy/requests'

interface Forgetting {
  contactId: string
  after: string
  upTo?: number
}

/** Up to which event of the log a deletion forgets. */
const UpTo = Type.Optional(Type.Integer())

/**
 * Removes the files of a deleted contact, some at a time, unless it has come back; while the
 * organization is on legal hold they stay.
 */
export const forgetFiles: TransactionJob<Forgetting> = defineTransactionJob({
  name: 'contact.forget-files',
  lane: 'default',
  args: Type.Object({ contactId: Type.String(), after: Type.String(), upTo: UpTo }),
  isKept: false,
  run(tx, ctx, { contactId, after, upTo = 0 }) {
    if (findContact(ctx, contactId)?.deletedAtMs === null) return undefined
    if (isOnLegalHold(ctx)) return { snoozeMs: DAY_MS }
    const isMoreTold = eraseEventsIn(tx, ctx, contactId, upTo) > 0
    const next = isMoreTold ? after : forgetFilesIn(tx, ctx, { contactId, after })
    if (next !== null) enqueue(tx, ctx, forgetFiles, { args: { contactId, after: next, upTo } })
    return undefined
  },
})

const Erasing = Type.Object({
  contactId: Type.String(),
  requestId: Type.Optional(Type.String()),
  upTo: UpTo,
  /** Numbers and ids of the person as the vault marks them. */
  traces: Type.Optional(Type.Array(Type.String())),
  /**
   * Where among the answers kept for repeated requests it goes on; left out once all were looked
   * at.
   */
  after: Type.Optional(
    Type.Union([
      Type.Object({ caller: Type.String(), keyHash: Type.String(), route: Type.String() }),
      Type.Null(),
    ]),
  ),
})

/**
 * Erases what is kept for others of a person, all that was said with a contact and written about
 * it, some at a time.
 */
export const eraseContact: TransactionJob<Static<typeof Erasing>> = defineTransactionJob({
  name: 'contact.erase',
  lane: 'default',
  args: Erasing,
  run(tx, ctx, args) {
    const { next, erased } = eraseSomeIn(tx, ctx, args)
    if (next) {
      if (args.requestId !== undefined) countErasedIn(tx, ctx, args.requestId, erased)
      enqueue(tx, ctx, eraseContact, { args: next })
    } else if (args.requestId !== undefined) endPartIn(tx, ctx, args.requestId, erased)
  },
})
