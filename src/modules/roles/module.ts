import type { Module } from '../../http/module'
import { carried, shared } from '../../infra/table-fates'
import { permissionRoutes, roleRoutes } from './routes'

export const rolesModule: Module = {
  name: 'roles',
  tables: [
    carried('roles'),
    carried('role_permissions'),
    shared('permission_seeds', 'changes of the permission catalog that were applied'),
  ],
  routes: ({ http }) => [permissionRoutes(http), roleRoutes(http)],
}
