import { work } from '../../../infra/jobs/work'
import { FindPushes, SendPush } from './jobs'
import { findPushes } from './notify'
import { sendPush } from './send'

export const pushWorkers = [
  work(FindPushes, (ctx, args) => findPushes(ctx, args), { isKept: false }),
  work(SendPush, (ctx, args) => sendPush(ctx, args), { isKept: false }),
]
