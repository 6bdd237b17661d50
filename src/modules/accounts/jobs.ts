import { Type } from '@sinclair/typebox'

import { job } from '../../infra/jobs/job'

const MAX_ATTEMPTS = 3

/** Runs a health check of one phone number. */
export const CheckAccount = job('account.check', Type.Object({ accountId: Type.String() }), {
  queue: 'default',
  maxAttempts: MAX_ATTEMPTS,
})

/** Directs the webhooks of a number that was connected here to this cell. */
export const DirectWebhooks = job(
  'account.direct-webhooks',
  Type.Object({ accountId: Type.String() }),
  { queue: 'default' },
)

/** Enqueues a health check of each phone number that is due for one. */
export const CheckDueAccounts = job('account.check-due', Type.Object({}), { queue: 'default' })
