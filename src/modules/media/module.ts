import type { Module } from '../../http/module'
import { entryPointRoutes } from './entry-points/routes'
import { uploadRoutes, mediaRoutes, mediaLinkRoutes } from './routes'
import { mediaSchedules, mediaWorkers } from './workers'

export const mediaModule: Module = {
  name: 'media',
  routes: ({ http }) => [
    uploadRoutes(http),
    mediaRoutes(http),
    mediaLinkRoutes(http),
    entryPointRoutes(http),
  ],
  workers: mediaWorkers,
  schedules: mediaSchedules,
}
