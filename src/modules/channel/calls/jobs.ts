import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

/** Ends calls as missed whose end the platform never reported. */
export const EndUnreportedCalls = job('call.end-unreported', Type.Object({}), { queue: 'default' })
