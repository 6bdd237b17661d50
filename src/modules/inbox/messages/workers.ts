import { MINUTE_MS } from '../../../lib/clock'
import type { JobCtx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { work, workInTransaction } from '../../../infra/jobs/work'
import { rescopeWordsIn } from './contact-changes/move'
import { changeConversations } from './conversation/bulk/change'
import { sendReadMark } from './conversation/send-read-receipt'
import { expirePendingEditsIn } from './inbound/pending-edits'
import { advanceWorkIn } from '../../organization/notifications/work/note'
import {
  ChangeConversations,
  ExpirePendingEdits,
  NotifyUnknown,
  PublishFileChange,
  ReleaseHeldMessages,
  ReleaseTemplateMessages,
  RescopeWords,
  SendMessage,
  SendReaction,
  SendReadReceipt,
  ShowTyping,
  SweepMessages,
  UploadMessageFile,
} from './jobs'
import { deliverMessage, failAbandonedIn } from './outbound/deliver'
import { notifyUnknownIn } from './outbound/notify-unknown'
import { releaseForTemplateIn, releaseHeldIn } from './outbound/release'
import { resendByIdIn } from './outbound/resend'
import { failForDeletedAccountIn, sweepMessages } from './outbound/sweep'
import { uploadFileOf } from './outbound/upload'
import { publishFileChangeIn } from './publish-file-change'
import { abandonReactionIn, deliverReaction } from './reactions/deliver'

const SEND_TIMEOUT_MS = 45_000

const failMessageIn = (tx: Tx, ctx: JobCtx, { messageId }: { messageId: string }): void =>
  failAbandonedIn(tx, ctx, messageId)

const platformWorkers = [
  work(SendMessage, (ctx, { messageId }) => deliverMessage(ctx, messageId), {
    timeoutMs: SEND_TIMEOUT_MS,
    isResultInRows: true,
    whenDiscarded: failMessageIn,
    whenRetried: (tx, ctx, { messageId }) => resendByIdIn(tx, ctx, messageId),
  }),

  work(UploadMessageFile, (ctx, { messageId }) => uploadFileOf(ctx, messageId), {
    timeoutMs: 6 * MINUTE_MS,
    whenDiscarded: failMessageIn,
  }),

  work(SendReaction, (ctx, at) => deliverReaction(ctx, at), {
    timeoutMs: SEND_TIMEOUT_MS,
    whenDiscarded: (tx, ctx, at) => abandonReactionIn(tx, ctx, at),
  }),

  work(SendReadReceipt, (ctx, at) => sendReadMark(ctx, { ...at, isTyping: false })),

  work(ShowTyping, (ctx, at) => sendReadMark(ctx, { ...at, isTyping: true })),
]

const databaseWorkers = [
  work(ChangeConversations, (ctx, change) => changeConversations(ctx, change), {
    timeoutMs: 15 * MINUTE_MS,
    whenDiscarded: (tx, ctx) => advanceWorkIn(tx, ctx, ctx.jobId, { state: 'failed' }),
  }),

  workInTransaction(
    ReleaseHeldMessages,
    (tx, ctx, args) => {
      if (failForDeletedAccountIn(tx, ctx, args.accountId))
        enqueue(tx, ctx, ReleaseHeldMessages, { args })
      else releaseHeldIn(tx, ctx, args.accountId)
    },
    { isKept: false },
  ),

  workInTransaction(
    ReleaseTemplateMessages,
    (tx, ctx, { templateId, changed }) => {
      if (changed.includes('status')) releaseForTemplateIn(tx, ctx, templateId)
    },
    { isKept: false },
  ),

  workInTransaction(
    PublishFileChange,
    (tx, ctx, { mediaId }) => publishFileChangeIn(tx, ctx, mediaId),
    {
      isKept: false,
    },
  ),

  workInTransaction(
    RescopeWords,
    (tx, ctx, { contactId, after }) => {
      const next = rescopeWordsIn(tx, ctx, { contactId, after })
      if (next !== null) enqueue(tx, ctx, RescopeWords, { args: { contactId, after: next } })
    },
    { isKept: false },
  ),

  workInTransaction(
    ExpirePendingEdits,
    (tx, ctx) => {
      if (expirePendingEditsIn(tx, ctx) > 0) enqueue(tx, ctx, ExpirePendingEdits, { args: {} })
    },
    { isKept: false },
  ),

  workInTransaction(NotifyUnknown, (tx, ctx) => notifyUnknownIn(tx, ctx), { isKept: false }),

  work(SweepMessages, (ctx) => sweepMessages(ctx)),
]

export const messageWorkers = [...platformWorkers, ...databaseWorkers]

export const messageSchedules = [
  defineSchedule(MINUTE_MS, SweepMessages),
  defineSchedule(10 * MINUTE_MS, ExpirePendingEdits),
]
