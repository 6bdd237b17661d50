import type { Database } from 'bun:sqlite'

import { and, desc, eq, sql, type SQL } from 'drizzle-orm'

import { NotFoundError } from '../../lib/errors'
import { exactCheck } from '../../lib/exact'
import { numberedPage, totalAtEnd, writeCursor } from '../../lib/page'
import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db'
import { masksNumbers, requireVisibleContact } from '../contacts/visibility'
import { MessageView } from './model'
import { countMessages, messageViews, shownMessages, type MessagePage, type MessageQuery } from './queries'
import { messages } from './table'
import { quotedPlatformId, type ShownMessage } from './view'

/** Bytes of messages that are kept written, of all organizations together, in two generations: those not shown while one fills up are forgotten. */
const MOST_KEPT_BYTES = 8 * 1024 * 1024
const GENERATIONS = 2

/** Beside its text an entry takes about so many bytes. */
const ENTRY_BYTES = 300

interface Written {
  organizationId: string
  revision: number
  text: Uint8Array
}

/** Messages as they were written into answers, by id; each holds as long as its row has the same revision. */
class WrittenMessages {
  private young = new Map<string, Written>()
  private old = new Map<string, Written>()
  private bytes = 0

  /** The text of a message of an organization at a revision; `null` where it is not kept. */
  at(organizationId: string, id: string, revision: number): Uint8Array | null {
    const known = this.young.get(id) ?? this.old.get(id)
    if (known?.revision !== revision || known.organizationId !== organizationId) return null
    if (!this.young.has(id)) this.keep(id, known)
    return known.text
  }

  keep(id: string, written: Written): void {
    this.young.set(id, written)
    this.bytes += written.text.length + ENTRY_BYTES
    if (this.bytes < MOST_KEPT_BYTES / GENERATIONS) return
    this.old = this.young
    this.young = new Map()
    this.bytes = 0
  }
}

const byDatabase = new WeakMap<Database, WrittenMessages>()

function writtenMessages({ db: { sqlite } }: Ctx): WrittenMessages {
  const known = byDatabase.get(sqlite) ?? new WrittenMessages()
  byDatabase.set(sqlite, known)
  return known
}

/**
 * The newest messages as one text, `id revision` of each: reading as many values takes longer than the rest of a page. Places to fill are
 * `organizationId`, `limit` and `offset` beside those of the condition.
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
    const each = sql`${newest.id} || ' ' || ${newest.revision}`
    const order = sql`${desc(newest.timestampMs)}, ${desc(newest.id)}`
    return orm
      .select({ places: sql<string | null>`group_concat(${each}, ',' order by ${order})` })
      .from(newest)
      .prepare()
  })

const ofContact = eq(messages.contactId, sql.placeholder('contactId'))
const newestOfContact = newestWhere(ofContact)
const newestWithAccount = newestWhere(and(ofContact, eq(messages.accountId, sql.placeholder('accountId'))))

/** A message by what tells whether its text is still the same. */
interface Place {
  id: string
  revision: number
}

function placeOf(written: string): Place {
  const end = written.indexOf(' ')
  return { id: written.slice(0, end), revision: Number(written.slice(end + 1)) }
}

const isExact = exactCheck(MessageView)

/**
 * What a message shows of others is told by its revision, but for its file, which may be that of a million messages, a quoted message it was not linked
 * with, and the campaign it was made for.
 */
const mayBeKept = (row: ShownMessage): boolean =>
  row.mediaId === null && row.source !== 'campaign' && (row.replyToId !== null || quotedPlatformId(row) === null)

/**
 * The answer with a page of messages from the newest on, as bytes, made of texts that were written before where nothing of a message has
 * changed since; `null` for what is asked otherwise, and for callers who do not see numbers. The text is that of `listMessages`. Throws NotFoundError.
 */
export function writeMessages(ctx: Ctx, contactId: string, query: MessageQuery): Uint8Array<ArrayBuffer> | null {
  const { before, after, cursor, direction, type, accountId, limit, page } = query
  if ([before, after, cursor, direction, type].some((asked) => asked !== undefined)) return null
  requireVisibleContact(ctx, contactId)
  if (ctx.db.sqlite.inTransaction || masksNumbers(ctx)) return null
  const at = { organizationId: ctx.organizationId, contactId, limit: limit + 1, offset: (page - 1) * limit }
  const found = accountId === undefined ? newestOfContact(ctx.db).get(at) : newestWithAccount(ctx.db).get({ ...at, accountId })
  const places = (found?.places ?? null) === null ? [] : (found?.places ?? '').split(',').map(placeOf)
  const shown = places.slice(0, limit).toReversed()
  const items = textsOf(ctx, shown)
  if (items === null) return null
  const has_more = places.length > limit
  const [oldest] = shown
  const next_cursor = has_more && oldest ? cursorAt(ctx, oldest.id) : null
  const total = totalAtEnd(places.length, query) ?? countMessages(ctx, contactId, query)
  const rest = { ...numberedPage([], total, query), next_cursor, has_more } satisfies MessagePage
  return joined(items, JSON.stringify(rest))
}

function cursorAt(ctx: Ctx, id: string): string {
  const [row] = shownMessages(ctx, [id])
  if (!row) throw new NotFoundError('Message')
  return writeCursor({ value: row.timestampMs, id })
}

/** The texts of messages: those that are kept, the others written anew; `null` when one is not exactly as it is to be. */
function textsOf(ctx: Ctx, places: Place[]): Uint8Array[] | null {
  const kept = writtenMessages(ctx)
  const { organizationId } = ctx
  const texts = places.map(({ id, revision }) => kept.at(organizationId, id, revision))
  const missing = new Map<string, number>()
  for (const [nth, { id }] of places.entries()) if (texts[nth] === null) missing.set(id, nth)
  if (missing.size > 0) {
    const rows = shownMessages(ctx, [...missing.keys()])
    for (const [at, view] of messageViews(ctx, rows).entries()) {
      const [row, nth] = [rows[at], missing.get(view.id)]
      if (!row || nth === undefined || !isExact(view)) return null
      const text = Buffer.from(JSON.stringify(view))
      texts[nth] = text
      if (mayBeKept(row)) kept.keep(view.id, { organizationId, revision: places[nth]?.revision ?? -1, text })
    }
  }
  return texts.every((text) => text !== null) ? texts : null
}

const BEGIN = Buffer.from('{"status":"success","data":{"items":[')
const COMMA = Buffer.from(',')

/** The answer with these items; `rest` is the page without any, as text. */
function joined(items: Uint8Array[], rest: string): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [BEGIN]
  for (const item of items) parts.push(item, COMMA)
  if (items.length > 0) parts.pop()
  parts.push(Buffer.from(`${rest.slice('{"items":['.length)}}`))
  return Buffer.concat(parts)
}
