import type { Module } from '../../http/module'
import { permissionRoutes, roleRoutes } from './routes'

export const rolesModule: Module = {
  name: 'roles',
  routes: ({ http }) => [permissionRoutes(http), roleRoutes(http)],
}
