import { Type } from '@sinclair/typebox'

import { defineTransactionJob, type TransactionJob } from '../../../infra/jobs/define'
import { enqueue } from '../../../infra/jobs/enqueue'
import { endPartIn } from '../../contact-records/privacy/parts'
import { ContactDeleted } from '../../contacts/events'
import { forgetContactIn, forgetSomeIn } from './forgetting'

/** Forgets the recipients of a deleted campaign, some at a time. */
export const forgetRecipients: TransactionJob<{ campaignId: string; after: string }> = defineTransactionJob({
  name: 'campaign.forget',
  lane: 'default',
  args: Type.Object({ campaignId: Type.String(), after: Type.String() }),
  isKept: false,
  run(tx, ctx, at) {
    const next = forgetSomeIn(tx, ctx, at)
    if (next !== null) enqueue(tx, ctx, forgetRecipients, { args: { campaignId: at.campaignId, after: next } })
  },
})

/** Follows the end of a contact: of one that was erased for good campaigns know nothing any more. */
export const forgetErasedRecipient = defineTransactionJob({
  name: 'campaign.contact-gone',
  lane: 'default',
  args: ContactDeleted.payload,
  isKept: false,
  run(tx, ctx, { contactId, reason, requestId }) {
    const forgotten = reason === 'erased' ? forgetContactIn(tx, ctx, contactId) : 0
    if (requestId !== undefined) endPartIn(tx, ctx, requestId, { campaign_recipients: forgotten })
  },
})
