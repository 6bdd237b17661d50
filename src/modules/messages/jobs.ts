import { Type } from '@sinclair/typebox'

import { MINUTE_MS } from '../../lib/clock'
import type { Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { defineJob, defineTransactionJob, type AsyncJob } from '../../infra/jobs/define'
import { enqueue, hasLiveJob, expedite } from '../../infra/jobs/enqueue'
import { defineSchedule } from '../../infra/jobs/schedule'
import { AccountChanged } from '../accounts/events'
import { MediaStored } from '../media/events'
import { TemplateChanged } from '../templates/events'
import { announceFileIn } from './publish-file-change'
import { campaignOf } from './publish-status'
import { gateKeyOf } from './outbound/gate-keys'
import { SEND_JOB, sendKey } from './rules'
import { contactsHeldForTemplate, contactsWithHeldMessages } from './queries'
import { deliverMessage, failAbandonedIn, type StartUpload } from './outbound/deliver'
import { failOfDeletedIn, sweepMessages } from './outbound/sweep'
import { uploadFileOf } from './outbound/upload'
import type { MessageRow } from './view'

/** The retry plan of each class and the message's expiry end it earlier. */
const MAX_ATTEMPTS = 200

const SEND_TIMEOUT_MS = 45_000
const UPLOAD_TIMEOUT_MS = 6 * MINUTE_MS

const MessageArgs = Type.Object({ messageId: Type.String() })

/** Uploads the file of one message, however often that must be tried. */
export const uploadMessageFile = defineJob({
  name: 'message.upload',
  lane: 'media',
  args: MessageArgs,
  maxAttempts: MAX_ATTEMPTS,
  timeoutMs: UPLOAD_TIMEOUT_MS,
  run: (ctx, { messageId }) => uploadFileOf(ctx, messageId),
  whenDiscarded: (tx, ctx, { messageId }) => failAbandonedIn(tx, ctx, messageId),
})

/**
 * Files go up one after the other for each number, so that a second message finds the id the first
 * one got.
 */
const startUpload: StartUpload = (tx, ctx, { messageId, mediaId, accountId }) => {
  const which = {
    kind: uploadMessageFile.name,
    serialKeys: [`upload:${accountId}:${mediaId}`],
    args: { messageId },
  }
  if (!hasLiveJob(ctx, which))
    enqueue(tx, ctx, uploadMessageFile, {
      args: { messageId },
      serialKey: which.serialKeys[0] ?? '',
    })
}

/** Hands one message to the platform, however often it must wait for that. */
export const sendMessage: AsyncJob<{ messageId: string }> = defineJob({
  name: SEND_JOB,
  lane: 'send',
  args: MessageArgs,
  maxAttempts: MAX_ATTEMPTS,
  timeoutMs: SEND_TIMEOUT_MS,
  isToldByRows: true,
  run: (ctx, { messageId }) => deliverMessage(ctx, messageId, startUpload),
  whenDiscarded: (tx, ctx, { messageId }) => failAbandonedIn(tx, ctx, messageId),
})

/**
 * Puts the job that sends a message into the queue, in the transaction that stores it: in order
 * with its contact's, at its number's gate.
 */
export function queueSendIn(
  tx: Tx,
  ctx: Ctx,
  row: Pick<MessageRow, 'id' | 'contactId' | 'accountId' | 'source'>,
): void {
  const { accountId } = row
  const campaignId = row.source === 'campaign' ? campaignOf(ctx, row.id) : undefined
  const rank = campaignId !== undefined ? 'campaign' : row.source === 'chatbot' ? 'bot' : 'person'
  const gateKey = gateKeyOf({ accountId, rank, campaignId })
  enqueue(tx, ctx, sendMessage, {
    args: { messageId: row.id },
    serialKey: sendKey(row.contactId),
    gateKey,
  })
}

/**
 * Lets messages that were held without a gate go on as soon as something about their number
 * changed; those of a deleted number fail.
 */
export const releaseHeldMessages: ReturnType<
  typeof defineTransactionJob<typeof AccountChanged.payload>
> = defineTransactionJob({
  name: 'message.release-held',
  lane: 'default',
  args: AccountChanged.payload,
  isKept: false,
  run: (tx, ctx, args) => {
    if (failOfDeletedIn(tx, ctx, args.accountId)) enqueue(tx, ctx, releaseHeldMessages, { args })
    else
      expedite(tx, ctx, {
        kind: SEND_JOB,
        serialKeys: contactsWithHeldMessages(ctx, args.accountId).map(sendKey),
      })
  },
})

/**
 * Lets messages go on that were held because of their template, as soon as something about it
 * changed.
 */
export const releaseTemplate = defineTransactionJob({
  name: 'message.release-template',
  lane: 'default',
  args: TemplateChanged.payload,
  isKept: false,
  run(tx, ctx, { templateId, changed }) {
    if (!changed.includes('status')) return
    expedite(tx, ctx, {
      kind: SEND_JOB,
      serialKeys: contactsHeldForTemplate(ctx, templateId).map(sendKey),
    })
  },
})

/** Tells that the file of a message came, failed for good, or is kept no longer. */
export const announceFile = defineTransactionJob({
  name: 'message.announce-file',
  lane: 'default',
  args: MediaStored.payload,
  isKept: false,
  run: (tx, ctx, { mediaId }) => announceFileIn(tx, ctx, mediaId),
})

/** Looks after messages that have waited too long or were forgotten. */
export const sweepWaitingMessages = defineJob({
  name: 'message.sweep',
  lane: 'default',
  args: Type.Object({}),
  run: async (ctx) => {
    await sweepMessages(ctx, queueSendIn)
  },
})

export const sweeping = defineSchedule('sweeping messages', MINUTE_MS, sweepWaitingMessages)
