import type { Module } from '../../http/module'
import { shared } from '../../infra/table-fates'
import { onHook } from '../../infra/transaction-hooks'
import { OrganizationErased } from '../organization-deletion/events'
import { forgetErasedIn } from './forget'
import { organizationImportRoutes } from './routes'
import { organizationImportSchedules, organizationImportWorkers } from './workers'

export const organizationImportModule: Module = {
  name: 'organization-import',
  tables: [
    shared('organization_imports', 'imports into this installation'),
    shared('organization_import_numbers', 'used while an import runs'),
    shared('organization_import_links', 'used while an import runs'),
    shared('organization_import_users', 'used while an import runs'),
  ],
  routes: ({ http }) => [organizationImportRoutes(http)],
  workers: organizationImportWorkers,
  schedules: organizationImportSchedules,
  hooks: [onHook(OrganizationErased, forgetErasedIn)],
}
