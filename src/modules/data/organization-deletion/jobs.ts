import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

/** Deletes all rows and files of an organization. If interrupted, it continues where it was. */
export const EraseOrganization = job(
  'organization.erase',
  Type.Object({ organizationId: Type.String(), recordId: Type.String() }),
  { queue: 'default' },
)

/** Starts the erasure of organizations whose time to be restored is over. */
export const StartDueErasures = job('organization.start-erasures', Type.Object({}), {
  queue: 'default',
})
