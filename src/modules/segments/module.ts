import type { Module } from '../../http/module'
import { segmentRoutes } from './routes'

export const segmentsModule: Module = {
  name: 'segments',
  routes: ({ http }) => [segmentRoutes(http)],
}
