import { Type, type Static } from '@sinclair/typebox'

import { defineTransactionJob, type TransactionJob } from '../../../infra/jobs/define'
import { enqueue } from '../../../infra/jobs/enqueue'
import { endPartIn } from '../../privacy/erasure-steps'
import { countErasedIn } from '../../privacy/requests'
import { ContactDeleted, ContactErased } from '../../contacts/events'
import { eraseContactIn, eraseNumbersIn, eraseSomeRecipientsIn } from '../recipients/erase'

/** Forgets the recipients of a deleted campaign, some at a time. */
export const forgetRecipients: TransactionJob<{ campaignId: string; after: string }> =
  defineTransactionJob({
    name: 'campaign.forget',
    lane: 'default',
    args: Type.Object({ campaignId: Type.String(), after: Type.String() }),
    isKept: false,
    run(tx, ctx, at) {
      const next = eraseSomeRecipientsIn(tx, ctx, at)
      if (next !== null)
        enqueue(tx, ctx, forgetRecipients, { args: { campaignId: at.campaignId, after: next } })
    },
  })

/**
 * Follows the end of a contact: of one that was erased for good campaigns know nothing any more.
 */
export const forgetErasedRecipient = defineTransactionJob({
  name: 'campaign.contact-gone',
  lane: 'default',
  args: ContactDeleted.payload,
  isKept: false,
  run(tx, ctx, { contactId, reason, requestId }) {
    const forgotten = reason === 'erased' ? eraseContactIn(tx, ctx, contactId) : 0
    if (requestId !== undefined) endPartIn(tx, ctx, requestId, { campaign_recipients: forgotten })
  },
})

const Forgetting = Type.Composite([
  ContactErased.payload,
  Type.Object({
    after: Type.Optional(Type.Object({ campaignId: Type.String(), id: Type.String() })),
  }),
])

/**
 * Follows the end of a person: numbers and ids that were brought in for campaigns and belong to no
 * contact are forgotten too, some at a time.
 */
export const forgetErasedNumbers: TransactionJob<Static<typeof Forgetting>> = defineTransactionJob({
  name: 'campaign.forget-numbers',
  lane: 'default',
  args: Forgetting,
  isKept: false,
  run(tx, ctx, args) {
    const { next, forgotten } = eraseNumbersIn(tx, ctx, {
      traces: args.traces,
      after: args.after ?? null,
    })
    const erased = { campaign_recipients: forgotten }
    if (next) {
      if (args.requestId !== undefined) countErasedIn(tx, ctx, args.requestId, erased)
      enqueue(tx, ctx, forgetErasedNumbers, { args: { ...args, after: next } })
    } else if (args.requestId !== undefined) endPartIn(tx, ctx, args.requestId, erased)
  },
})
