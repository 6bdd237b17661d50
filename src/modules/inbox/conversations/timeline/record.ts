import { eq, sql } from 'drizzle-orm'

import { isoTimeOrNull } from '../../../../lib/clock'
import type { Actor } from '../../../../infra/actor'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import type { ConversationRow } from '../row'
import { conversations } from '../table'
import { timelineEntries, type RECORDED_KINDS, type TIMELINE_ACTORS } from './table'

type ActorType = (typeof TIMELINE_ACTORS)[number]

/** A change without its time and actor. */
interface Change {
  kind: (typeof RECORDED_KINDS)[number]
  details: Record<string, unknown>
}

const insertEntry = compiled((orm) =>
  orm
    .insert(timelineEntries)
    .values({
      organizationId: sql.placeholder('organizationId'),
      id: sql.placeholder('id'),
      contactId: sql.placeholder('contactId'),
      formerContactId: sql.placeholder('contactId'),
      accountId: sql.placeholder('accountId'),
      kind: sql.placeholder('kind'),
      actorType: sql.placeholder('actorType'),
      actorId: sql.placeholder('actorId'),
      details: sql.placeholder('details'),
      atMs: sql.placeholder('atMs'),
    })
    .prepare(),
)

/** The columns of a conversation that a timeline shows. */
export type Shown = Pick<
  ConversationRow,
  'contactId' | 'accountId' | 'state' | 'priority' | 'assignedTo' | 'teamId' | 'snoozedUntilMs'
>

/**
 * Records how a conversation changed, in the transaction of the change. `by` is given if it is not
 * the caller; `isOwnerTold` if something else in the timeline shows the new owner. Records nothing
 * if nothing changed that a timeline shows.
 */
export function recordTimelineIn(
  tx: Tx,
  ctx: Ctx,
  {
    before,
    after,
    by,
    isOwnerTold = false,
  }: { before: Shown; after: Shown; by?: ActorType; isOwnerTold?: boolean },
): void {
  const known = isOwnerTold
    ? { ...before, assignedTo: after.assignedTo, teamId: after.teamId }
    : before
  for (const change of changesOf(known, after))
    insertIn(tx, ctx, { contactId: after.contactId, accountId: after.accountId, change, by })
}

function changesOf(before: Shown, after: Shown): Change[] {
  const changes: Change[] = []
  if (before.assignedTo !== after.assignedTo || before.teamId !== after.teamId)
    changes.push({
      kind: after.assignedTo === null && after.teamId === null ? 'unassigned' : 'assigned',
      details: {
        user_id: after.assignedTo,
        team_id: after.teamId,
        from_user_id: before.assignedTo,
        from_team_id: before.teamId,
      },
    })
  const moved = stateChange(before, after)
  if (moved) changes.push(moved)
  if (before.priority !== after.priority)
    changes.push({ kind: 'priority', details: { from: before.priority, to: after.priority } })
  return changes
}

function stateChange(before: Shown, after: Shown): Change | null {
  if (after.state === 'snoozed') {
    const isSame = before.state === 'snoozed' && before.snoozedUntilMs === after.snoozedUntilMs
    return isSame
      ? null
      : { kind: 'snoozed', details: { until: isoTimeOrNull(after.snoozedUntilMs) } }
  }
  if (before.state === after.state) return null
  if (after.state === 'closed') return { kind: 'closed', details: {} }
  if (before.state === 'closed') return { kind: 'reopened', details: { state: after.state } }
  return before.state === 'snoozed' ? { kind: 'woken', details: { state: after.state } } : null
}

const anyConversation = compiled((orm) =>
  orm
    .select({ id: conversations.id })
    .from(conversations)
    .where(
      inOrganization(
        anyScope,
        conversations,
        eq(conversations.contactId, place(conversations.contactId, 'contactId')),
      ),
    )
    .limit(1)
    .prepare(),
)

/**
 * Records the tags that a contact got or lost, in the transaction of the change. A contact without a
 * conversation has no timeline.
 */
export function recordTagsIn(
  tx: Tx,
  ctx: Ctx,
  { contactId, added, removed }: { contactId: string; added: string[]; removed: string[] },
): void {
  const { organizationId } = ctx
  if (added.length + removed.length === 0) return
  if (anyConversation(ctx.db).get({ organizationId, contactId }) === undefined) return
  const changes: Change[] = [
    ...added.map((id): Change => ({ kind: 'tag_added', details: { tag_id: id } })),
    ...removed.map((id): Change => ({ kind: 'tag_removed', details: { tag_id: id } })),
  ]
  for (const change of changes) insertIn(tx, ctx, { contactId, accountId: null, change })
}

function insertIn(
  tx: Tx,
  ctx: Ctx,
  entry: {
    contactId: string
    accountId: string | null
    change: Change
    by?: ActorType | undefined
  },
): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  const { contactId, accountId, change, by } = entry
  const actorType = by ?? actorTypeOf(ctx.actor)
  insertEntry(ctx.db).run({
    organizationId: ctx.organizationId,
    id: ctx.ids.next(),
    contactId,
    accountId,
    kind: change.kind,
    actorType,
    actorId:
      actorType === 'user' ? ctx.actor.userId : actorType === 'api_key' ? ctx.actor.apiKeyId : null,
    details: JSON.stringify(change.details),
    atMs: ctx.clock.nowMs(),
  })
}

/** The bot acts with the rights of the system, under its name. */
const actorTypeOf = ({ type, userName }: Actor): ActorType =>
  type === 'system' && userName === 'chatbot' ? 'bot' : type
