import { sql } from 'drizzle-orm'

import { readCursor, writeCursor, type CursorKey } from '../../../../lib/page'
import { InvalidError } from '../../../../lib/errors'
import { bytesToUuid } from '../../../../infra/db/uuid'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { seesAll, visibleContacts } from '../../contacts/sight/visibility'
import { contactWord, NOBODY_WORD, organizationWord } from '../search-index'
import type { FoundMessages } from './model'
import { findHits, type Hit } from './postings'
import { parseSearch, type Matcher, type SearchQuery } from './parse-query'
import { type MessageSearch, visibleHits, viewsOf } from './results'

/** Time after which a search returns partial results, in milliseconds. A read has two seconds. */
const MAX_SEARCH_MS = 1_500

/** Up to this number of visible contacts, only their index entries are read. */
const FEW_CONTACTS = 100

/** Position of a search: in the best or the other matches, below an index row. */
interface SearchPosition {
  isRest: boolean
  below: number
}

/**
 * Returns visible messages that match: exact phrases first, then all others, each newest first.
 * Returns partial results after 1.5 seconds.
 */
export function searchMessages(ctx: ReadCtx, search: MessageSearch): FoundMessages {
  const query = parseSearch(search.q)
  const start =
    search.cursor === undefined
      ? { isRest: false, below: Number.MAX_SAFE_INTEGER }
      : positionOf(search.cursor)
  if (!query) return { items: [], next_cursor: null, partial: false }
  const { found, next, isPartial } = collect(ctx, search, { query, start })
  return {
    items: viewsOf(ctx, query, found),
    next_cursor: next === null ? null : cursorOf(next),
    partial: isPartial,
  }
}

interface Collected {
  found: Hit[]
  next: SearchPosition | null
  isPartial: boolean
}

function collect(
  ctx: ReadCtx,
  search: MessageSearch,
  { query, start }: { query: SearchQuery; start: SearchPosition },
): Collected {
  const scope = scopeOf(ctx, search)
  const startedMs = performance.now()
  const found: Hit[] = []
  for (
    let position: SearchPosition | null = start;
    position !== null;
    position = position.isRest ? null : { isRest: true, below: Number.MAX_SAFE_INTEGER }
  ) {
    const { isRest, below }: SearchPosition = position
    const matcher: Matcher | null = isRest ? query.rest : query.best
    if (matcher === null) break
    for (const part of findHits(ctx, { scope, ...matcher }, below)) {
      found.push(
        ...visibleHits(ctx, search, query, part.hits).slice(0, search.limit - found.length),
      )
      const last = found.at(-1)
      if (found.length === search.limit && last)
        return { found, next: { isRest, below: last.row }, isPartial: false }
      position = { isRest, below: part.below }
      if (performance.now() - startedMs >= (search.maxMs ?? MAX_SEARCH_MS))
        return { found, next: position, isPartial: true }
    }
  }
  return { found, next: null, isPartial: false }
}

/**
 * The scope of a search as an FTS5 expression: the organization, the requested contact, or the few
 * visible contacts.
 */
function scopeOf(ctx: ReadCtx, search: MessageSearch): string {
  const organization = `"${organizationWord(ctx.organizationId)}"`
  if (search.contactId !== undefined) return `"${contactWord(search.contactId)}"`
  if (seesAll(ctx.actor)) return organization
  const ids = ctx.db.orm
    .values<[Uint8Array]>(
      sql`${visibleContacts(ctx).ids} limit ${sql.raw(String(FEW_CONTACTS + 1))}`,
    )
    .map(([id]) => bytesToUuid(id))
  if (ids.length === 0) return `"${NOBODY_WORD}"`
  if (ids.length > FEW_CONTACTS) return organization
  return ids.map((id) => `"${contactWord(id)}"`).join(' OR ')
}

const cursorOf = ({ isRest, below }: SearchPosition): string =>
  writeCursor({ value: below, id: isRest ? 'rest' : 'best' })

/** Throws InvalidError for a cursor of another list. */
function positionOf(cursor: string): SearchPosition {
  const { value, id }: CursorKey = readCursor(cursor, ['best', 'rest'])
  if (
    value === null ||
    !Number.isSafeInteger(value) ||
    value < 0 ||
    (id !== 'best' && id !== 'rest')
  )
    throw new InvalidError(
      '`cursor` is invalid. Use `next_cursor` from the previous response, with the same ' +
        'filters.',
      {
        code: 'invalid_input',
        errors: [{ path: 'query.cursor', message: 'unknown cursor' }],
      },
    )
  return { isRest: id === 'rest', below: value }
}
