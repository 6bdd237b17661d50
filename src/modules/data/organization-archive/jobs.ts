import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'
import { ContactDeleted } from '../../inbox/contacts/events'

/** Writes the archive of an organization once no other one is being written. */
export const WriteArchive = job('organization.archive', Type.Object({ archiveId: Type.String() }), {
  queue: 'default',
  maxAttempts: 5,
})

/** Deletes archives that contain an erased contact. */
export const DropErasedArchives = job('organization.drop-archives', ContactDeleted.payload, {
  queue: 'default',
})

/** Deletes archives whose retention time is over. */
export const ExpireArchives = job('organization.expire-archives', Type.Object({}), {
  queue: 'default',
})
