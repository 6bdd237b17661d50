import type { Module } from '../../../http/module'
import { teamBoardRoutes } from './routes'

export const teamBoardModule: Module = {
  name: 'team-board',
  routes: ({ http }) => [teamBoardRoutes(http)],
}
