import { and, desc, eq, exists, inArray, isNull, or, sql, type SQL } from 'drizzle-orm'

import { NotFoundError } from '../../../../lib/errors'
import { longPage, type LongPage } from '../../../../lib/page'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import {
  placesOfPage,
  totalIn,
  type OrderedList,
  type ListPlace,
} from '../../../../infra/read/ordered-list'
import { findContact } from '../../../inbox/contacts/service'
import { LISTED_COLUMNS, listedContact } from '../../../inbox/contacts/listed'
import { contacts } from '../../../inbox/contacts/table'
import { isVisibleIn, masksNumbers } from '../../../inbox/contacts/sight/visibility'
import { isShownHistory } from '../../../inbox/contacts/sight/visible-history'
import { loadMessageParts } from '../../../inbox/messages/message-parts'
import { findMessages } from '../../../inbox/messages/queries'
import { messageView } from '../../../inbox/messages/view'
import { botFlows, botFlowVersions } from '../bot-flows/table'
import type { BotSessionRow } from '../engine/production/store'
import { botSessions, botTrace } from '../engine/table'
import type { SessionDetails, SessionItem } from './model'
import { sessionItem, sessionView, traceView, type Masking, type SessionNames } from './view'

/** Filters and page of a list of sessions. */
export interface SessionQuery {
  page: number
  limit: number
  cursor?: string | undefined
  status?: BotSessionRow['status'] | undefined
  contactId?: string | undefined
  flowId?: string | undefined
  accountId?: string | undefined
}

const ofContact = and(
  eq(contacts.organizationId, botSessions.organizationId),
  eq(contacts.id, botSessions.contactId),
)

/**
 * Returns the condition that the caller sees a session: that of a visible contact, and not one that
 * began before a transfer, if the caller sees its contact from then on only.
 */
export const isVisibleSession = (ctx: ReadCtx): SQL | undefined =>
  and(
    isVisibleIn(ctx, botSessions.contactId),
    isShownHistory(ctx, { contactId: botSessions.contactId, atMs: botSessions.startedAtMs }),
  )

/** Sessions of deleted contacts are not listed. They have ended, so that others are not tested. */
const isOfLiveContact = (ctx: ReadCtx): SQL | undefined =>
  or(
    sql`${botSessions.status} = 'active'`,
    exists(
      ctx.db.orm
        .select({ one: sql`1` })
        .from(contacts)
        .where(
          inOrganization(
            ctx,
            contacts,
            eq(contacts.id, botSessions.contactId),
            isNull(contacts.deletedAtMs),
          ),
        ),
    ),
  )

/** Returns a page of the sessions with contacts the caller can see, newest first. */
export function sessionPage(ctx: ReadCtx, query: SessionQuery): LongPage<SessionItem> {
  const { status, contactId, flowId, accountId } = query
  const chosen = [
    contactId === undefined ? undefined : eq(botSessions.contactId, contactId),
    flowId === undefined ? undefined : eq(botSessions.flowId, flowId),
    status === undefined ? undefined : eq(botSessions.status, status),
  ].filter((condition) => condition !== undefined)
  const ofAccount = accountId === undefined ? undefined : eq(botSessions.accountId, accountId)
  const filter = and(...chosen, ofAccount, isOfLiveContact(ctx), isVisibleSession(ctx))
  const list: OrderedList = {
    ...{ table: botSessions, id: botSessions.id, value: botSessions.startedAtMs, order: 'desc' },
    ...{ filter: filter ?? sql`1`, parts: chosen.slice(0, 1), undatedParts: null },
  }
  return longPage(placesOfPage(ctx, list, query), query, {
    view: (shown) => viewsOf(ctx, shown),
    cursorKeyOf: ({ value, id }) => ({ value: Number(value), id }),
    total: () => totalIn(ctx, list),
  })
}

function viewsOf(ctx: ReadCtx, positions: ListPlace[]): SessionItem[] {
  const isMasked = masksNumbers(ctx)
  const ids = positions.map(({ id }) => id)
  const rows = rowsWithNames(ctx, ids)
  const byId = new Map(rows.map((row) => [row.session.id, row]))
  return positions.flatMap(({ id }) => {
    const row = byId.get(id)
    return row
      ? [sessionItem(row.session, namesOf(row, isMasked), isMasked ? row.contact : null)]
      : []
  })
}

/** The node of a session in the version of the flow that it began with, JSON. */
const STEP = sql<
  string | null
>`(select json_object('id', node.value ->> 'id', 'type', node.value ->> 'type', 'label', node.value ->> 'label') from json_each(${botFlowVersions.graph}, '$.nodes') as node where node.value ->> 'id' = ${botSessions.node})`

/** Returns sessions with their contacts, the names of their flows, and the nodes where they stand. */
const rowsWithNames = (ctx: ReadCtx, ids: readonly string[]) =>
  ctx.db.orm
    .select({ session: botSessions, contact: LISTED_COLUMNS, flowName: botFlows.name, step: STEP })
    .from(botSessions)
    .innerJoin(contacts, ofContact)
    .leftJoin(
      botFlows,
      and(
        eq(botFlows.organizationId, botSessions.organizationId),
        eq(botFlows.id, botSessions.flowId),
        isNull(botFlows.deletedAtMs),
      ),
    )
    .leftJoin(
      botFlowVersions,
      and(
        eq(botFlowVersions.organizationId, botSessions.organizationId),
        eq(botFlowVersions.flowId, botSessions.flowId),
        eq(botFlowVersions.version, botSessions.flowVersion),
      ),
    )
    .where(inOrganization(ctx, botSessions, inArray(botSessions.id, [...ids])))
    .all()

/** Returns who and what a session is about. */
const namesOf = (
  { session: { flowId }, contact, flowName, step }: ReturnType<typeof rowsWithNames>[number],
  isMasked: boolean,
): SessionNames => ({
  contact: listedContact(contact, isMasked),
  flow: flowId === null || flowName === null ? null : { id: flowId, name: flowName },
  step: step === null ? null : (JSON.parse(step) as NonNullable<SessionNames['step']>),
})

/** Returns a session with a contact the caller can see. Throws NotFoundError. */
export function getVisibleSession(ctx: Ctx, id: string): BotSessionRow {
  const row = ctx.db.orm
    .select({ session: botSessions })
    .from(botSessions)
    .innerJoin(contacts, ofContact)
    .where(
      inOrganization(
        ctx,
        botSessions,
        eq(botSessions.id, id),
        isNull(contacts.deletedAtMs),
        isVisibleSession(ctx),
      ),
    )
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

/** The names of the nodes of a version that have one, JSON by their IDs. */
const LABELS = sql<string>`(select json_group_object(node.value ->> 'id', node.value ->> 'label') from json_each(${botFlowVersions.graph}, '$.nodes') as node where node.value ->> 'label' is not null)`

type TraceRow = typeof botTrace.$inferSelect

/**
 * Returns the names of the nodes that steps were at: in the version that the session is in, and of
 * flows that it left in the newest one.
 */
function labelsOf(
  ctx: Ctx,
  { flowId, flowVersion }: BotSessionRow,
  steps: readonly TraceRow[],
): (step: TraceRow) => string | null {
  const flows = new Set(steps.map((step) => step.flowId).filter((id) => id !== null))
  const known = new Map<string, Record<string, string>>()
  for (const id of flows) {
    const found = ctx.db.orm
      .select({ labels: LABELS })
      .from(botFlowVersions)
      .where(
        inOrganization(
          ctx,
          botFlowVersions,
          eq(botFlowVersions.flowId, id),
          id === flowId && flowVersion !== null
            ? eq(botFlowVersions.version, flowVersion)
            : undefined,
        ),
      )
      .orderBy(desc(botFlowVersions.version))
      .limit(1)
      .get()
    if (found) known.set(id, JSON.parse(found.labels) as Record<string, string>)
  }
  return ({ flowId: flow, node }) =>
    (flow !== null && node !== null ? known.get(flow)?.[node] : null) ?? null
}

/** Returns a session with its messages and its trace. Throws NotFoundError. */
export function getSession(ctx: Ctx, id: string): SessionDetails {
  const row = getVisibleSession(ctx, id)
  const masking = maskingOf(ctx, row.contactId)
  const steps = ctx.db.orm
    .select()
    .from(botTrace)
    .where(inOrganization(ctx, botTrace, eq(botTrace.sessionId, id)))
    .orderBy(desc(botTrace.seq))
    .limit(MAX_TRACE)
    .all()
    .toReversed()
  const labelOf = labelsOf(ctx, row, steps)
  const trace = steps.map((each) => traceView(each, labelOf(each), masking))
  const ids = trace.flatMap(({ message_id, sent_message_ids }) => [
    ...(message_id === null ? [] : [message_id]),
    ...sent_message_ids,
  ])
  const found = findMessages(ctx, [...new Set(ids)])
    .toSorted((a, b) => a.timestampMs - b.timestampMs || (a.id < b.id ? -1 : 1))
    .slice(-MAX_MESSAGES)
  const partsOf = loadMessageParts(ctx, found)
  const [named] = rowsWithNames(ctx, [id])
  if (!named) throw new NotFoundError('Session')
  return {
    ...sessionView(row, masking),
    ...namesOf(named, masksNumbers(ctx)),
    messages: found.map((message) => messageView(message, partsOf(message), masksNumbers(ctx))),
    trace,
  }
}
