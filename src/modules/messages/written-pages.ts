import type { Database } from 'bun:sqlite'

import { desc, eq, sql } from 'drizzle-orm'

import { exactCheck } from '../../lib/exact'
import { numberedPage, totalAtEnd, writeCursor } from '../../lib/page'
import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db'
import { getVisibleContact, masksNumbers } from '../contacts/visibility'
import { MessageView } from './model'
import { countMessages, messageViews, shownMessages, type MessagePage, type MessageQuery } from './queries'
import { messages } from './table'
import { quotedPlatformId, type ShownMessage } from './view'

/** Bytes of messages that are kept written, of all organizations together; those shown last stay. */
const MOST_KEPT_BYTES = 8 * 1024 * 1024

/** Beside its text an entry takes about so many bytes. */
const ENTRY_BYTES = 200

interface Written {
  revision: number
  text: Uint8Array
}

/** Messages as they were written into answers, by organization and id; each holds as long as its row has the same revision. */
class WrittenMessages {
  private readonly kept = new Map<string, Written>()
  private bytes = 0

  /** The text of a message at a revision; `null` where it is not kept. */
  at(key: string, revision: number): Uint8Array | null {
    const known = this.kept.get(key)
    if (known?.revision !== revision) return null
    this.kept.delete(key)
    this.kept.set(key, known)
    return known.text
  }

  keep(key: string, written: Written): void {
    this.forget(key)
    this.kept.set(key, written)
    this.bytes += written.text.length + ENTRY_BYTES
    for (const oldest of this.kept.keys()) {
      if (this.bytes <= MOST_KEPT_BYTES) return
      this.forget(oldest)
    }
  }

  private forget(key: string): void {
    const known = this.kept.get(key)
    if (!known) return
    this.kept.delete(key)
    this.bytes -= known.text.length + ENTRY_BYTES
  }
}

const byDatabase = new WeakMap<Database, WrittenMessages>()

function writtenMessages({ db: { sqlite } }: Ctx): WrittenMessages {
  const known = byDatabase.get(sqlite) ?? new WrittenMessages()
  byDatabase.set(sqlite, known)
  return known
}

/** A message by what tells whether its text is still the same, and where it stands. */
const PLACE = { id: messages.id, timestampMs: messages.timestampMs, revision: messages.revision }

const newestOfContact = compiled((orm) =>
  orm
    .select(PLACE)
    .from(messages)
    .where(inOrganization(anyScope, messages, eq(messages.contactId, sql.placeholder('contactId'))))
    .orderBy(desc(messages.timestampMs), desc(messages.id))
    .limit(sql.placeholder('limit'))
    .offset(sql.placeholder('offset'))
    .prepare(),
)

const newestWithAccount = compiled((orm) =>
  orm
    .select(PLACE)
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        eq(messages.contactId, sql.placeholder('contactId')),
        eq(messages.accountId, sql.placeholder('accountId')),
      ),
    )
    .orderBy(desc(messages.timestampMs), desc(messages.id))
    .limit(sql.placeholder('limit'))
    .offset(sql.placeholder('offset'))
    .prepare(),
)

const isExact = exactCheck(MessageView)

/** What a message shows of others is told by its revision, but for a quoted message it was not linked with and the campaign it was made for. */
const mayBeKept = (row: ShownMessage): boolean => row.source !== 'campaign' && (row.replyToId !== null || quotedPlatformId(row) === null)

/**
 * The answer with a page of messages from the newest on, as bytes, made of texts that were written before where nothing of a message has
 * changed since; `null` for what is asked otherwise, and for callers who do not see numbers. The text is that of `listMessages`. Throws NotFoundError.
 */
export function writeMessages(ctx: Ctx, contactId: string, query: MessageQuery): Uint8Array<ArrayBuffer> | null {
  const { before, after, cursor, direction, type, accountId, limit, page } = query
  if ([before, after, cursor, direction, type].some((asked) => asked !== undefined)) return null
  getVisibleContact(ctx, contactId)
  if (ctx.db.sqlite.inTransaction || masksNumbers(ctx)) return null
  const at = { organizationId: ctx.organizationId, contactId, limit: limit + 1, offset: (page - 1) * limit }
  const places = accountId === undefined ? newestOfContact(ctx.db).all(at) : newestWithAccount(ctx.db).all({ ...at, accountId })
  const shown = places.slice(0, limit).toReversed()
  const items = textsOf(ctx, shown)
  if (items === null) return null
  const has_more = places.length > limit
  const [oldest] = shown
  const next_cursor = has_more && oldest ? writeCursor({ value: oldest.timestampMs, id: oldest.id }) : null
  const total = totalAtEnd(places.length, query) ?? countMessages(ctx, contactId, query)
  const rest = { ...numberedPage([], total, query), next_cursor, has_more } satisfies MessagePage
  return joined(items, JSON.stringify(rest))
}

/** The texts of messages: those that are kept, the others written anew; `null` when one is not exactly as it is to be. */
function textsOf(ctx: Ctx, places: { id: string; revision: number }[]): Uint8Array[] | null {
  const kept = writtenMessages(ctx)
  const texts = new Map<string, Uint8Array>()
  const missing = new Map<string, number>()
  for (const { id, revision } of places) {
    const text = kept.at(`${ctx.organizationId} ${id}`, revision)
    if (text === null) missing.set(id, revision)
    else texts.set(id, text)
  }
  const rows = shownMessages(ctx, [...missing.keys()])
  for (const [at, view] of messageViews(ctx, rows).entries()) {
    if (!isExact(view)) return null
    const text = Buffer.from(JSON.stringify(view))
    texts.set(view.id, text)
    const row = rows[at]
    if (row && mayBeKept(row)) kept.keep(`${ctx.organizationId} ${view.id}`, { revision: missing.get(view.id) ?? -1, text })
  }
  const found = places.map(({ id }) => texts.get(id)).filter((text) => text !== undefined)
  return found.length === places.length ? found : null
}

const BEGIN = Buffer.from('{"status":"success","data":{"items":[')
const COMMA = Buffer.from(',')

/** The answer with these items; `rest` is the page without any, as text. */
function joined(items: Uint8Array[], rest: string): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [BEGIN]
  for (const [at, item] of items.entries()) {
    if (at > 0) parts.push(COMMA)
    parts.push(item)
  }
  parts.push(Buffer.from(`${rest.slice('{"items":['.length)}}`))
  return Buffer.concat(parts)
}
