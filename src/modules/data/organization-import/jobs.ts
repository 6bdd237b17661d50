import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

/**
 * Imports an organization from an archive: checks it, stores its rows and files, or cleans up after
 * an import that has ended. If interrupted, it continues where it was.
 */
export const ImportOrganization = job(
  'organization.import',
  Type.Object({ importId: Type.String() }),
  { queue: 'default' },
)

/** Deletes dry runs that nobody committed. */
export const ExpireImports = job('organization.expire-imports', Type.Object({}), {
  queue: 'default',
})
