import { and, eq, gte, inArray, isNull, lt, sql } from 'drizzle-orm'

import { SECOND_MS } from '../../lib/clock'
import { readCursor, writeCursor, type Place } from '../../lib/page'
import { InvalidError } from '../../lib/errors'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { contacts } from '../contacts/table'
import { contactView, numbersOfContact } from '../contacts/view'
import { masksNumbers, seesAll, visibleTo } from '../contacts/visibility'
import { messageViews } from '../messages/queries'
import { contentView } from '../messages/view'
import { messages, messageWords } from '../messages/table'
import { contactWord, organizationWord, searchTextOf } from '../messages/words'
import type { FoundMessages } from './model'
import { holdsAll, readSearch, snippetOf, type SearchQuery } from './query'

/** What is searched, and among which messages. */
export interface MessageSearch {
  q: string
  limit: number
  cursor?: string | undefined
  contactId?: string | undefined
  accountId?: string | undefined
  direction?: 'incoming' | 'outgoing' | undefined
  type?: string | undefined
  /** Epoch milliseconds, the first one within and the second one beyond the span. */
  fromMs?: number | undefined
  beforeMs?: number | undefined
}

/** After so long a search gives what it has, milliseconds. */
const LONGEST_MS = 2 * SECOND_MS

/** Places of the index looked at in one go; others have their turn in between. */
const SLICE = 200

/** Who sees no more contacts than this has only their words looked up. */
const FEW_CONTACTS = 100

interface Hit {
  row: number
  messageId: string
}

/** Where a search goes on: in the best fits or in the rest, below a row of the index. */
interface Mark {
  isRest: boolean
  below: number
}

/**
 * Messages the caller sees that hold what was typed: those that hold it word by word first, then those that hold all words, the newest
 * first among each. Works in small steps; after two seconds it gives what it has and says so.
 */
export async function searchMessages(ctx: Ctx, search: MessageSearch): Promise<FoundMessages> {
  const query = readSearch(search.q)
  const start = search.cursor === undefined ? { isRest: false, below: Number.MAX_SAFE_INTEGER } : markOf(search.cursor)
  if (!query) return { items: [], next_cursor: null, partial: false }
  const { found, next, isPartial } = await collect(ctx, search, { query, start })
  return { items: viewsOf(ctx, query, found), next_cursor: next === null ? null : cursorOf(next), partial: isPartial }
}

async function collect(
  ctx: Ctx,
  search: MessageSearch,
  at: { query: SearchQuery; start: Mark },
): Promise<{ found: Hit[]; next: Mark | null; isPartial: boolean }> {
  const scope = scopeOf(ctx, search)
  const startedMs = ctx.clock.nowMs()
  const found: Hit[] = []
  let mark: Mark = at.start
  for (;;) {
    const words = mark.isRest ? at.query.rest : at.query.best
    if (words === null) return { found, next: null, isPartial: false }
    const slice = look(ctx, `${scope} AND words : (${words})`, mark.below)
    const fitting = pick(ctx, search, at.query, slice)
    const wanted = fitting.slice(0, search.limit - found.length)
    found.push(...wanted)
    const last = wanted.at(-1)
    if (found.length === search.limit && last) return { found, next: { ...mark, below: last.row }, isPartial: false }
    const isOver = slice.length < SLICE
    if (isOver && mark.isRest) return { found, next: null, isPartial: false }
    mark = isOver ? { isRest: true, below: Number.MAX_SAFE_INTEGER } : { ...mark, below: slice.at(-1)?.row ?? 0 }
    if (ctx.clock.nowMs() - startedMs >= LONGEST_MS) return { found, next: mark, isPartial: true }
    await nextTurn()
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The organization, the contact asked for, or the few the caller sees, in the index's query language. */
function scopeOf(ctx: Ctx, search: MessageSearch): string {
  const organization = `scope : "${organizationWord(ctx.organizationId)}"`
  if (search.contactId !== undefined) return `scope : "${contactWord(search.contactId)}"`
  if (seesAll(ctx.actor)) return organization
  const visible = ctx.db.orm
    .select({ id: contacts.id })
    .from(contacts)
    .where(inOrganization(ctx, contacts, visibleTo(ctx, contacts.id)))
    .limit(FEW_CONTACTS + 1)
    .all()
  if (visible.length > FEW_CONTACTS) return organization
  return visible.length === 0 ? `scope : "nobody"` : `scope : (${visible.map(({ id }) => `"${contactWord(id)}"`).join(' OR ')})`
}

/** The next places of the index below a row, newest first. */
function look(ctx: Ctx, match: string, below: number): Hit[] {
  return ctx.db.orm
    .select({ row: messageWords.row, messageId: messageWords.messageId })
    .from(messageWords)
    .where(
      inOrganization(
        ctx,
        messageWords,
        sql`${messageWords.row} in (select rowid from message_search where message_search match ${match} and rowid < ${below} order by rowid desc limit ${SLICE})`,
      ),
    )
    .orderBy(sql`${messageWords.row} desc`)
    .all()
}

/** Those of the places whose message the caller sees and asked for, and which hold what was typed as the caller sees them. */
function pick(ctx: Ctx, search: MessageSearch, query: SearchQuery, hits: Hit[]): Hit[] {
  if (hits.length === 0) return []
  const { contactId, accountId, direction, type, fromMs, beforeMs } = search
  const rows = ctx.db.orm
    .select({ id: messages.id, type: messages.type })
    .from(messages)
    .innerJoin(contacts, and(eq(contacts.organizationId, messages.organizationId), eq(contacts.id, messages.contactId)))
    .where(
      inOrganization(
        ctx,
        messages,
        inArray(
          messages.id,
          hits.map(({ messageId }) => messageId),
        ),
        isNull(contacts.deletedAtMs),
        visibleTo(ctx, messages.contactId),
        contactId === undefined ? undefined : eq(messages.contactId, contactId),
        accountId === undefined ? undefined : eq(messages.accountId, accountId),
        direction === undefined ? undefined : eq(messages.direction, direction),
        type === undefined ? undefined : eq(messages.type, type),
        fromMs === undefined ? undefined : gte(messages.timestampMs, fromMs),
        beforeMs === undefined ? undefined : lt(messages.timestampMs, beforeMs),
      ),
    )
    .all()
  const seen = new Set(rows.map(({ id }) => id))
  for (const id of masksNumbers(ctx) ? foundByHidden(ctx, query, rows) : []) seen.delete(id)
  return hits.filter(({ messageId }) => seen.has(messageId))
}

/** Messages that hold what was typed only in digits the caller does not see: those of templates that were filled in with a number. */
function foundByHidden(ctx: Ctx, query: SearchQuery, rows: { id: string; type: string }[]): string[] {
  const filledIn = rows.filter(({ type }) => type === 'template').map(({ id }) => id)
  return withContacts(ctx, filledIn)
    .filter((row) => shownText(row, true) !== shownText(row, false) && !holdsAll(shownText(row, true), query.terms))
    .map(({ message }) => message.id)
}

type WithContact = ReturnType<typeof withContacts>[number]

/** Messages with their contacts. */
const withContacts = (ctx: Ctx, ids: string[]) =>
  ids.length === 0
    ? []
    : ctx.db.orm
        .select({ message: messages, contact: contacts })
        .from(messages)
        .innerJoin(contacts, and(eq(contacts.organizationId, messages.organizationId), eq(contacts.id, messages.contactId)))
        .where(inOrganization(ctx, messages, inArray(messages.id, ids)))
        .all()

/** What of a message can be searched, as the caller sees it. */
const shownText = ({ message, contact }: WithContact, isMasked: boolean): string =>
  searchTextOf(
    message.type,
    contentView(message, isMasked, () => numbersOfContact(contact)),
  )

function viewsOf(ctx: Ctx, query: SearchQuery, hits: Hit[]): FoundMessages['items'] {
  if (hits.length === 0) return []
  const isMasked = masksNumbers(ctx)
  const rows = withContacts(
    ctx,
    hits.map(({ messageId }) => messageId),
  )
  const views = messageViews(
    ctx,
    rows.map(({ message }) => message),
  )
  const byId = new Map(rows.map((row, index) => [row.message.id, { ...row, view: views[index] }]))
  return hits.flatMap(({ messageId }) => {
    const { view, message, contact } = byId.get(messageId) ?? {}
    if (!view || !message || !contact) return []
    const text = shownText({ message, contact }, isMasked)
    const { id, display_name, phone_number, avatar_url } = contactView(contact, { isMasked, assignee: null })
    return [{ message: view, contact: { id, display_name, phone_number, avatar_url }, ...snippetOf(text, query.terms) }]
  })
}

const cursorOf = ({ isRest, below }: Mark): string => writeCursor({ value: below, id: isRest ? 'rest' : 'best' })

/** Throws InvalidError for a cursor of another list. */
function markOf(cursor: string): Mark {
  const { value, id }: Place = readCursor(cursor)
  if (value === null || !Number.isSafeInteger(value) || value < 0 || (id !== 'best' && id !== 'rest'))
    throw new InvalidError('The cursor is not one this search gave out.', {
      code: 'invalid_input',
      errors: [{ path: 'query.cursor', message: 'unknown cursor' }],
    })
  return { isRest: id === 'rest', below: value }
}
