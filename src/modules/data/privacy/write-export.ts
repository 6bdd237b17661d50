import { Readable } from 'node:stream'

import { inArray, type SQL } from 'drizzle-orm'
import { ZipFile } from 'yazl'

import { DAY_MS, isoTime } from '../../../lib/clock'
import { inOrganization, type Ctx, type JobCtx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { zipOutput } from '../../../infra/zip-output'
import { aiQuestions, aiUsage } from '../../automation/ai/table'
import { campaignRecipients } from '../../outreach/campaigns/table'
import { botSessions, botTrace } from '../../automation/chatbot/engine/table'
import { idsOfPerson } from '../../inbox/contacts/erase/erase'
import { notes } from '../../inbox/contacts/notes/table'
import { contactMerges } from '../../inbox/contacts/table'
import { timelineEntries } from '../../inbox/conversations/timeline/table'
import { flowResponses } from '../../channel/flows/sent-table'
import { messageRevisions } from '../../inbox/messages/inbound/table'
import { messageReactions } from '../../inbox/messages/reactions/table'
import { messages } from '../../inbox/messages/table'
import { findActiveMember } from '../../organization/memberships/find'
import { notifyIn, type NewNotification } from '../../organization/notifications/service'
import { advanceWorkIn } from '../../organization/notifications/work/note'
import { orders } from '../../inbox/orders/table'
import { scheduledMessages } from '../../inbox/scheduled-messages/table'
import { transferChanges, transfers } from '../../automation/transfers/table'
import { addFiles, archiveError } from './archive-files'
import type { PrivacyRow } from './model'
import { callFacts, FilesOfPerson, messageFacts } from './message-data'
import { contactFacts, conversationFacts, eventFacts, factsOf, importFacts } from './personal-data'
import { changeRequestIn, findRequest, type PrivacyCounts, sumOf } from './requests'
import { privacyRequests } from './table'
import { threadFactsOf } from './thread-facts'
import { webhookDataOf } from './webhook-data'
import { yieldEvery } from '../../../infra/event-loop'
import { noticeText } from '../../organization/notifications/catalog'

type OfContact =
  | typeof aiQuestions
  | typeof aiUsage
  | typeof botSessions
  | typeof botTrace
  | typeof campaignRecipients
  | typeof messageReactions
  | typeof messageRevisions
  | typeof notes
  | typeof orders
  | typeof privacyRequests
  | typeof scheduledMessages
  | typeof timelineEntries
  | typeof transfers

/** The file can be downloaded for this long. */
const KEPT_MS = 7 * DAY_MS

/** Time budget of one step before it yields, milliseconds. */
const STEP_MS = 5

/** Format name and version stored in the file. */
const FORMAT = 'switchboard.privacy-export/1'

/**
 * Writes all data that erasing the contact would remove to one ZIP file: JSON and media files.
 * After an interruption it starts over with a new file. Throws UnreadableFileError if a media file
 * cannot be read; a missing one is listed in the archive instead.
 */
export async function writePrivacyExport(ctx: JobCtx, requestId: string): Promise<void> {
  const request = findRequest(ctx, requestId)
  if (request?.state !== 'running') return
  const counts: PrivacyCounts = {}
  const zip = new ZipFile()
  const files = new FilesOfPerson(ctx)
  const stream = zipOutput(zip, (error) => archiveError(error, ctx.files, files.byName.values()))
  addParts(zip, ctx, { request, counts, files })
  const staged = await ctx.files.stage(stream, { maxBytes: Number.MAX_SAFE_INTEGER })
  if (ctx.signal.aborted) await ctx.files.discard(staged)
  ctx.signal.throwIfAborted()
  const storedAs = await ctx.files.keep(staged)
  transact(ctx.db, (tx) => {
    const nowMs = ctx.clock.nowMs()
    const { sha256, sizeBytes } = staged.facts
    changeRequestIn(tx, ctx, requestId, {
      ...{
        state: 'completed',
        partsLeft: 0,
        counts: JSON.stringify(counts),
        sha256,
        storedAs,
        bytes: sizeBytes,
      },
      ...{ completedAtMs: nowMs, expiresAtMs: nowMs + KEPT_MS },
    })
    const done = sumOf(counts)
    advanceWorkIn(tx, ctx, requestId, { state: 'completed', done, total: done })
    notifyRequesterIn(tx, ctx, request, {
      severity: 'info',
      title: "The export of a person's data is ready",
      text: noticeText('privacy_export_ready'),
      body: 'It can be downloaded for seven days.',
    })
  })
}

/** Marks an export as failed. */
export const failPrivacyExport = (ctx: Ctx, requestId: string, error: string): void =>
  transact(ctx.db, (tx) => {
    changeRequestIn(tx, ctx, requestId, {
      state: 'failed',
      partsLeft: 0,
      error: error.slice(0, 500),
      completedAtMs: ctx.clock.nowMs(),
    })
    advanceWorkIn(tx, ctx, requestId, { state: 'failed' })
    const request = findRequest(ctx, requestId)
    if (request)
      notifyRequesterIn(tx, ctx, request, {
        severity: 'warning',
        title: "The export of a person's data failed",
        text: noticeText('privacy_export_failed'),
        body: 'Start a new one.',
      })
  })

function notifyRequesterIn(
  tx: Tx,
  ctx: Ctx,
  { requestedBy: userId, contactId }: PrivacyRow,
  note: Pick<NewNotification, 'severity' | 'title' | 'body' | 'text'>,
): void {
  if (userId === null || !findActiveMember(ctx, userId)) return
  notifyIn(tx, ctx, { ...note, userId, kind: 'export_done', link: `/contacts/${contactId}` })
}

/**
 * Adds the sections to the archive. Each is read when its turn comes. Media files are known once
 * the messages are written, so they are added last.
 */
function addParts(
  zip: ZipFile,
  ctx: JobCtx,
  { request, counts, files }: { request: PrivacyRow; counts: PrivacyCounts; files: FilesOfPerson },
): void {
  const { contactId } = request
  const counted = (name: string, number: number): void => {
    counts[name] = number
    transact(ctx.db, (tx) => advanceWorkIn(tx, ctx, request.id, { done: sumOf(counts) }), {
      isFlushed: false,
    })
  }
  const json = (name: string, value: unknown): void =>
    zip.addBuffer(Buffer.from(`${JSON.stringify(value, null, 2)}\n`), name)
  const stream = (name: string, texts: AsyncGenerator<string>): void =>
    zip.addReadStreamLazy(name, {}, (done) =>
      // yazl does not listen for errors of its sources; without a listener they end the process.
      done(
        null,
        Readable.from(texts).on('error', (error) => zip.emit('error', error)),
      ),
    )
  const list = (name: string, steps: Iterable<unknown[]>): void =>
    stream(`${name}.json`, arrayOf(linesOf(ctx, steps, (number) => counted(name, number))))
  const lines = (
    name: string,
    steps: Iterable<unknown[]>,
    ended = async (): Promise<void> => undefined,
  ): void =>
    stream(
      `${name}.jsonl`,
      linesOf(ctx, steps, async (number) => {
        counted(name, number)
        await ended()
      }),
    )
  json('about.json', {
    format: FORMAT,
    organization_id: ctx.organizationId,
    contact_id: contactId,
    made_at: isoTime(ctx.clock.nowMs()),
  })
  const ids = idsOfPerson(ctx, contactId)
  const own = (name: string, table: OfContact): void =>
    list(name, factsOf(ctx, table, inArray(table.contactId, ids)))
  json('contact.json', contactFacts(ctx, ids))
  list('conversations', [conversationFacts(ctx, contactId)])
  list('thread_facts', threadFactsOf(ctx, contactId))
  list('calls', callFacts(ctx, ids, files))
  own('notes', notes)
  own('transfers', transfers)
  list('transfer_changes', factsOf(ctx, transferChanges, isOfTransfers(ctx, ids)))
  own('timeline', timelineEntries)
  own('scheduled_messages', scheduledMessages)
  own('bot_sessions', botSessions)
  own('bot_trace', botTrace)
  own('orders', orders)
  list('flow_responses', factsOf(ctx, flowResponses, isOfMessages(ctx, ids)))
  own('ai_usage', aiUsage)
  own('ai_questions', aiQuestions)
  own('reactions', messageReactions)
  own('revisions', messageRevisions)
  own('campaigns', campaignRecipients)
  own('privacy_requests', privacyRequests)
  list('merges', factsOf(ctx, contactMerges, inArray(contactMerges.targetId, ids)))
  list('imports', importFacts(ctx, ids))
  lines('events', eventFacts(ctx, contactId))
  lines('deliveries', webhookDataOf(ctx, contactId))
  lines('messages', messageFacts(ctx, contactId, files), async () => {
    await addFiles(zip, ctx, { wanted: [...files.byName.values()], counts })
    zip.end()
  })
}

const isOfTransfers = (ctx: Ctx, contactIds: string[]): SQL =>
  inArray(
    transferChanges.transferId,
    ctx.db.orm
      .select({ id: transfers.id })
      .from(transfers)
      .where(inOrganization(ctx, transfers, inArray(transfers.contactId, contactIds))),
  )

const isOfMessages = (ctx: Ctx, contactIds: string[]): SQL =>
  inArray(
    flowResponses.messageId,
    ctx.db.orm
      .select({ id: messages.id })
      .from(messages)
      .where(inOrganization(ctx, messages, inArray(messages.contactId, contactIds))),
  )

/**
 * Yields rows as lines of JSON and yields to the event loop in between. Reports the number of rows
 * to `count` at the end.
 */
async function* linesOf(
  ctx: JobCtx,
  steps: Iterable<unknown[]>,
  count: (lines: number) => void | Promise<void>,
): AsyncGenerator<string> {
  const yieldIfDue = yieldEvery(STEP_MS)
  let written = 0
  for (const step of steps) {
    ctx.signal.throwIfAborted()
    for (const line of step) {
      yield `${JSON.stringify(line)}\n`
      await yieldIfDue()
    }
    written += step.length
    await yieldIfDue()
  }
  await count(written)
}

/** Joins lines of JSON into one array. */
async function* arrayOf(lines: AsyncGenerator<string>): AsyncGenerator<string> {
  let before = '['
  for await (const line of lines) {
    yield `${before}\n${line.trimEnd()}`
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}
