import { Type } from '@sinclair/typebox'

import { job } from '../../infra/jobs/job'

const MAX_ATTEMPTS = 3

/** Asks the platform about one phone number and stores the answer. */
export const CheckAccount = job('account.check', Type.Object({ accountId: Type.String() }), {
  queue: 'default',
  maxAttempts: MAX_ATTEMPTS,
})

/** Enqueues a check of each phone number that is due for one. */
export const CheckDueAccounts = job('account.check-due', Type.Object({}), { queue: 'default' })
