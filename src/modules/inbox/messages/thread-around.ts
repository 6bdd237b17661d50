import { InvalidError } from '../../../lib/errors'
import { writeCursor } from '../../../lib/page'
import type { Ctx } from '../../../infra/ctx'
import { requireVisibleContact } from '../contacts/sight/visibility'
import type { MessageQuery, ThreadPage } from './queries'
import { findThreadItem, listThread } from './thread'

/**
 * Returns a page of a contact's messages and calls: by number, before or after one of them, or
 * around it. Throws NotFoundError and InvalidError.
 */
export const readThread = (ctx: Ctx, contactId: string, query: MessageQuery): ThreadPage =>
  query.around === undefined
    ? listThread(ctx, contactId, query)
    : listAround(ctx, contactId, { ...query, around: query.around })

/** Returns a message, half of the page before it, and the rest after it. */
function listAround(
  ctx: Ctx,
  contactId: string,
  { around, ...query }: MessageQuery & { around: string },
): ThreadPage {
  if ([query.before, query.after, query.cursor].some((value) => value !== undefined))
    throw notAround('cannot be combined with `before`, `after` and `cursor`')
  requireVisibleContact(ctx, contactId)
  const item = findThreadItem(ctx, contactId, { ...query, id: around })
  if (!item) throw notAround('is not one of the messages of this list')
  const half = Math.floor(query.limit / 2)
  const older = listThread(ctx, contactId, { ...query, before: around, limit: half })
  const newer = listThread(ctx, contactId, {
    ...query,
    after: around,
    limit: query.limit - half - 1,
  })
  const place = { value: Date.parse(item.timestamp), id: item.id }
  return {
    ...older,
    limit: query.limit,
    next_cursor: older.next_cursor ?? (older.has_more ? writeCursor(place) : null),
    items: [...older.items, item, ...newer.items],
    has_more_before: older.has_more,
    has_more_after: newer.has_more,
  }
}

const notAround = (message: string): InvalidError =>
  new InvalidError(`\`query.around\` ${message}.`, {
    code: 'invalid_input',
    errors: [{ path: 'query.around', message }],
  })
