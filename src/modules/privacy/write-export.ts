import { Readable } from 'node:stream'

import { ZipFile } from 'yazl'

import { DAY_MS, isoTime } from '../../lib/clock'
import type { Ctx, JobCtx } from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import { campaignRecipients } from '../campaigns/table'
import { messageReactions } from '../messages/reactions/table'
import { messageRevisions } from '../messages/inbound/table'
import { notes } from '../contacts/notes/table'
import { webhookDataOf } from './webhook-data'
import {
  contactFacts,
  conversationFacts,
  eventFacts,
  factsOf,
  importFacts,
  messageFacts,
  type FileOfMessage,
} from './personal-data'
import { changeRequestIn, findRequest, type Counts } from './requests'
import { yieldEvery } from '../../infra/event-loop'

/** The file can be downloaded for so long. */
const KEPT_MS = 7 * DAY_MS

/** Others wait no longer for their turn than this, milliseconds, and what one step takes. */
const STEP_MS = 5

/** What the file says of itself. */
const FORMAT = 'switchboard.privacy-export/1'

/**
 * Writes everything that erasing a contact would remove into one ZIP file: JSON, and the files of
 * messages. Begins anew when it was cut off: what was written until then belongs to nothing.
 */
export async function writePrivacyExport(ctx: JobCtx, requestId: string): Promise<void> {
  const request = findRequest(ctx, requestId)
  if (request?.state !== 'running') return
  const counts: Counts = {}
  const zip = new ZipFile()
  const stream = zip.outputStream as Readable
  zip.on('error', (error: Error) => stream.destroy(error))
  addParts(zip, ctx, request.contactId, counts)
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

/** Ends an export that cannot be written. */
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
 * Parts are read when their turn in the file has come; the files of messages are known, and the
 * last ones added, once the messages are written.
 */
function addParts(zip: ZipFile, ctx: JobCtx, contactId: string, counts: Counts): void {
  const json = (name: string, value: unknown): void =>
    zip.addBuffer(Buffer.from(`${JSON.stringify(value, null, 2)}\n`), name)
  const stream = (name: string, texts: AsyncGenerator<string>): void =>
    zip.addReadStreamLazy(name, {}, (done) => done(null, Readable.from(texts)))
  const list = (name: string, steps: Iterable<unknown[]>): void =>
    stream(`${name}.json`, arrayOf(linesOf(ctx, steps, (number) => void (counts[name] = number))))
  const lines = (name: string, steps: Iterable<unknown[]>, ended = (): void => undefined): void =>
    stream(
      `${name}.jsonl`,
      linesOf(ctx, steps, (number) => {
        counts[name] = number
        ended()
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
  list('notes', factsOf(ctx, notes, contactId))
  list('reactions', factsOf(ctx, messageReactions, contactId))
  list('revisions', factsOf(ctx, messageRevisions, contactId))
  list('campaigns', factsOf(ctx, campaignRecipients, contactId))
  list('imports', importFacts(ctx, contactId))
  lines('events', eventFacts(ctx, contactId))
  lines('deliveries', webhookDataOf(ctx, contactId))
  const files = new Map<string, FileOfMessage>()
  lines('messages', messageFacts(ctx, contactId, files), () => {
    counts['files'] = files.size
    for (const { name, path } of files.values()) zip.addFile(path, name, { compress: false })
    zip.end()
  })
}

/**
 * What steps tell as lines of JSON, with turns for others in between; at the end `count` hears how
 * many there were.
 */
async function* linesOf(
  ctx: JobCtx,
  steps: Iterable<unknown[]>,
  count: (lines: number) => void,
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
  count(written)
}

/** Lines of JSON as one array. */
async function* arrayOf(lines: AsyncGenerator<string>): AsyncGenerator<string> {
  let before = '['
  for await (const line of lines) {
    yield `${before}\n${line.trimEnd()}`
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}
