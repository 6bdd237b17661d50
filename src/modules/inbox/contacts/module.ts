import type { Module } from '../../../http/module'
import { carried, derived, left } from '../../../infra/table-fates'
import {
  contactRoutes,
  contactStateRoutes,
  tagDeletionRoutes,
  segmentContactRoutes,
} from './routes'
import { consentRoutes } from './consent/routes'
import { attributeRoutes } from './attributes/routes'
import { MAX_ATTRIBUTES } from './attributes/service'
import { duplicateRoutes } from './duplicates/routes'
import { noteRoutes } from './notes/routes'
import { contactWorkers } from './workers'
import {
  contactCounts,
  contactIdentities,
  contactMerges,
  contactTags,
  contactViewers,
  contacts,
  contactsApart,
  suppressions,
} from './table'
import { contactAttributes } from './attributes/table'
import { consentSettings, contactConsents } from './consent/table'
import { notes } from './notes/table'
import { contactTerms, contactWords } from './search/table'

export const contactsModule: Module = {
  name: 'contacts',
  tables: [
    carried(contacts),
    carried(contactIdentities),
    carried(contactMerges),
    carried(contactsApart),
    carried(contactTags),
    carried(contactAttributes, { limits: [{ rows: MAX_ATTRIBUTES }] }),
    carried(consentSettings),
    carried(contactConsents),
    carried(notes),
    left(suppressions, 'digests under a key of this installation'),
    derived(contactTerms, 'words of contact_words'),
    derived(contactWords, 'searchable words of contacts'),
    derived(contactViewers, 'kept by triggers from who has contacts and conversations'),
    derived(contactCounts, 'counted by triggers', { totals: { columns: ['contacts'] } }),
  ],
  routes: ({ http }) => [
    contactRoutes(http),
    contactStateRoutes(http),
    tagDeletionRoutes(http),
    segmentContactRoutes(http),
    consentRoutes(http),
    attributeRoutes(http),
    duplicateRoutes(http),
    noteRoutes(http),
  ],
  workers: contactWorkers,
}
