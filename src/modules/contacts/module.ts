import type { Module } from '../../http/module'
import {
  contactRoutes,
  contactStateRoutes,
  tagDeletionRoutes,
  segmentContactRoutes,
} from './routes'
import { consentRoutes } from './consent/routes'
import { attributeRoutes } from './attributes/routes'
import { noteRoutes } from './notes/routes'
import { contactWorkers } from './workers'

export const contactsModule: Module = {
  name: 'contacts',
  routes: ({ http }) => [
    contactRoutes(http),
    contactStateRoutes(http),
    tagDeletionRoutes(http),
    segmentContactRoutes(http),
    consentRoutes(http),
    attributeRoutes(http),
    noteRoutes(http),
  ],
  workers: contactWorkers,
}
