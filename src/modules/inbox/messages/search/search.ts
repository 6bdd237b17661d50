import { SECOND_MS } from '../../../../lib/clock'
import { readCursor, writeCursor, type CursorKey } from '../../../../lib/page'
import { InvalidError } from '../../../../lib/errors'
import { hasPermission, type Ctx } from '../../../../infra/ctx'
import { seesAll, viewerOf } from '../../contacts/visibility'
import { contactWord, NOBODY_WORD, organizationWord } from '../search-index'
import type { FoundMessages } from './model'
import { findHits, type Hit } from './postings'
import { parseSearch, type Matcher, type SearchQuery } from './parse-query'
import { inSlices } from '../../../../infra/event-loop'
import { type MessageSearch, visibleHits, viewsOf } from './results'
import { contactsSeenBy } from '../../contacts/search/by-viewer'

/** Time after which a search returns partial results, in milliseconds. */
const MAX_SEARCH_MS = 2 * SECOND_MS

/** Up to this number of visible contacts, only their index entries are read. */
const FEW_CONTACTS = 100

/** Position of a search: in the best or the other matches, below an index row. */
interface SearchPosition {
  isRest: boolean
  below: number
}

/**
 * Returns visible messages that match: exact phrases first, then all others, each newest first.
 * Works in slices of a few milliseconds and returns partial results after two seconds.
 */
export async function searchMessages(ctx: Ctx, search: MessageSearch): Promise<FoundMessages> {
  const query = parseSearch(search.q)
  const start =
    search.cursor === undefined
      ? { isRest: false, below: Number.MAX_SAFE_INTEGER }
      : positionOf(search.cursor)
  if (!query) return { items: [], next_cursor: null, partial: false }
  const { found, next, isPartial } = await runInSlices(ctx, collect(ctx, search, { query, start }))
  const items = await runInSlices(ctx, viewsOf(ctx, query, found))
  return { items, next_cursor: next === null ? null : cursorOf(next), partial: isPartial }
}

/** Runs a generator in slices and returns its result. */
async function runInSlices<T>(ctx: Ctx, work: Generator<unknown, T>): Promise<T> {
  const outcome: T[] = []
  await inSlices(ctx, () => {
    const { done, value } = work.next()
    if (done === true) outcome.push(value)
    return done === true
  })
  return outcome[0] as T
}

interface Collected {
  found: Hit[]
  next: SearchPosition | null
  isPartial: boolean
}

function* collect(
  ctx: Ctx,
  search: MessageSearch,
  { query, start }: { query: SearchQuery; start: SearchPosition },
): Generator<null, Collected> {
  const scope = scopeOf(ctx, search)
  const startedMs = ctx.clock.nowMs()
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
      yield null
      if (part === null) continue
      found.push(
        ...visibleHits(ctx, search, query, part.hits).slice(0, search.limit - found.length),
      )
      const last = found.at(-1)
      if (found.length === search.limit && last)
        return { found, next: { isRest, below: last.row }, isPartial: false }
      position = { isRest, below: part.below }
      if (ctx.clock.nowMs() - startedMs >= MAX_SEARCH_MS)
        return { found, next: position, isPartial: true }
    }
  }
  return { found, next: null, isPartial: false }
}

/**
 * The scope of a search as an FTS5 expression: the organization, the requested contact, or the few
 * visible contacts.
 */
function scopeOf(ctx: Ctx, search: MessageSearch): string {
  const organization = `"${organizationWord(ctx.organizationId)}"`
  if (search.contactId !== undefined) return `"${contactWord(search.contactId)}"`
  if (seesAll(ctx.actor)) return organization
  const own = hasPermission(ctx.actor, 'contacts:read') ? contactsSeenBy(ctx, viewerOf(ctx)) : null
  if (own === null || own.size === 0) return `"${NOBODY_WORD}"`
  if (own.size > FEW_CONTACTS) return organization
  const ids = new Set<string>()
  for (const batch of { [Symbol.iterator]: own.batches }) for (const id of batch) ids.add(id)
  return [...ids].map((id) => `"${contactWord(id)}"`).join(' OR ')
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
