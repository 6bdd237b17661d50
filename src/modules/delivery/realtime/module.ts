import type { Http } from '../../../http/http-deps'
import type { Module } from '../../../http/module'
import type { FrameHandler } from './client-frames'
import { presenceRoutes } from './presence/routes'
import { realtimeRoutes } from './routes'

export const realtimeModule: Module<{ http: Http; realtime: FrameHandler }> = {
  name: 'realtime',
  routes: ({ http, realtime }) => [
    realtimeRoutes(http, realtime),
    presenceRoutes(http, realtime.presence),
  ],
}
