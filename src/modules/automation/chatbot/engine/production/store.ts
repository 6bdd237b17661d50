import { and, desc, eq, getTableColumns, inArray, sql, type SQL } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

import { anyScope, inOrganization, type Ctx } from '../../../../../infra/ctx'
import { compiled, place } from '../../../../../infra/db/compiled'
import { compiledUpdate } from '../../../../../infra/db/compiled-update'
import type { Tx } from '../../../../../infra/db/transact'
import { emit } from '../../../../../infra/outbox/events'
import { findConversation } from '../../../../inbox/conversations/service'
import { publishConversationIn } from '../../../../inbox/conversations/update'
import { SessionEnded } from '../events'
import { NEW_STATE, type Session, type SessionState, type TraceRow } from '../model'
import { botSessions, botTrace } from '../table'

export type BotSessionRow = typeof botSessions.$inferSelect

/** The contact and the number of a session. */
export interface SessionPlace {
  contactId: string
  accountId: string
}

const activeOf = compiled((orm) =>
  orm
    .select()
    .from(botSessions)
    .where(
      inOrganization(
        anyScope,
        botSessions,
        and(
          eq(botSessions.contactId, place(botSessions.contactId, 'contactId')),
          eq(botSessions.accountId, place(botSessions.accountId, 'accountId')),
          sql`${botSessions.status} = 'active'`,
        ),
      ),
    )
    .prepare(),
)

/** Returns the active session of a contact on a number, or `null`. */
export const findActiveSession = (
  { db, organizationId }: Pick<Ctx, 'db' | 'organizationId'>,
  { contactId, accountId }: SessionPlace,
): BotSessionRow | null => activeOf(db).get({ organizationId, contactId, accountId }) ?? null

const byId = compiled((orm) =>
  orm
    .select()
    .from(botSessions)
    .where(inOrganization(anyScope, botSessions, eq(botSessions.id, place(botSessions.id, 'id'))))
    .prepare(),
)

/** Returns a session by its ID, or `null`. */
export const findSession = (
  { db, organizationId }: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): BotSessionRow | null => byId(db).get({ organizationId, id }) ?? null

/** Returns the active sessions of a contact, one per number. */
export const activeSessionsOf = (
  { db, organizationId }: Pick<Ctx, 'db' | 'organizationId'>,
  contactId: string,
): BotSessionRow[] => allActiveOf(db).all({ organizationId, contactId })

/** Compiled, because every message of a person asks for them. */
const allActiveOf = compiled((orm) =>
  orm
    .select()
    .from(botSessions)
    .where(
      inOrganization(
        anyScope,
        botSessions,
        and(
          eq(botSessions.contactId, place(botSessions.contactId, 'contactId')),
          sql`${botSessions.status} = 'active'`,
        ),
      ),
    )
    .orderBy(desc(botSessions.startedAtMs))
    .prepare(),
)

/** Returns a session as the engine works on it. */
export function sessionOf(row: BotSessionRow): Session {
  const {
    variables,
    state,
    organizationId: _o,
    contactId: _c,
    accountId: _a,
    followedUpAtMs: _f,
    outcome: _outcome,
    ...rest
  } = row
  return {
    ...rest,
    variables: JSON.parse(variables) as Record<string, unknown>,
    state: { ...NEW_STATE, ...(JSON.parse(state) as Partial<SessionState>) },
  }
}

/** Returns a placeholder for each column of a table, for a compiled insert of whole rows. */
const placeholdersOf = <T extends SQLiteTable>(table: T): T['$inferInsert'] =>
  Object.fromEntries(
    Object.keys(getTableColumns(table)).map((column) => [column, sql.placeholder(column)]),
  ) as T['$inferInsert'] // Drizzle fills placeholders, but does not type them

const insertSession = compiled((orm) =>
  orm.insert(botSessions).values(placeholdersOf(botSessions)).prepare(),
)

const updateSession = compiledUpdate(
  botSessions,
  inOrganization(anyScope, botSessions, eq(botSessions.id, place(botSessions.id, 'id'))),
)

/**
 * Stores a session, in the caller's transaction, and publishes its beginning and its end. `before`
 * is what is stored of it; `null` for a new session.
 */
export function saveSessionIn(
  tx: Tx,
  ctx: Ctx,
  session: Session,
  { place, before }: { place: SessionPlace; before: Pick<Session, 'status' | 'waitingFor'> | null },
): void {
  const { id, variables, state, ...rest } = session
  const columns = { ...rest, variables: JSON.stringify(variables), state: JSON.stringify(state) }
  const { organizationId } = ctx
  void tx // one connection: the compiled statements run inside the transaction that `tx` proves to be open
  if (before === null)
    insertSession(ctx.db).run({ organizationId, id, ...place, ...columns, followedUpAtMs: null })
  else updateSession(ctx.db, { organizationId, id }, columns)
  const wasActive = before?.status === 'active'
  const isActive = session.status === 'active'
  if (wasActive && isActive && isDelayed(before) !== isDelayed(session))
    publishBotIn(tx, ctx, place, 'bot_waits_until')
  if (wasActive === isActive && (before !== null || isActive)) return
  if (!isActive)
    publishEndIn(tx, ctx, { id, ...place, status: session.status, endReason: session.endReason })
  if (wasActive !== isActive) publishBotActiveIn(tx, ctx, place)
}

const isDelayed = ({ waitingFor }: Pick<Session, 'waitingFor'>): boolean => waitingFor === 'timer'

/** Publishes that a session ended. */
export const publishEndIn = (
  tx: Tx,
  ctx: Ctx,
  {
    id,
    contactId,
    accountId,
    status,
    endReason,
  }: Pick<BotSessionRow, 'id' | 'contactId' | 'accountId' | 'status' | 'endReason'>,
): void =>
  emit(tx, ctx, SessionEnded, {
    contactId,
    payload: { sessionId: id, contactId, accountId, status, reason: endReason },
  })

/** Publishes that `bot_active` of a conversation changed. */
export const publishBotActiveIn = (tx: Tx, ctx: Ctx, place: SessionPlace): void =>
  publishBotIn(tx, ctx, place, 'bot_active')

function publishBotIn(
  tx: Tx,
  ctx: Ctx,
  place: SessionPlace,
  changed: 'bot_active' | 'bot_waits_until',
): void {
  const conversation = findConversation(ctx, place)
  if (conversation) publishConversationIn(tx, ctx, conversation.id, [changed], conversation)
}

const insertTrace = compiled((orm) =>
  orm.insert(botTrace).values(placeholdersOf(botTrace)).prepare(),
)

/** Stores trace rows, in the caller's transaction. */
export function saveTraceIn(
  tx: Tx,
  ctx: Ctx,
  { contactId, sessionId }: { contactId: string; sessionId: string | null },
  rows: TraceRow[],
): void {
  void tx // as above
  for (const { nodeId, sentMessageIds, ...row } of rows)
    insertTrace(ctx.db).run({
      ...row,
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      contactId,
      sessionId,
      node: nodeId,
      sentMessageIds: JSON.stringify(sentMessageIds),
    })
}

/** Rows of a session's trace. */
const stepsOf = (ctx: Ctx, sessionId: string, seqs: number[]): SQL | undefined =>
  inOrganization(ctx, botTrace, and(eq(botTrace.sessionId, sessionId), inArray(botTrace.seq, seqs)))

/** Adds a sent message to trace rows that are stored already. */
export function addSentIn(
  tx: Tx,
  ctx: Ctx,
  { sessionId, seqs, messageId }: { sessionId: string; seqs: number[]; messageId: string },
): void {
  tx.update(botTrace)
    .set({ sentMessageIds: sql`json_insert(${botTrace.sentMessageIds}, '$[#]', ${messageId})` })
    .where(stepsOf(ctx, sessionId, seqs))
    .run()
}

/** Adds to trace rows that are stored already why their message was refused. */
export function addRefusalIn(
  tx: Tx,
  ctx: Ctx,
  { sessionId, seqs, reason }: { sessionId: string; seqs: number[]; reason: string },
): void {
  tx.update(botTrace)
    .set({ error: reason })
    .where(stepsOf(ctx, sessionId, seqs))
    .run()
}
