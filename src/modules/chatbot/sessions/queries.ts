import { and, count, desc, eq, isNull, sql, type SQL } from 'drizzle-orm'

import { NotFoundError } from '../../../lib/errors'
import { longPage, readCursor, type LongPage } from '../../../lib/page'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { MAX_COUNTED } from '../../../infra/bounded-list'
import { afterKey } from '../../../infra/keyset-pagination'
import { findContact } from '../../contacts/service'
import { contacts } from '../../contacts/table'
import { masksNumbers, visibleTo } from '../../contacts/visibility'
import { loadMessageParts } from '../../messages/message-parts'
import { findMessages } from '../../messages/queries'
import { messageView } from '../../messages/view'
import type { SessionRow } from '../engine/production/store'
import { botSessions, botTrace } from '../engine/table'
import type { SessionDetails, SessionView } from './model'
import { sessionView, traceView, type Masking } from './view'

/** Filters and page of a list of sessions. */
export interface SessionQuery {
  page: number
  limit: number
  cursor?: string | undefined
  status?: SessionRow['status'] | undefined
  contactId?: string | undefined
  flowId?: string | undefined
  accountId?: string | undefined
}

const ofContact = and(
  eq(contacts.organizationId, botSessions.organizationId),
  eq(contacts.id, botSessions.contactId),
)

function matching(
  ctx: Ctx,
  { status, contactId, flowId, accountId }: Partial<SessionQuery>,
): SQL | undefined {
  return and(
    isNull(contacts.deletedAtMs),
    visibleTo(ctx, botSessions.contactId),
    status === undefined ? undefined : eq(botSessions.status, status),
    contactId === undefined ? undefined : eq(botSessions.contactId, contactId),
    flowId === undefined ? undefined : eq(botSessions.flowId, flowId),
    accountId === undefined ? undefined : eq(botSessions.accountId, accountId),
  )
}

/** Returns a page of the sessions with contacts the caller can see, newest first. */
export function listSessions(ctx: Ctx, query: SessionQuery): LongPage<SessionView> {
  const { page, limit, cursor } = query
  const matches = matching(ctx, query)
  const beyond =
    cursor === undefined
      ? undefined
      : afterKey({ value: botSessions.startedAtMs, id: botSessions.id }, readCursor(cursor), 'desc')
  const rows = ctx.db.orm
    .select({
      session: botSessions,
      contact: { phoneNumber: contacts.phoneNumber, waId: contacts.waId },
    })
    .from(botSessions)
    .innerJoin(contacts, ofContact)
    .where(inOrganization(ctx, botSessions, matches, beyond))
    .orderBy(desc(botSessions.startedAtMs), desc(botSessions.id))
    .limit(limit + 1)
    .offset(cursor === undefined ? (page - 1) * limit : 0)
    .all()
  const isMasked = masksNumbers(ctx)
  return longPage(rows, query, {
    view: (shown) =>
      shown.map(({ session, contact }) => sessionView(session, isMasked ? contact : null)),
    cursorKeyOf: ({ session }) => ({ value: session.startedAtMs, id: session.id }),
    total: () => countMatching(ctx, matches),
  })
}

/** Returns the number of matching sessions; `null` above 10,000, where counting takes too long. */
function countMatching(ctx: Ctx, matches: SQL | undefined): number | null {
  const some = ctx.db.orm
    .select({ one: sql`1`.as('one') })
    .from(botSessions)
    .innerJoin(contacts, ofContact)
    .where(inOrganization(ctx, botSessions, matches))
    .limit(MAX_COUNTED + 1)
    .as('some')
  const rows = ctx.db.orm.select({ rows: count() }).from(some).get()?.rows ?? 0
  return rows > MAX_COUNTED ? null : rows
}

/** Returns a session with a contact the caller can see. Throws NotFoundError. */
export function getVisibleSession(ctx: Ctx, id: string): SessionRow {
  const row = ctx.db.orm
    .select({ session: botSessions })
    .from(botSessions)
    .innerJoin(contacts, ofContact)
    .where(inOrganization(ctx, botSessions, eq(botSessions.id, id), matching(ctx, {})))
    .get()
  if (!row) throw new NotFoundError('Session')
  return row.session
}

/** Returns the numbers of a contact if the caller must not see them, otherwise `null`. */
export const maskingOf = (ctx: Ctx, contactId: string): Masking =>
  masksNumbers(ctx) ? findContact(ctx, contactId) : null

/** Maximum numbers of messages and trace rows in the details. */
const MAX_MESSAGES = 200
const MAX_TRACE = 500

/** Returns a session with its messages and its trace. Throws NotFoundError. */
export function getSession(ctx: Ctx, id: string): SessionDetails {
  const row = getVisibleSession(ctx, id)
  const masking = maskingOf(ctx, row.contactId)
  const trace = ctx.db.orm
    .select()
    .from(botTrace)
    .where(inOrganization(ctx, botTrace, eq(botTrace.sessionId, id)))
    .orderBy(desc(botTrace.seq))
    .limit(MAX_TRACE)
    .all()
    .toReversed()
    .map((each) => traceView(each, masking))
  const ids = trace.flatMap(({ message_id, sent_message_ids }) => [
    ...(message_id === null ? [] : [message_id]),
    ...sent_message_ids,
  ])
  const found = findMessages(ctx, [...new Set(ids)])
    .toSorted((a, b) => a.timestampMs - b.timestampMs || (a.id < b.id ? -1 : 1))
    .slice(-MAX_MESSAGES)
  const partsOf = loadMessageParts(ctx, found)
  return {
    ...sessionView(row, masking),
    messages: found.map((message) => messageView(message, partsOf(message), masksNumbers(ctx))),
    trace,
  }
}
