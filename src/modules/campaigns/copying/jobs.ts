import { Type } from '@sinclair/typebox'

import { defineTransactionJob, type TransactionJob } from '../../../infra/jobs/define'
import { enqueue } from '../../../infra/jobs/enqueue'
import { copyOnIn, endEarlyIn, type Copying } from '../draft/copy-recipients'

const idOrNull = Type.Union([Type.String(), Type.Null()])

/** What the jobs that fill one copy have in common. */
export const copyKeyOf = (campaignId: string): string => `campaign-copy:${campaignId}`

/** Copies the recipients of a campaign to a draft, some at a time. */
export const copyRecipients: TransactionJob<Copying> = defineTransactionJob({
  name: 'campaign.copy',
  lane: 'default',
  args: Type.Object({
    from: Type.String(),
    to: Type.String(),
    after: Type.String(),
    asker: Type.Object({ userId: idOrNull, apiKeyId: idOrNull }),
  }),
  isKept: false,
  run(tx, ctx, at) {
    const next = copyOnIn(tx, ctx, at)
    if (next !== null)
      enqueue(tx, ctx, copyRecipients, { args: next, serialKey: copyKeyOf(next.to) })
  },
  whenDiscarded: (tx, ctx, { to }) =>
    void endEarlyIn(tx, ctx, to, 'It could not go on because of an error of this server.'),
})
