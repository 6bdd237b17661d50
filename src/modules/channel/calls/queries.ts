import { and, desc, eq, gte, isNull, lt, sql, type SQL } from 'drizzle-orm'

import { longPage, readCursor, type LongPage } from '../../../lib/page'
import { inOrganization } from '../../../infra/ctx'
import { totalOf } from '../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { afterKey } from '../../../infra/keyset-pagination'
import { LISTED_COLUMNS, listedContact } from '../../inbox/contacts/listed'
import { contacts } from '../../inbox/contacts/table'
import { isShownHistory } from '../../inbox/contacts/sight/visible-history'
import { masksNumbers, visibleTo } from '../../inbox/contacts/sight/visibility'
import { findConversation } from '../../inbox/conversations/service'
import { conversations } from '../../inbox/conversations/table'
import type { CallView } from './model'
import type { CallRow } from './row'
import { calls } from './table'
import { namelessCall, type NamelessCall } from './view'

/** Filters and page of a list of calls. Times are epoch milliseconds; `toMs` is exclusive. */
export interface CallQuery {
  page: number
  limit: number
  cursor?: string | undefined
  contactId?: string | undefined
  accountId?: string | undefined
  direction?: CallRow['direction'] | undefined
  state?: CallRow['state'] | undefined
  fromMs?: number | undefined
  toMs?: number | undefined
}

const ofContact = and(
  eq(contacts.organizationId, calls.organizationId),
  eq(contacts.id, calls.contactId),
)

const ofConversation = and(
  eq(conversations.organizationId, calls.organizationId),
  eq(conversations.contactId, calls.contactId),
  eq(conversations.accountId, calls.accountId),
)

function matching(ctx: ReadCtx, query: CallQuery): SQL | undefined {
  const { contactId, accountId, direction, state, fromMs, toMs } = query
  return and(
    isNull(contacts.deletedAtMs),
    visibleTo(ctx, calls.contactId),
    isShownHistory(ctx, { contactId: calls.contactId, atMs: calls.timestampMs }),
    contactId === undefined ? undefined : eq(calls.contactId, contactId),
    accountId === undefined ? undefined : eq(calls.accountId, accountId),
    direction === undefined ? undefined : eq(calls.direction, direction),
    state === undefined ? undefined : eq(calls.state, state),
    fromMs === undefined ? undefined : gte(calls.timestampMs, fromMs),
    toMs === undefined ? undefined : lt(calls.timestampMs, toMs),
  )
}

/** Returns a page of the calls with contacts the caller can see, newest first. */
export function listCalls(ctx: ReadCtx, query: CallQuery): LongPage<CallView> {
  const { page, limit, cursor } = query
  const matches = matching(ctx, query)
  const beyond =
    cursor === undefined
      ? undefined
      : afterKey({ value: calls.timestampMs, id: calls.id }, readCursor(cursor), 'desc')
  const rows = ctx.db.orm
    .select({ call: calls, conversationId: conversations.id, contact: LISTED_COLUMNS })
    .from(calls)
    .innerJoin(contacts, ofContact)
    .leftJoin(conversations, ofConversation)
    .where(inOrganization(ctx, calls, matches, beyond))
    .orderBy(desc(calls.timestampMs), desc(calls.id))
    .limit(limit + 1)
    .offset(cursor === undefined ? (page - 1) * limit : 0)
    .all()
  const isMasked = masksNumbers(ctx)
  return longPage(rows, query, {
    view: (shown) =>
      shown.map(({ call, conversationId, contact }) => ({
        ...namelessCall(call, conversationId, isMasked),
        contact: listedContact(contact, isMasked),
      })),
    cursorKeyOf: ({ call }) => ({ value: call.timestampMs, id: call.id }),
    total: () =>
      totalOf(
        ctx,
        ctx.db.orm
          .select({ one: sql`1` })
          .from(calls)
          .innerJoin(contacts, ofContact)
          .where(inOrganization(ctx, calls, matches)),
      ),
  })
}

/** Returns a call as the API shows it. Does not check visibility. */
export function loadCallView(
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  row: CallRow,
  isMasked: boolean,
): NamelessCall {
  const conversation = findConversation(ctx, row)
  return namelessCall(row, conversation?.id ?? null, isMasked)
}
