import type { Module } from '../../http/module'
import { brandingRoutes, logoRoutes } from './branding/routes'
import { entryPointRoutes } from './entry-points/routes'
import { mediaHooks } from './hooks'
import { uploadRoutes, mediaRoutes, mediaLinkRoutes } from './routes'
import { mediaSchedules, mediaWorkers } from './workers'

export const mediaModule: Module = {
  name: 'media',
  routes: ({ http }) => [
    uploadRoutes(http),
    mediaRoutes(http),
    mediaLinkRoutes(http),
    entryPointRoutes(http),
    brandingRoutes(http),
    logoRoutes(http),
  ],
  hooks: mediaHooks,
  workers: mediaWorkers,
  schedules: mediaSchedules,
}
