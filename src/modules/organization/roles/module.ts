import type { Module } from '../../../http/module'
import { carried, shared } from '../../../infra/table-fates'
import { permissionRoutes, roleRoutes } from './routes'
import { permissionSeeds, rolePermissions, roles } from './table'

export const rolesModule: Module = {
  name: 'roles',
  tables: [
    carried(roles),
    carried(rolePermissions),
    shared(permissionSeeds, 'changes of the permission catalog that were applied'),
  ],
  routes: ({ http }) => [permissionRoutes(http), roleRoutes(http)],
}
