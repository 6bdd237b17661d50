import { NotFoundError } from '../../../lib/errors'
import { readCursor } from '../../../lib/page'
import { reader, type Lane } from '../../../infra/read/reader'
import { contactPage, type ContactQuery } from './list/list'
import { boundedSegmentCondition, conditionOfSegment } from './segment-filter/condition'

/** A segment may compare every contact of the organization. */
const laneOf = ({ segmentId }: ContactQuery): Lane => (segmentId === undefined ? 'list' : 'long')

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
