import { Readable } from 'node:stream'

import { ZipFile } from 'yazl'

import { DAY_MS, isoTime } from '../../lib/clock'
import type { Ctx, JobCtx } from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import { zipOutput } from '../../infra/zip-output'
import { botSessions, botTrace } from '../chatbot/engine/table'
import { aiUsage } from '../ai/table'
import { campaignRecipients } from '../campaigns/table'
import { messageReactions } from '../messages/reactions/table'
import { messageRevisions } from '../messages/inbound/table'
import { timelineEntries } from '../conversations/timeline/table'
import { notes } from '../contacts/notes/table'
import { orders } from '../orders/table'
import { scheduledMessages } from '../scheduled-messages/table'
import { transfers } from '../transfers/table'
import { addFiles, archiveError } from './archive-files'
import { webhookDataOf } from './webhook-data'
import {
  callFacts,
  contactFacts,
  conversationFacts,
  eventFacts,
  factsOf,
  importFacts,
  messageFacts,
  type FileOfMessage,
} from './personal-data'
import { changeRequestIn, findRequest, type Counts } from './requests'
import { threadFactsOf } from './thread-facts'
import { yieldEvery } from '../../infra/event-loop'

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
  const counts: Counts = {}
  const zip = new ZipFile()
  const files = new Map<string, FileOfMessage>()
  const stream = zipOutput(zip, (error) => archiveError(error, ctx.files, files.values()))
  addParts(zip, ctx, { contactId: request.contactId, counts, files })
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
  })
}

/** Marks an export as failed. */
export const failPrivacyExport = (ctx: Ctx, requestId: string, error: string): void =>
  transact(ctx.db, (tx) =>
    changeRequestIn(tx, ctx, requestId, {
      state: 'failed',
      partsLeft: 0,
      error: error.slice(0, 500),
      completedAtMs: ctx.clock.nowMs(),
    }),
  )

/**
 * Adds the sections to the archive. Each is read when its turn comes. Media files are known once
 * the messages are written, so they are added last.
 */
function addParts(
  zip: ZipFile,
  ctx: JobCtx,
  {
    contactId,
    counts,
    files,
  }: { contactId: string; counts: Counts; files: Map<string, FileOfMessage> },
): void {
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
    stream(`${name}.json`, arrayOf(linesOf(ctx, steps, (number) => void (counts[name] = number))))
  const lines = (
    name: string,
    steps: Iterable<unknown[]>,
    ended = async (): Promise<void> => undefined,
  ): void =>
    stream(
      `${name}.jsonl`,
      linesOf(ctx, steps, async (number) => {
        counts[name] = number
        await ended()
      }),
    )
  json('about.json', {
    format: FORMAT,
    organization_id: ctx.organizationId,
    contact_id: contactId,
    made_at: isoTime(ctx.clock.nowMs()),
  })
  json('contact.json', contactFacts(ctx, contactId))
  list('conversations', [conversationFacts(ctx, contactId)])
  list('thread_facts', threadFactsOf(ctx, contactId))
  list('notes', factsOf(ctx, notes, contactId))
  list('calls', callFacts(ctx, contactId, files))
  list('transfers', factsOf(ctx, transfers, contactId))
  list('timeline', factsOf(ctx, timelineEntries, contactId))
  list('scheduled_messages', factsOf(ctx, scheduledMessages, contactId))
  list('bot_sessions', factsOf(ctx, botSessions, contactId))
  list('bot_trace', factsOf(ctx, botTrace, contactId))
  list('orders', factsOf(ctx, orders, contactId))
  list('ai_usage', factsOf(ctx, aiUsage, contactId))
  list('reactions', factsOf(ctx, messageReactions, contactId))
  list('revisions', factsOf(ctx, messageRevisions, contactId))
  list('campaigns', factsOf(ctx, campaignRecipients, contactId))
  list('imports', importFacts(ctx, contactId))
  lines('events', eventFacts(ctx, contactId))
  lines('deliveries', webhookDataOf(ctx, contactId))
  lines('messages', messageFacts(ctx, contactId, files), async () => {
    await addFiles(zip, ctx, { wanted: [...files.values()], counts })
    zip.end()
  })
}

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
