import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'
import { ContactDeleted } from '../../inbox/contacts/events'

/** Writes an export to its file. */
export const WriteExport = job('export.write', Type.Object({ exportId: Type.String() }), {
  queue: 'default',
})

/** Deletes files that may contain an erased contact, a batch at a time. */
export const DropErasedExports = job('export.drop-erased', ContactDeleted.payload, {
  queue: 'default',
})

/** Deletes files whose retention time is over. */
export const ExpireExports = job('export.expire', Type.Object({}), { queue: 'default' })
