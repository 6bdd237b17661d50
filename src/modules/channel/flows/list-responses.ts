import { and, desc, eq, getTableColumns, gte, lt, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { fieldSentence, InvalidError } from '../../../lib/errors'
import { timeSpanOf } from '../../../lib/local-day'
import { longPage, readCursor, type LongPage, type CursorKey } from '../../../lib/page'
import { inOrganization } from '../../../infra/ctx'
import { isFiltered, totalOf } from '../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { readPageAfter } from '../../../infra/keyset-pagination'
import { holdsText } from '../../../infra/search-keys'
import { isShownHistory } from '../../inbox/contacts/sight/visible-history'
import { masksNumbers, visibleTo } from '../../inbox/contacts/sight/visibility'
import { LISTED_COLUMNS, listedContact } from '../../inbox/contacts/listed'
import { contacts } from '../../inbox/contacts/table'
import { messages } from '../../inbox/messages/table'
import { organizations } from '../../organization/organizations/table'
import type { FlowResponseView } from './model'
import { requireFlow } from './state'
import { flowResponses } from './sent-table'

/** Filters and page of a response list. */
export interface ResponseQuery {
  page: number
  limit: number
  cursor?: string | undefined
  contactId?: string | undefined
  /** A day in the time zone of the organization, or a time. */
  from?: string | undefined
  to?: string | undefined
  search?: string | undefined
}

/** A response, and whose it is. */
const SHOWN = { response: getTableColumns(flowResponses), contact: LISTED_COLUMNS }

export type ResponseRow = typeof flowResponses.$inferSelect & {
  contact: Parameters<typeof listedContact>[0]
}

export const KEY = { value: flowResponses.completedAtMs, id: flowResponses.id }

/** Returns the filter condition. Throws InvalidError for an invalid time. */
export function filterOf(
  ctx: ReadCtx,
  flowId: string,
  query: Omit<ResponseQuery, 'page' | 'limit' | 'cursor'>,
): SQL {
  const from = spanFor(ctx, 'from', query.from)
  const to = spanFor(ctx, 'to', query.to)
  if (from && to && from.fromMs >= to.beforeMs) throw badTime('to', 'must not be before `from`')
  return inOrganization(
    ctx,
    flowResponses,
    and(
      eq(flowResponses.flowId, flowId),
      visibleTo(ctx, messages.contactId),
      isShownHistory(ctx, { contactId: messages.contactId, atMs: messages.timestampMs }),
      query.contactId === undefined ? undefined : eq(messages.contactId, query.contactId),
      from ? gte(flowResponses.completedAtMs, from.fromMs) : undefined,
      to ? lt(flowResponses.completedAtMs, to.beforeMs) : undefined,
      query.search === undefined ? undefined : holdsText(flowResponses.words, query.search),
    ),
  )
}

function spanFor(ctx: ReadCtx, name: 'from' | 'to', written: string | undefined) {
  if (written === undefined) return null
  const organization = ctx.db.orm
    .select({ timezone: organizations.timezone })
    .from(organizations)
    .where(eq(organizations.id, ctx.organizationId))
    .get()
  const span = timeSpanOf(written, organization?.timezone ?? 'UTC')
  if (!span) throw badTime(name, 'must be a date (YYYY-MM-DD) or an ISO 8601 time with offset')
  return span
}

const badTime = (name: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(name, message), {
    code: 'invalid_input',
    errors: [{ path: `query.${name}`, message }],
  })

export const joinMessage = and(
  eq(messages.organizationId, flowResponses.organizationId),
  eq(messages.id, flowResponses.messageId),
)

const joinContact = and(
  eq(contacts.organizationId, messages.organizationId),
  eq(contacts.id, messages.contactId),
)

/** Returns stored responses that match a filter, newest first. */
export function readResponses(
  ctx: ReadCtx,
  filter: SQL,
  { limit, offset = 0 }: { limit: number; offset?: number },
): ResponseRow[] {
  return ctx.db.orm
    .select(SHOWN)
    .from(flowResponses)
    .innerJoin(messages, joinMessage)
    .innerJoin(contacts, joinContact)
    .where(inOrganization(ctx, flowResponses, filter))
    .orderBy(desc(flowResponses.completedAtMs), desc(flowResponses.id))
    .limit(limit)
    .offset(offset)
    .all()
    .map(({ response, contact }) => ({ ...response, contact }))
}

/** Returns responses of contacts the caller can see, newest first. Throws NotFoundError. */
export function listResponses(
  ctx: ReadCtx,
  { flowId, ...query }: ResponseQuery & { flowId: string },
): LongPage<FlowResponseView> {
  const place = query.cursor === undefined ? null : readCursor(query.cursor)
  const filter = filterOf(ctx, flowId, query)
  requireFlow(ctx, flowId)
  const wanted = query.limit + 1
  const rows =
    place === null
      ? readResponses(ctx, filter, { limit: wanted, offset: (query.page - 1) * query.limit })
      : readPageAfter(KEY, { place, order: 'desc', limit: wanted }, (beyond, limit) =>
          readResponses(ctx, and(filter, beyond) ?? filter, { limit }),
        )
  const isMasked = masksNumbers(ctx)
  return longPage(rows, query, {
    view: (shown) => shown.map((row) => responseView(row, isMasked)),
    cursorKeyOf: (row): CursorKey => ({ value: row.completedAtMs, id: row.id }),
    total: () =>
      totalOf(
        ctx,
        ctx.db.orm
          .select({ one: sql`1` })
          .from(flowResponses)
          .innerJoin(messages, joinMessage)
          .where(filter),
        { isFiltered: isFiltered([query.contactId, query.from, query.to, query.search]) },
      ),
  })
}

/** Returns a response as the API shows it. */
export const responseView = (row: ResponseRow, isMasked: boolean): FlowResponseView => ({
  id: row.id,
  contact_id: row.contact.id,
  contact: listedContact(row.contact, isMasked),
  message_id: row.messageId,
  flow_token: row.token,
  data: row.data === null ? null : (JSON.parse(row.data) as Record<string, unknown>),
  completed_at: isoTime(row.completedAtMs),
})
