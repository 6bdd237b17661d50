import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'
import { oneOf } from '../../../lib/fields'
import { DOCUMENT_KINDS } from './documents/rules'

/** Reads the document of a context. One at a time runs in the process. */
export const ReadDocument = job(
  'ai.read-document',
  Type.Object({
    contextId: Type.String(),
    storedAs: Type.String(),
    kind: oneOf(DOCUMENT_KINDS),
  }),
  { queue: 'documents', maxAttempts: 3 },
)

/** Settles calls whose job was lost. */
export const SettleForgottenCalls = job('ai.settle-forgotten', Type.Object({}), {
  queue: 'default',
})
