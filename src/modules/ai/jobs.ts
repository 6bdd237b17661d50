import { Type } from '@sinclair/typebox'

import { job } from '../../infra/jobs/job'

/** Settles calls whose job was lost. */
export const SettleForgottenCalls = job('ai.settle-forgotten', Type.Object({}), {
  queue: 'default',
})
