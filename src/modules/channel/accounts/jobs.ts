import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

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

/** Requests the data that the WhatsApp Business app hands over for a number. */
export const RequestPhoneAppData = job(
  'account.request-phone-app-data',
  Type.Object({ accountId: Type.String() }),
  { queue: 'default', maxAttempts: MAX_ATTEMPTS },
)

/** Looks for phone numbers whose customers get no answers because nobody pays. */
export const SuspectSilentNumbers = job('account.suspect-silent', Type.Object({}), {
  queue: 'default',
})

/**
 * Enqueues a health check of each phone number that is due for one, and requests data of the phone
 * app that is awaited.
 */
export const CheckDueAccounts = job('account.check-due', Type.Object({}), { queue: 'default' })
