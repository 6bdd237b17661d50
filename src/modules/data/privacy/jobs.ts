import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

const OneRequest = Type.Object({ requestId: Type.String() })

/** Writes the export of a person's data once a slot is free for the organization. */
export const WritePrivacyExport = job('privacy.export', OneRequest, {
  queue: 'default',
  maxAttempts: 5,
})

/**
 * Completes an erasure whose steps have finished, once no file contains the data and the
 * write-ahead log, which holds former database pages, is empty. Retries every second until then.
 */
export const CompleteErasure = job('privacy.complete', OneRequest, { queue: 'default' })

/** Deletes export files after seven days. The request itself is kept. */
export const ExpirePrivacyFiles = job('privacy.expire', Type.Object({}), { queue: 'default' })
