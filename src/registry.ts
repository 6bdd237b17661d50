import type { Schedule } from './infra/jobs/schedule'
import type { Gate, Work } from './infra/jobs/work'
import { mailWorkers } from './infra/mail/workers'
import type { Subscription } from './infra/outbox/subscribe'
import type { HookHandler } from './infra/transaction-hooks'
import { accountSchedules, accountWorkers } from './modules/accounts/workers'
import { authWorkers } from './modules/auth/workers'
import { campaignHooks } from './modules/campaigns/results/track-delivery'
import { campaignSubscribers } from './modules/campaigns/subscribers'
import { campaignSchedules, campaignWorkers } from './modules/campaigns/workers'
import { contactOperationWorkers } from './modules/contact-operations/workers'
import { contactWorkers } from './modules/contacts/workers'
import { conversationWorkers } from './modules/conversations/workers'
import { exportSubscribers } from './modules/exports/subscribers'
import { exportSchedules, exportWorkers } from './modules/exports/workers'
import { flowWorkers } from './modules/flows/workers'
import { importSubscribers } from './modules/imports/subscribers'
import { importSchedules, importWorkers } from './modules/imports/workers'
import { inboundSubscribers } from './modules/inbound/subscribers'
import { inboundWorkers } from './modules/inbound/workers'
import { mediaSchedules, mediaWorkers } from './modules/media/workers'
import { sendGate } from './modules/messages/outbound/send-gate'
import { messageSubscribers } from './modules/messages/subscribers'
import { messageSchedules, messageWorkers } from './modules/messages/workers'
import { privacySchedules, privacyWorkers } from './modules/privacy/workers'
import { retentionSchedules, retentionWorkers } from './modules/retention/workers'
import { systemSchedules, systemWorkers } from './modules/system/workers'
import { templateSchedules, templateWorkers } from './modules/templates/workers'

/**
 * Everything asynchronous the program can do: its jobs with their work, the jobs that follow
 * events, and the schedules.
 */
export interface Registry {
  workers: Work[]
  subscribers: Subscription[]
  schedules: Schedule[]
  gates: Gate[]
  followers: HookHandler[]
}

const WORKERS: Work[] = [
  ...mailWorkers,
  ...authWorkers,
  ...accountWorkers,
  ...contactWorkers,
  ...conversationWorkers,
  ...mediaWorkers,
  ...flowWorkers,
  ...templateWorkers,
  ...messageWorkers,
  ...privacyWorkers,
  ...contactOperationWorkers,
  ...retentionWorkers,
  ...importWorkers,
  ...exportWorkers,
  ...campaignWorkers,
  ...inboundWorkers,
  ...systemWorkers,
]

const SCHEDULES = [
  ...accountSchedules,
  ...mediaSchedules,
  ...templateSchedules,
  ...messageSchedules,
  ...privacySchedules,
  ...retentionSchedules,
  ...importSchedules,
  ...exportSchedules,
  ...campaignSchedules,
  ...systemSchedules,
]

const SUBSCRIBERS = [
  ...messageSubscribers,
  ...importSubscribers,
  ...exportSubscribers,
  ...campaignSubscribers,
  ...inboundSubscribers,
]

/**
 * Collects the lists. Throws when two jobs have one name, or when a scheduled or subscribed job has
 * no worker.
 */
export function createRegistry(): Registry {
  const names = WORKERS.map(({ name }) => name)
  const doubled = names.find((name, index) => names.indexOf(name) !== index)
  if (doubled !== undefined) throw new Error(`two jobs are named ${doubled}`)
  const orphan = [...SUBSCRIBERS, ...SCHEDULES].find(({ job }) => !names.includes(job.name))
  if (orphan !== undefined) throw new Error(`the job ${orphan.job.name} has no worker`)
  return {
    workers: WORKERS,
    subscribers: SUBSCRIBERS,
    schedules: SCHEDULES,
    gates: [sendGate],
    followers: [...campaignHooks],
  }
}
