import type { Module } from '../../../http/module'
import { contactRecordRoutes, personalRequestRoutes } from './routes'
import { contactOperationWorkers } from './workers'

export const contactOperationsModule: Module = {
  name: 'contact-operations',
  routes: ({ http }) => [contactRecordRoutes(http), personalRequestRoutes(http)],
  workers: contactOperationWorkers,
}
