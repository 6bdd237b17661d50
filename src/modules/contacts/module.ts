import type { Module } from '../../http/module'
import { carried, derived, left } from '../../infra/table-fates'
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
  tables: [
    carried('contacts'),
    carried('contact_identities'),
    carried('contact_merges'),
    carried('contact_tags'),
    carried('contact_attributes'),
    carried('consent_settings'),
    carried('contact_consents'),
    carried('notes'),
    left('suppressions', 'digests under a key of this installation'),
    derived('contact_terms', 'words of contact_words'),
    derived('contact_words', 'searchable words of contacts'),
    derived('contact_counts', 'counted by triggers', { totals: { columns: ['contacts'] } }),
  ],
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
