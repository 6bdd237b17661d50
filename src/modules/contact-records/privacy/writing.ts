import { Readable } from 'node:stream'

import { and, asc, eq, gt } from 'drizzle-orm'
import { ZipFile } from 'yazl'

import { DAY_MS, isoTime, isoTimeOrNull } from '../../../lib/clock'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db'
import type { JobCtx } from '../../../infra/jobs/define'
import { events } from '../../../infra/outbox/table'
import { campaignRecipients } from '../../campaigns/table'
import { contactConsents, contactIdentities, contacts, contactTags } from '../../contacts/table'
import { conversations } from '../../conversations/table'
import { importRows } from '../../imports/table'
import { media } from '../../media/table'
import { messageReactions, messageRevisions, messages, messageStatuses } from '../../messages/table'
import { notes } from '../../notes/table'
import { tags } from '../../tags/table'
import { toldInDeliveries } from './deliveries'
import { changeRequestIn, findRequest } from './requests'

/** The file can be downloaded for so long. */
const KEPT_MS = 7 * DAY_MS

/** Rows read at once. */
const PAGE = 250

/** What the file says of itself. */
const FORMAT = 'switchboard.privacy-export/1'

/**
 * Writes everything that erasing a contact would remove into one ZIP file: JSON, and the files of messages. Begins anew when it was cut off:
 * what was written until then belongs to nothing.
 */
export async function writePrivacyExport(ctx: JobCtx, requestId: string): Promise<void> {
  const request = findRequest(ctx, requestId)
  if (request?.state !== 'running') return
  const counts: Record<string, number> = {}
  const zip = new ZipFile()
  addParts(zip, ctx, request.contactId, counts)
  zip.end()
  const stream = zip.outputStream as Readable
  zip.on('error', (error: Error) => stream.destroy(error))
  const staged = await ctx.files.stage(stream, { maxBytes: Number.MAX_SAFE_INTEGER })
  ctx.signal.throwIfAborted()
  const storedAs = await ctx.files.keep(staged)
  transact(ctx.db, (tx) => {
    const nowMs = ctx.clock.nowMs()
    const { sha256, sizeBytes } = staged.facts
    changeRequestIn(tx, ctx, requestId, {
      ...{ state: 'completed', partsLeft: 0, counts: JSON.stringify(counts), sha256, storedAs, bytes: sizeBytes },
      ...{ completedAtMs: nowMs, expiresAtMs: nowMs + KEPT_MS },
    })
  })
}

/** Ends an export that cannot be written. */
export const failPrivacyExport = (ctx: Ctx, requestId: string, error: string): void =>
  transact(ctx.db, (tx) =>
    changeRequestIn(tx, ctx, requestId, { state: 'failed', partsLeft: 0, error: error.slice(0, 500), completedAtMs: ctx.clock.nowMs() }),
  )

function addParts(zip: ZipFile, ctx: JobCtx, contactId: string, counts: Record<string, number>): void {
  const json = (name: string, value: unknown): void => zip.addBuffer(Buffer.from(`${JSON.stringify(value, null, 2)}\n`), name)
  json('about.json', { format: FORMAT, organization_id: ctx.organizationId, contact_id: contactId, made_at: isoTime(ctx.clock.nowMs()) })
  json('contact.json', contactFacts(ctx, contactId))
  const list = (name: string, rows: unknown[]): void => {
    counts[name] = rows.length
    json(`${name}.json`, rows)
  }
  list('conversations', conversationFacts(ctx, contactId))
  list('notes', noteFacts(ctx, contactId))
  list('reactions', factsOf(ctx, messageReactions, contactId))
  list('revisions', factsOf(ctx, messageRevisions, contactId))
  const { messages: said, files } = collectFiles(ctx, contactId)
  counts['messages'] = said
  counts['files'] = files.length
  list('campaigns', factsOf(ctx, campaignRecipients, contactId))
  list('imports', importFacts(ctx, contactId))
  const lines = (name: string, make: () => AsyncGenerator<string>): void =>
    zip.addReadStreamLazy(`${name}.jsonl`, {}, (done) => done(null, Readable.from(make())))
  lines('messages', () => messageLines(ctx, contactId))
  lines('events', () => linesOf(ctx, eventPages(ctx, contactId), (number) => void (counts['events'] = number)))
  lines('deliveries', () => linesOf(ctx, toldInDeliveries(ctx, contactId), (number) => void (counts['deliveries'] = number)))
  for (const { name, path } of files) zip.addFile(path, name, { compress: false })
}

/** A row as it is told: times in ISO 8601, lists and objects as such, without the columns that mean something to the program only. */
function told(row: Record<string, unknown>): Record<string, unknown> {
  const { organizationId: _organization, sortName: _sort, storedAs: _stored, ...rest } = row
  return Object.fromEntries(
    Object.entries(rest).map(([column, value]) => {
      const name = column.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      if (name.endsWith('_at_ms') || name === 'timestamp_ms')
        return [name.replace(/_ms$/, ''), isoTimeOrNull(typeof value === 'number' ? value : null)]
      return [name, typeof value === 'string' && /^[[{]/.test(value) ? parsed(value) : value]
    }),
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text // it only begins like JSON
  }
}

type OfContact =
  | typeof messageReactions
  | typeof messageRevisions
  | typeof contactConsents
  | typeof contactIdentities
  | typeof campaignRecipients

const factsOf = (ctx: Ctx, table: OfContact, contactId: string): Record<string, unknown>[] =>
  ctx.db.orm
    .select()
    .from(table)
    .where(inOrganization(ctx, table, eq(table.contactId, contactId)))
    .all()
    .map(told)

function contactFacts(ctx: Ctx, contactId: string): Record<string, unknown> {
  const row = ctx.db.orm
    .select()
    .from(contacts)
    .where(inOrganization(ctx, contacts, eq(contacts.id, contactId)))
    .get()
  const tagNames = ctx.db.orm
    .select({ name: tags.name })
    .from(contactTags)
    .innerJoin(tags, and(eq(tags.organizationId, contactTags.organizationId), eq(tags.id, contactTags.tagId)))
    .where(inOrganization(ctx, contactTags, eq(contactTags.contactId, contactId)))
    .all()
  return {
    ...(row ? told(row) : {}),
    identities: factsOf(ctx, contactIdentities, contactId),
    consents: factsOf(ctx, contactConsents, contactId),
    tags: tagNames.map(({ name }) => name),
  }
}

const conversationFacts = (ctx: Ctx, contactId: string): Record<string, unknown>[] =>
  ctx.db.orm
    .select()
    .from(conversations)
    .where(inOrganization(ctx, conversations, eq(conversations.contactId, contactId)))
    .all()
    .map(told)

const noteFacts = (ctx: Ctx, contactId: string): Record<string, unknown>[] =>
  ctx.db.orm
    .select()
    .from(notes)
    .where(inOrganization(ctx, notes, eq(notes.contactId, contactId)))
    .orderBy(asc(notes.createdAtMs))
    .all()
    .map(told)

/** Rows of reports of imports that were about the contact. */
const importFacts = (ctx: Ctx, contactId: string): Record<string, unknown>[] =>
  ctx.db.orm
    .select()
    .from(importRows)
    .where(inOrganization(ctx, importRows, eq(importRows.targetId, contactId)))
    .all()
    .map(told)

/** What happened with the contact, as the log of events still has it; in pages, oldest first. */
function* eventPages(ctx: Ctx, contactId: string): Generator<Record<string, unknown>[]> {
  for (let after = 0; ;) {
    const rows = ctx.db.orm
      .select({ position: events.position, type: events.type, payload: events.payload, atMs: events.atMs })
      .from(events)
      .where(inOrganization(ctx, events, and(eq(events.contactId, contactId), gt(events.position, after))))
      .orderBy(asc(events.position))
      .limit(PAGE)
      .all()
    yield rows.map(({ type, payload, atMs }) => ({ at: isoTime(atMs), type, payload: parsed(payload) }))
    if (rows.length < PAGE) return
    after = rows.at(-1)?.position ?? after
  }
}

/** Pages as lines of JSON, with turns for others in between; at the end `count` hears how many there were. */
async function* linesOf(ctx: JobCtx, pages: Iterable<unknown[]>, count: (lines: number) => void): AsyncGenerator<string> {
  let written = 0
  for (const page of pages) {
    ctx.signal.throwIfAborted()
    for (const line of page) yield `${JSON.stringify(line)}\n`
    written += page.length
    await new Promise((resolve) => setImmediate(resolve))
  }
  count(written)
}

/** Pages of messages by id, oldest first. */
function* pagesOf(ctx: Ctx, contactId: string): Generator<(typeof messages.$inferSelect)[]> {
  for (let after = ''; ;) {
    const rows = ctx.db.orm
      .select()
      .from(messages)
      .where(inOrganization(ctx, messages, and(eq(messages.contactId, contactId), gt(messages.id, after))))
      .orderBy(asc(messages.id))
      .limit(PAGE)
      .all()
    if (rows.length > 0) yield rows
    if (rows.length < PAGE) return
    after = rows.at(-1)?.id ?? ''
  }
}

const placeOf = (file: { id: string; filename: string | null; mimeType: string | null }): string =>
  `files/${file.id}${/\.[A-Za-z0-9]{1,8}$/.exec(file.filename ?? '')?.[0] ?? ''}`

function fileOf(ctx: Ctx, mediaId: string | null): { name: string; path: string } | null {
  if (mediaId === null) return null
  const row = ctx.db.orm
    .select()
    .from(media)
    .where(inOrganization(ctx, media, eq(media.id, mediaId)))
    .get()
  return row?.storedAs ? { name: placeOf(row), path: ctx.files.pathOf(row.storedAs) } : null
}

/** How many messages there are, and their files, each once. */
function collectFiles(ctx: Ctx, contactId: string): { messages: number; files: { name: string; path: string }[] } {
  const files = new Map<string, { name: string; path: string }>()
  let said = 0
  for (const rows of pagesOf(ctx, contactId)) {
    said += rows.length
    for (const { mediaId } of rows) {
      const file = fileOf(ctx, mediaId)
      if (file) files.set(file.name, file)
    }
  }
  return { messages: said, files: [...files.values()] }
}

/** One message in each line, with its statuses and the name of its file. */
async function* messageLines(ctx: JobCtx, contactId: string): AsyncGenerator<string> {
  for (const rows of pagesOf(ctx, contactId)) {
    ctx.signal.throwIfAborted()
    for (const row of rows) {
      const { sendOptions: _options, ...rest } = row
      const facts = { ...told(rest), statuses: statusesOf(ctx, row), file: fileOf(ctx, row.mediaId)?.name ?? null }
      yield `${JSON.stringify(facts)}\n`
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const statusesOf = (ctx: Ctx, { accountId, waMessageId }: typeof messages.$inferSelect): Record<string, unknown>[] =>
  waMessageId === null
    ? []
    : ctx.db.orm
        .select()
        .from(messageStatuses)
        .where(
          inOrganization(ctx, messageStatuses, and(eq(messageStatuses.accountId, accountId), eq(messageStatuses.waMessageId, waMessageId))),
        )
        .all()
        .map(told)
