import { startPart } from '../../../http/start-parts'
import type { Module } from '../../../http/module'
import { carried, left } from '../../../infra/table-fates'
import { brandingRoutes, logoRoutes } from './branding/routes'
import { entryPointRoutes } from './entry-points/routes'
import { mediaHooks } from './hooks'
import { uploadRoutes, mediaRoutes, mediaLinkRoutes } from './routes'
import { mediaSchedules, mediaWorkers } from './workers'
import { media, mediaBreakers, mediaUploads } from './table'
import { organizationBranding } from './branding/table'
import { BrandingView } from './branding/model'
import { getBranding } from './branding/queries'

export const mediaModule: Module = {
  name: 'media',
  tables: [
    carried(media, { hasFiles: true }),
    left(mediaBreakers, 'state of this server towards the platform'),
    left(mediaUploads, 'uploads to the platform expire'),
    carried(organizationBranding, { hasFiles: true }),
  ],
  startParts: () => [startPart({ name: 'branding', schema: BrandingView, read: getBranding })],
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
