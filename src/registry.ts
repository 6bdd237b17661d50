import type { Gate, JobDefinition } from './infra/jobs/define'
import type { Schedule } from './infra/jobs/schedule'
import type { HookHandler } from './infra/transaction-hooks'
import type { Reaction, Relay } from './infra/outbox/relay'
import { sendMailJob } from './infra/jobs/mail'
import { accountSchedule, probeAccount, probeDueAccounts } from './modules/accounts/jobs'
import { mailResetLink } from './modules/auth/jobs'
import { announceHeldBackCampaign } from './modules/campaigns/announcing/jobs'
import { dispatchCampaign } from './modules/campaigns/dispatching/jobs'
import { campaignHooks } from './modules/campaigns/results/track-delivery'
import {
  forgetErasedNumbers,
  forgetErasedRecipient,
  forgetRecipients,
} from './modules/campaigns/forgetting/jobs'
import {
  campaignSchedules,
  compareAllCounts,
  sweepAllCampaigns,
  watchAccount,
  watchTemplate,
} from './modules/campaigns/jobs'
import { copyRecipients } from './modules/campaigns/copying/jobs'
import { planCampaign } from './modules/campaigns/planning/jobs'
import { campaignReactions } from './modules/campaigns/subscribers'
import { workOffRecipients } from './modules/campaigns/recipients/jobs'
import { startDueCampaign } from './modules/campaigns/starting/jobs'
import { withdrawMessages } from './modules/campaigns/withdrawing/jobs'
import { changeContacts } from './modules/contact-operations/bulk/jobs'
import { eraseContact, forgetFiles } from './modules/contact-operations/jobs'
import { completeErasure } from './modules/privacy/complete-erasure-jobs'
import { expirePrivacyFiles, privacySchedule, writePrivacyFile } from './modules/privacy/jobs'
import { enqueueDueSweeps, retentionSchedule, sweepRetention } from './modules/retention/jobs'
import { tellPlatform } from './modules/contacts/jobs'
import { clearAttribute } from './modules/contacts/definitions/jobs'
import { announceHeldBack } from './modules/conversations/announcing/jobs'
import { wakeConversation } from './modules/conversations/jobs'
import { dropErased, dropExports, exportSchedule, writeFile } from './modules/exports/jobs'
import { exportReactions } from './modules/exports/subscribers'
import { syncAccountFlows } from './modules/flows/jobs'
import {
  dropReports,
  forgetErased,
  forgetInReports,
  importSchedule,
  undoRows,
  workOffImport,
} from './modules/imports/jobs'
import { importReactions } from './modules/imports/subscribers'
import { adoptUnrouted, forgetInJournal, processJobs, replayMany } from './modules/inbound/jobs'
import { enterPart } from './modules/inbound/splitting/jobs'
import { inboundReactions } from './modules/inbound/subscribers'
import {
  deleteFiles,
  downloadMedia,
  expireMedia,
  mediaSchedules,
  sweepMedia,
} from './modules/media/jobs'
import { sendGate } from './modules/messages/outbound/send-gate'
import {
  announceFile,
  releaseHeldMessages,
  sendMessage,
  sweeping,
  sweepWaitingMessages,
  uploadMessageFile,
  releaseTemplate,
} from './modules/messages/jobs'
import { sendReadReceipt, showTyping } from './modules/messages/conversation/jobs'
import { rescopeWords } from './modules/messages/merging/jobs'
import { sendReaction } from './modules/messages/reacting-out/jobs'
import { repeatable } from './modules/messages/outbound/resend'
import { messageReactions } from './modules/messages/subscribers'
import { endWaiting, waitingSchedule } from './modules/messages/waiting/jobs'
import type { BackupJobs } from './modules/system/backups/jobs'
import { housekeeping, retryMany, type RetryJob } from './modules/system/jobs'
import { resealSecrets } from './modules/system/key-rotation/jobs'
import { syncAllTemplates, syncBusinessTemplates, templateSchedule } from './modules/templates/jobs'

/**
 * Everything asynchronous the program can do: jobs, what follows which event, and what comes again
 * and again.
 */
export interface Registry {
  jobs: JobDefinition[]
  reactions: Reaction[]
  schedules: Schedule[]
  gates: Gate[]
  /** The one that has discarded jobs run again. */
  retryJobs: RetryJob
  followers: HookHandler[]
}

/** Jobs that need nothing but what every job gets. */
const JOBS = [
  ...Object.values(processJobs),
  enterPart,
  adoptUnrouted,
  probeAccount,
  probeDueAccounts,
  resealSecrets,
  tellPlatform,
  rescopeWords,
  changeContacts,
  eraseContact,
  forgetFiles,
  writePrivacyFile,
  expirePrivacyFiles,
  completeErasure,
  sweepRetention,
  enqueueDueSweeps,
  replayMany,
  forgetInJournal,
  announceHeldBack,
  wakeConversation,
  downloadMedia,
  deleteFiles,
  expireMedia,
  sweepMedia,
  announceFile,
  releaseTemplate,
  syncBusinessTemplates,
  syncAllTemplates,
  endWaiting,
  repeatable(sendMessage),
  uploadMessageFile,
  sweepWaitingMessages,
  sendReaction,
  releaseHeldMessages,
  sendReadReceipt,
  showTyping,
  sendMailJob,
  mailResetLink,
  clearAttribute,
  workOffImport,
  undoRows,
  forgetErased,
  forgetInReports,
  dropReports,
  writeFile,
  dropExports,
  dropErased,
  syncAccountFlows,
  startDueCampaign,
  copyRecipients,
  planCampaign,
  dispatchCampaign,
  withdrawMessages,
  announceHeldBackCampaign,
  workOffRecipients,
  forgetRecipients,
  forgetErasedRecipient,
  forgetErasedNumbers,
  watchAccount,
  watchTemplate,
  sweepAllCampaigns,
  compareAllCounts,
]

const SCHEDULES: Schedule[] = [
  privacySchedule,
  retentionSchedule,
  accountSchedule,
  sweeping,
  ...mediaSchedules,
  waitingSchedule,
  importSchedule,
  exportSchedule,
  ...campaignSchedules,
  templateSchedule,
]

const REACTIONS = [
  ...messageReactions,
  ...inboundReactions,
  ...importReactions,
  ...exportReactions,
  ...campaignReactions,
]

/**
 * The lists, checked for doubles and gaps. Throws when a name is used twice or a reaction's job is
 * missing.
 */
export function createRegistry(relay: () => Relay, backups: BackupJobs): Registry {
  const keeping = housekeeping(relay)
  const retryJobs = retryMany(() => jobs)
  const jobs = [
    ...JOBS,
    keeping.job,
    retryJobs,
    backups.make,
    backups.look,
  ] as unknown as JobDefinition[] // each checks its own arguments
  const schedules = [keeping.schedule, backups.schedule, ...SCHEDULES]
  const names = jobs.map(({ name }) => name)
  const doubled = names.find((name, index) => names.indexOf(name) !== index)
  if (doubled !== undefined) throw new Error(`two jobs are named ${doubled}`)
  const orphan = [...REACTIONS, ...schedules].find(({ job }) => !names.includes(job.name))
  if (orphan !== undefined) throw new Error(`the job ${orphan.job.name} is not in the registry`)
  return {
    jobs,
    reactions: REACTIONS,
    schedules,
    gates: [sendGate],
    retryJobs,
    followers: [...campaignHooks],
  }
}
