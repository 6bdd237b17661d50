import { Type } from '@sinclair/typebox'

import { job } from '../../infra/jobs/job'

const OneRequest = Type.Object({ requestId: Type.String() })

/** Writes the export of a person's data once it is this organization's turn. */
export const WritePrivacyExport = job('privacy.export', OneRequest, {
  queue: 'default',
  maxAttempts: 5,
})

/**
 * Completes an erasure whose parts have ended, once the bytes of all files are gone and the
 * write-ahead log, which still holds former pages of the database, is empty. Tries again each
 * second until then.
 */
export const CompleteErasure = job('privacy.complete', OneRequest, { queue: 'default' })

/** Deletes files that were kept for seven days. The request itself stays known. */
export const ExpirePrivacyFiles = job('privacy.expire', Type.Object({}), { queue: 'default' })
