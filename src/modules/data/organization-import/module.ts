import type { Module } from '../../../http/module'
import { shared } from '../../../infra/table-fates'
import { onHook } from '../../../infra/transaction-hooks'
import { AccountErased } from '../../organization/members/events'
import { OrganizationErased } from '../organization-deletion/events'
import { forgetErasedIn, forgetPersonIn } from './forget'
import { organizationImportRoutes } from './routes'
import { organizationImportSchedules, organizationImportWorkers } from './workers'
import {
  organizationImportLinks,
  organizationImportNumbers,
  organizationImportUsers,
  organizationImports,
} from './table'

export const organizationImportModule: Module = {
  name: 'organization-import',
  tables: [
    shared(organizationImports, 'imports into this installation'),
    shared(organizationImportNumbers, 'used while an import runs'),
    shared(organizationImportLinks, 'used while an import runs'),
    shared(organizationImportUsers, 'used while an import runs'),
  ],
  routes: ({ http }) => [organizationImportRoutes(http)],
  workers: organizationImportWorkers,
  schedules: organizationImportSchedules,
  hooks: [onHook(OrganizationErased, forgetErasedIn), onHook(AccountErased, forgetPersonIn)],
}
