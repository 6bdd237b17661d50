import type { Module } from '../../../http/module'
import { carried, fullText, left } from '../../../infra/table-fates'
import { onHook } from '../../../infra/transaction-hooks'
import { ContactsMerged } from '../../inbox/messages/events'
import { moveUsageIn } from './contact-changes'
import { contextRoutes } from './contexts/routes'
import { MAX_CONTEXTS } from './contexts/validate'
import { aiRoutes, complianceRoutes } from './routes'
import { aiSchedules, aiWorkers } from './workers'
import { aiBreakers, aiChunks, aiContexts, aiDays, aiUsage } from './table'

export const aiModule: Module = {
  name: 'ai',
  tables: [
    carried(aiContexts, {
      limits: [{ rows: MAX_CONTEXTS }],
      hasFiles: true,
      secrets: { headers_sealed: '{organization_id}/ai_contexts/headers/{id}' },
    }),
    carried(aiChunks),
    carried(aiUsage),
    carried(aiDays),
    left(aiBreakers, 'state of this server towards the providers'),
    fullText('ai_search', aiChunks),
  ],
  routes: ({ http }) => [aiRoutes(http), complianceRoutes(http), contextRoutes(http)],
  workers: aiWorkers,
  schedules: aiSchedules,
  hooks: [onHook(ContactsMerged, moveUsageIn)],
}
