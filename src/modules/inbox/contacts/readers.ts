import { NotFoundError } from '../../../lib/errors'
import { readCursor } from '../../../lib/page'
import { reader, type Lane } from '../../../infra/read/reader'
import { duplicatePage } from './duplicates/list'
import type { ContactFilters } from './list/filters'
import { contactPage, countContactsUpTo, type ContactQuery } from './list/list'
import { boundedSegmentCondition, conditionOfSegment } from './segment-filter/condition'

/** A segment may compare every contact of the organization. */
const laneOf = ({ segmentId, filter }: ContactQuery): Lane =>
  segmentId === undefined && filter === undefined ? 'list' : 'long'

/** Lists a page of the contacts that the caller sees (`contactPage`). */
export const ListContacts = reader('contacts.list', laneOf, contactPage)

/**
 * Lists a page of the contacts of a segment that the caller sees and that match the query. Throws
 * NotFoundError for a segment the caller may not use.
 */
export const ListSegmentContacts = reader(
  'contacts.ofSegment',
  'long',
  (ctx, { ofSegmentId, ...query }: ContactQuery & { ofSegmentId: string }) => {
    // an invalid cursor is reported before an unknown segment
    if (query.cursor !== undefined) readCursor(query.cursor)
    const condition = conditionOfSegment(ctx, ofSegmentId, boundedSegmentCondition)
    if (condition === null) throw new NotFoundError('Segment')
    return contactPage(ctx, query, condition)
  },
)

/** More than any organization has. */
const ALL = Number.MAX_SAFE_INTEGER - 2

/** Counts the contacts that the caller sees and that match, all of them. */
export const CountContacts = reader('contacts.count', 'long', (ctx, filters: ContactFilters) =>
  countContactsUpTo(ctx, filters, ALL),
)

/** A page of a search, and whether more than 10,000 are counted, too. */
export interface ContactSearch extends ContactQuery {
  isExact: boolean
}

/** Lists a page of the contacts that the caller sees (`contactPage`). */
export const SearchContacts = reader(
  'contacts.search',
  'long',
  (ctx, { isExact, ...query }: ContactSearch) => {
    const page = contactPage(ctx, query)
    const isCounted = !isExact || page.total !== null || query.cursor !== undefined
    return isCounted ? page : { ...page, total: countContactsUpTo(ctx, query, ALL) }
  },
)

/** Lists pairs of contacts that may be the same person (`duplicatePage`). */
export const ListDuplicates = reader('contacts.duplicates', 'long', duplicatePage)
