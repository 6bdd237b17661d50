import type { Module } from '../../http/module'
import { noteRoutes } from './routes'

export const notesModule: Module = {
  name: 'notes',
  routes: ({ http }) => [noteRoutes(http)],
}
