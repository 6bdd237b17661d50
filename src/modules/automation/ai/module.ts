import type { Module } from '../../../http/module'
import { carried, fullText, left } from '../../../infra/table-fates'
import { onHook } from '../../../infra/transaction-hooks'
import { ContactsMerged, ContactsSeparated } from '../../inbox/messages/events'
import { moveUsageIn } from './contact-changes'
import { contextRoutes } from './contexts/routes'
import { MAX_CONTEXTS } from './contexts/validate'
import { mergeQuestionsIn, separateQuestionsIn } from './questions/contact-changes'
import { MAX_QUESTIONS } from './questions/model'
import { questionRoutes } from './questions/routes'
import { aiRoutes, complianceRoutes } from './routes'
import { aiSchedules, aiWorkers } from './workers'
import { aiBreakers, aiChunks, aiContexts, aiDays, aiQuestions, aiUsage } from './table'

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
    carried(aiQuestions, { limits: [{ rows: MAX_QUESTIONS }] }),
    carried(aiDays),
    left(aiBreakers, 'state of this server towards the providers'),
    fullText('ai_search', aiChunks),
  ],
  routes: ({ http }) => [
    aiRoutes(http),
    complianceRoutes(http),
    contextRoutes(http),
    questionRoutes(http),
  ],
  workers: aiWorkers,
  schedules: aiSchedules,
  hooks: [
    onHook(ContactsMerged, moveUsageIn),
    onHook(ContactsMerged, mergeQuestionsIn),
    onHook(ContactsSeparated, separateQuestionsIn),
  ],
}
