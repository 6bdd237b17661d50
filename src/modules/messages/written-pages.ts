import type { Database } from 'bun:sqlite'

import { and, desc, eq, sql, type SQL } from 'drizzle-orm'

import { exactCheck } from '../../lib/exact-schema'
import { numberedPage, totalAtEnd, writeCursor } from '../../lib/page'
import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import { masksNumbers, requireVisibleContact } from '../contacts/visibility'
import { MessageView } from './model'
import {
  countMessages,
  messageViews,
  shownMessages,
  type MessagePage,
  type MessageQuery,
} from './queries'
import { messages } from './table'
import { quotedPlatformId, type ShownMessage } from './view'

/** Bytes that are kept of messages, and as many of pages, of all organizations together. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024
const GENERATIONS = 2

/** Beside its text an entry takes about so many bytes, and one with a `Blob` so many more. */
const ENTRY_BYTES = 300
const BLOB_BYTES = 1_000

/**
 * What was written, those entries that were asked for last: what is not while a generation fills up
 * is forgotten.
 */
class Kept<T> {
  private young = new Map<string, T>()
  private old = new Map<string, T>()
  private bytes = 0

  constructor(private readonly bytesOf: (entry: T) => number) {}

  at(key: string): T | null {
    const known = this.young.get(key)
    if (known !== undefined) return known
    const aged = this.old.get(key)
    if (aged !== undefined) this.keep(key, aged)
    return aged ?? null
  }

  keep(key: string, entry: T): void {
    this.young.set(key, entry)
    this.bytes += this.bytesOf(entry) + ENTRY_BYTES
    if (this.bytes < MAX_KEPT_BYTES / GENERATIONS) return
    this.old = this.young
    this.young = new Map()
    this.bytes = 0
  }
}

/** A message as it was written into answers; it holds as long as its row has the same revision. */
interface WrittenMessage {
  organizationId: string
  revision: number
  text: Uint8Array
}

/**
 * An answer with a page; it holds as long as the same messages with the same revisions are on it,
 * and there are as many.
 */
interface WrittenPage {
  places: string
  total: number
  answer: Blob
}

interface Written {
  messages: Kept<WrittenMessage>
  pages: Kept<WrittenPage>
}

const byDatabase = new WeakMap<Database, Written>()

function writtenIn({ db: { sqlite } }: Ctx): Written {
  const known = byDatabase.get(sqlite)
  if (known) return known
  const written: Written = {
    messages: new Kept(({ text }) => text.length),
    pages: new Kept(({ places, answer }) => places.length + answer.size + BLOB_BYTES),
  }
  byDatabase.set(sqlite, written)
  return written
}

/**
 * The newest messages as one text, `id revision time` of each: reading as many values takes longer
 * than the rest of a page. They come in no promised order, for to promise one SQLite sorts them
 * again. Places to fill are `organizationId`, `limit` and `offset` beside those of the condition.
 */
const newestWhere = (condition: SQL | undefined) =>
  compiled((orm) => {
    const newest = orm
      .select({ id: messages.id, timestampMs: messages.timestampMs, revision: messages.revision })
      .from(messages)
      .where(inOrganization(anyScope, messages, condition))
      .orderBy(desc(messages.timestampMs), desc(messages.id))
      .limit(sql.placeholder('limit'))
      .offset(sql.placeholder('offset'))
      .as('newest')
    const each = sql`${newest.id} || ' ' || ${newest.revision} || ' ' || ${newest.timestampMs}`
    return orm
      .select({ places: sql<string | null>`group_concat(${each})` })
      .from(newest)
      .prepare()
  })

const ofContact = eq(messages.contactId, sql.placeholder('contactId'))
const newestOfContact = newestWhere(ofContact)
const newestWithAccount = newestWhere(
  and(ofContact, eq(messages.accountId, sql.placeholder('accountId'))),
)

/** Where a message stands, and by what it is told whether its text is still the same. */
interface Place {
  id: string
  revision: number
  timestampMs: number
}

function placeOf(written: string): Place {
  const [id = '', revision, timestampMs] = written.split(' ')
  return { id, revision: Number(revision), timestampMs: Number(timestampMs) }
}

const oldestFirst = (one: Place, other: Place): number =>
  one.timestampMs - other.timestampMs || (one.id < other.id ? -1 : 1)

const isExact = exactCheck(MessageView)

/**
 * What a message shows of others is told by its revision, but for its file, which may be that of a
 * million messages, a quoted message it was not linked with, and the campaign it was made for.
 */
const mayBeKept = (row: ShownMessage): boolean =>
  row.mediaId === null &&
  row.source !== 'campaign' &&
  (row.replyToId !== null || quotedPlatformId(row) === null)

/**
 * The answer with a page of messages from the newest on, made of texts that were written before
 * where nothing of a message has changed since, or the one that was made last where nothing of the
 * page has; `null` for what is asked otherwise, and for callers who do not see numbers. The text is
 * that of `listMessages`. Throws NotFoundError.
 */
export function writeMessages(ctx: Ctx, contactId: string, query: MessageQuery): Blob | null {
  const { before, after, cursor, direction, type, accountId, limit, page } = query
  if ([before, after, cursor, direction, type].some((asked) => asked !== undefined)) return null
  requireVisibleContact(ctx, contactId)
  if (ctx.db.sqlite.inTransaction || masksNumbers(ctx)) return null
  const at = {
    organizationId: ctx.organizationId,
    contactId,
    limit: limit + 1,
    offset: (page - 1) * limit,
  }
  const found =
    accountId === undefined
      ? newestOfContact(ctx.db).get(at)
      : newestWithAccount(ctx.db).get({ ...at, accountId })
  const { pages } = writtenIn(ctx)
  const key = [ctx.organizationId, contactId, accountId, limit, page].join(' ')
  const written = found?.places ?? ''
  const places = written === '' ? [] : written.split(',')
  const total = totalAtEnd(places.length, query) ?? countMessages(ctx, contactId, query)
  const known = pages.at(key)
  if (known?.places === written && known.total === total) return known.answer
  const made = pageOf(ctx, places.map(placeOf).toSorted(oldestFirst), total, query)
  // One without messages is made as fast as it is found, and there are any number of them.
  if (places.length > 0 && made?.isLasting)
    pages.keep(key, { places: written, total, answer: made.answer })
  return made?.answer ?? null
}

/**
 * The answer with these messages, and whether nothing can change in it without another revision;
 * `null` when one is not exactly as it is to be.
 */
function pageOf(
  ctx: Ctx,
  places: Place[],
  total: number,
  query: MessageQuery,
): { answer: Blob; isLasting: boolean } | null {
  const shown = places.slice(-query.limit)
  const items = textsOf(ctx, shown)
  if (items === null) return null
  const has_more = places.length > query.limit
  const [oldest] = shown
  const next_cursor =
    has_more && oldest ? writeCursor({ value: oldest.timestampMs, id: oldest.id }) : null
  const rest = { ...numberedPage([], total, query), next_cursor, has_more } satisfies MessagePage
  return { answer: joined(items.texts, JSON.stringify(rest)), isLasting: items.areLasting }
}

/**
 * The texts of messages, those that are kept and the others written anew, and whether all of them
 * are kept now; `null` when one is not exactly as it is to be.
 */
function textsOf(ctx: Ctx, places: Place[]): { texts: Uint8Array[]; areLasting: boolean } | null {
  const { messages: kept } = writtenIn(ctx)
  const { organizationId } = ctx
  const texts = places.map(({ id, revision }) => {
    const known = kept.at(id)
    return known?.revision === revision && known.organizationId === organizationId
      ? known.text
      : null
  })
  let areLasting = true
  const missing = new Map<string, number>()
  for (const [nth, { id }] of places.entries()) if (texts[nth] === null) missing.set(id, nth)
  if (missing.size > 0) {
    const rows = shownMessages(ctx, [...missing.keys()])
    for (const [at, view] of messageViews(ctx, rows).entries()) {
      const [row, nth] = [rows[at], missing.get(view.id)]
      if (!row || nth === undefined || !isExact(view)) return null
      const text = Buffer.from(JSON.stringify(view))
      texts[nth] = text
      if (mayBeKept(row))
        kept.keep(view.id, { organizationId, revision: places[nth]?.revision ?? -1, text })
      else areLasting = false
    }
  }
  return texts.every((text) => text !== null) ? { texts, areLasting } : null
}

const BEGIN = Buffer.from('{"status":"success","data":{"items":[')
const COMMA = Buffer.from(',')

/** The answer with these items; `rest` is the page without any, as text. */
function joined(items: Uint8Array[], rest: string): Blob {
  const parts: Uint8Array[] = [BEGIN]
  for (const item of items) parts.push(item, COMMA)
  if (items.length > 0) parts.pop()
  parts.push(Buffer.from(`${rest.slice('{"items":['.length)}}`))
  return new Blob([Buffer.concat(parts)])
}
