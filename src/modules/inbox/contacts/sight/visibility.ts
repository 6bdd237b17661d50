import { and, eq, exists, inArray, isNull, or, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/sqlite-core'
import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { NotFoundError } from '../../../../lib/errors'
import type { Actor } from '../../../../infra/actor'
import { anyScope, hasPermission, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import { isFew, type IdSource } from '../../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { conversations } from '../../conversations/table'
import { getOrganization } from '../../../organization/organizations/service'
import { activeTeamsOf } from '../../teams/find'
import { teamMembers, teams } from '../../teams/table'
import { transfers } from '../../../automation/transfers/table'
import { contactIdentities, contacts } from '../table'
import type { ContactRow } from '../view'

type Viewer = Pick<ReadCtx, 'db' | 'organizationId' | 'actor'>

/**
 * Reports whether the actor can see every contact of the organization. Without the permission to
 * read contacts, an actor sees none.
 */
export const seesAll = (actor: Actor): boolean =>
  hasPermission(actor, 'contacts:read_all') && hasPermission(actor, 'contacts:read')

// The cases in which a contact is visible without `contacts:read_all`. Each case has three forms: the
// IDs of the contacts (`visibleIds`), a test of a row (`isVisibleRow`), and the users who see a
// contact (`viewersOf`).
//
// 1. It or one of its conversations is assigned to the caller.
// 2. It or one of its conversations is assigned to an active team of the caller.
// 3. Its active transfer is given to the caller.
// 4. Its active transfer waits in the queue of an active team of the caller.
// 5. Its active transfer waits in the general queue, and the caller has `transfers:pickup`.

/** Matches active transfers in the words of their partial indexes. */
const isActiveTransfer = sql`${transfers.status} = 'active'`

/** Stands among the viewers of a contact for all holders of `transfers:pickup`. */
export const PICKUP_HOLDERS = 'transfers:pickup'

/** Whether a caller sees the contacts in the general queue. */
export const seesGeneralQueue = ({ actor }: Pick<Viewer, 'actor'>): boolean =>
  hasPermission(actor, 'transfers:pickup')

/** Selects the contacts that a user sees, by every case; each select uses an index. */
function visibleIds(ctx: Viewer, userId: string) {
  const { orm } = ctx.db
  const teamIds = activeTeamsOf(ctx, userId)
  const contactsWith = (condition: SQL) =>
    orm
      .select({ id: contacts.id })
      .from(contacts)
      .where(inOrganization(ctx, contacts, condition))
  const conversationsWith = (condition: SQL) =>
    orm
      .select({ id: conversations.contactId })
      .from(conversations)
      .where(inOrganization(ctx, conversations, condition))
  const transfersWith = (condition: SQL) =>
    orm
      .select({ id: transfers.contactId })
      .from(transfers)
      .where(inOrganization(ctx, transfers, isActiveTransfer, condition))
  const assigned = unionAll(
    contactsWith(eq(contacts.assignedTo, userId)),
    conversationsWith(eq(conversations.assignedTo, userId)),
    transfersWith(eq(transfers.agentId, userId)),
  )
  const withQueue = seesGeneralQueue(ctx)
    ? assigned.unionAll(
        transfersWith(sql`${transfers.agentId} is null and ${transfers.teamId} is null`),
      )
    : assigned
  if (teamIds.length === 0) return withQueue
  return withQueue
    .unionAll(contactsWith(inArray(contacts.assignedTeamId, teamIds)))
    .unionAll(conversationsWith(inArray(conversations.teamId, teamIds)))
    .unionAll(
      transfersWith(sql`${transfers.agentId} is null and ${inArray(transfers.teamId, teamIds)}`),
    )
}

/**
 * Returns the SQL condition that limits a query to contacts the caller can see: all with
 * `contacts:read_all`, otherwise those of the cases above. All lists, lookups, searches and sockets
 * use it. `column` is the contact's ID in the query. Few visible contacts are collected from their
 * indexes; if there are many, each row of the query is tested.
 */
export function visibleTo(ctx: Viewer, column: SQLiteColumn): SQL | undefined {
  if (seesAll(ctx.actor)) return undefined
  const { ids, isFew: areFew } = visibleContacts(ctx)
  return areFew ? sql`${column} in (${ids})` : isVisibleIn(ctx, column)
}

/** Returns the contacts that a caller without `contacts:read_all` sees. */
export function visibleContacts(ctx: Viewer): IdSource {
  if (!hasPermission(ctx.actor, 'contacts:read'))
    return { ids: sql`select null where 0`, isFew: true }
  const ids = sql`select * from (${visibleIds(ctx, ctx.actor.userId ?? '').getSQL()})`
  return { ids, isFew: isFew(ctx, ids) }
}

/**
 * Returns the same condition for queries that find their rows by other means, such as an ID. Tests
 * each row, so that it costs the same however many contacts the caller can see.
 */
export function isVisibleIn(ctx: Viewer, column: SQLiteColumn): SQL | undefined {
  const isVisible = isVisibleRow(ctx)
  if (isVisible === undefined || column === contacts.id) return isVisible
  return exists(
    ctx.db.orm
      .select({ one: sql`1` })
      .from(contacts)
      .where(inOrganization(ctx, contacts, eq(contacts.id, column), isVisible)),
  )
}

/** Returns the same condition for queries of contact rows. */
export function isVisibleRow(ctx: Viewer): SQL | undefined {
  if (seesAll(ctx.actor)) return undefined
  if (!hasPermission(ctx.actor, 'contacts:read')) return sql`0`
  const userId = ctx.actor.userId ?? ''
  const inConversation = exists(
    ctx.db.orm
      .select({ one: sql`1` })
      .from(conversations)
      .where(
        inOrganization(
          ctx,
          conversations,
          eq(conversations.contactId, contacts.id),
          isAssignedToCaller(ctx),
        ),
      ),
  )
  const inQueue = and(
    isNull(transfers.agentId),
    or(
      isOfTeams(ctx, transfers.teamId),
      seesGeneralQueue(ctx) ? isNull(transfers.teamId) : undefined,
      sql`0`,
    ),
  )
  const inTransfer = exists(
    ctx.db.orm
      .select({ one: sql`1` })
      .from(transfers)
      .where(
        inOrganization(
          ctx,
          transfers,
          eq(transfers.contactId, contacts.id),
          isActiveTransfer,
          or(eq(transfers.agentId, userId), inQueue),
        ),
      ),
  )
  return or(
    eq(contacts.assignedTo, userId),
    isOfTeams(ctx, contacts.assignedTeamId),
    inConversation,
    inTransfer,
  )
}

/** Returns the condition that a conversation is assigned to the caller or to one of its teams. */
export const isAssignedToCaller = (ctx: Viewer): SQL | undefined =>
  or(eq(conversations.assignedTo, ctx.actor.userId ?? ''), isOfTeams(ctx, conversations.teamId))

function isOfTeams(ctx: Viewer, column: SQLiteColumn): SQL | undefined {
  const teamIds = activeTeamsOf(ctx, ctx.actor.userId ?? '')
  return teamIds.length === 0 ? undefined : inArray(column, teamIds)
}

const liveById = compiled((orm) =>
  orm
    .select()
    .from(contacts)
    .where(
      inOrganization(
        anyScope,
        contacts,
        and(eq(contacts.id, place(contacts.id, 'id')), isNull(contacts.deletedAtMs)),
      ),
    )
    .prepare(),
)

/**
 * Returns a contact the caller can see. Throws NotFoundError if it is unknown, deleted, of another
 * organization or invisible.
 */
export function getVisibleContact(ctx: Ctx, id: string): ContactRow {
  const row = seesAll(ctx.actor)
    ? liveById(ctx.db).get({ organizationId: ctx.organizationId, id })
    : ctx.db.orm
        .select()
        .from(contacts)
        .where(
          inOrganization(
            ctx,
            contacts,
            and(eq(contacts.id, id), isNull(contacts.deletedAtMs), isVisibleRow(ctx)),
          ),
        )
        .get()
  if (!row) throw new NotFoundError('Contact')
  return row
}

const isLive = compiled((orm) =>
  orm
    .select({ id: contacts.id })
    .from(contacts)
    .where(
      inOrganization(
        anyScope,
        contacts,
        and(eq(contacts.id, place(contacts.id, 'id')), isNull(contacts.deletedAtMs)),
      ),
    )
    .prepare(),
)

/**
 * Requires that the caller can see a contact. Throws NotFoundError like {@link getVisibleContact},
 * but reads fewer columns.
 */
export function requireVisibleContact(ctx: Ctx, id: string): void {
  if (!seesAll(ctx.actor)) getVisibleContact(ctx, id)
  else if (!isLive(ctx.db).get({ organizationId: ctx.organizationId, id }))
    throw new NotFoundError('Contact')
}

/**
 * Returns a contact the caller can see, or could see before it was deleted. Throws NotFoundError if
 * it is unknown, of another organization, invisible, merged or already erased.
 */
export function getErasableContact(ctx: Ctx, id: string): ContactRow {
  const isKnown = exists(
    ctx.db.orm
      .select({ kind: contactIdentities.kind })
      .from(contactIdentities)
      .where(inOrganization(ctx, contactIdentities, eq(contactIdentities.contactId, contacts.id))),
  )
  const row = ctx.db.orm
    .select()
    .from(contacts)
    .where(
      inOrganization(
        ctx,
        contacts,
        and(eq(contacts.id, id), isNull(contacts.mergedInto), isVisibleRow(ctx), isKnown),
      ),
    )
    .get()
  if (!row) throw new NotFoundError('Contact')
  return row
}

/** Reports whether the caller can see a contact, deleted or not. */
export const isVisible = (ctx: Viewer, id: string): boolean =>
  ctx.db.orm
    .select({ id: contacts.id })
    .from(contacts)
    .where(inOrganization(ctx, contacts, and(eq(contacts.id, id), isVisibleRow(ctx))))
    .get() !== undefined

/** Joins a contact or conversation with the members of its active team. */
const membersOfTeam = (column: SQLiteColumn, organizationId: SQLiteColumn) =>
  and(
    eq(teamMembers.organizationId, organizationId),
    eq(teamMembers.teamId, column),
    sql`exists (select 1 from ${teams} where ${teams.organizationId} = ${organizationId} and ${teams.id} = ${column} and ${teams.isActive} = 1)`,
  )

const viewers = compiled((orm) => {
  const isContact = inOrganization(
    anyScope,
    contacts,
    eq(contacts.id, place(contacts.id, 'contactId')),
  )
  const isConversation = inOrganization(
    anyScope,
    conversations,
    eq(conversations.contactId, place(conversations.contactId, 'contactId')),
  )
  const isTransfer = inOrganization(
    anyScope,
    transfers,
    and(eq(transfers.contactId, place(transfers.contactId, 'contactId')), isActiveTransfer),
  )
  return unionAll(
    orm.select({ userId: contacts.assignedTo }).from(contacts).where(isContact),
    orm.select({ userId: conversations.assignedTo }).from(conversations).where(isConversation),
    orm
      .select({ userId: teamMembers.userId })
      .from(contacts)
      .innerJoin(teamMembers, membersOfTeam(contacts.assignedTeamId, contacts.organizationId))
      .where(isContact),
    orm
      .select({ userId: teamMembers.userId })
      .from(conversations)
      .innerJoin(teamMembers, membersOfTeam(conversations.teamId, conversations.organizationId))
      .where(isConversation),
    orm.select({ userId: transfers.agentId }).from(transfers).where(isTransfer),
    orm
      .select({ userId: teamMembers.userId })
      .from(transfers)
      .innerJoin(teamMembers, membersOfTeam(transfers.teamId, transfers.organizationId))
      .where(and(isTransfer, isNull(transfers.agentId))),
  ).prepare()
})

const inGeneralQueue = compiled((orm) =>
  orm
    .select({ one: sql`1` })
    .from(transfers)
    .where(
      inOrganization(
        anyScope,
        transfers,
        and(
          eq(transfers.contactId, place(transfers.contactId, 'contactId')),
          isActiveTransfer,
          isNull(transfers.agentId),
          isNull(transfers.teamId),
        ),
      ),
    )
    .prepare(),
)

/**
 * Returns the users who see a contact without `contacts:read_all`, by every case above. While it
 * waits in the general queue, `PICKUP_HOLDERS` among them stands for all holders of the permission.
 */
export function viewersOf(ctx: Pick<Ctx, 'db' | 'organizationId'>, contactId: string): string[] {
  const at = { organizationId: ctx.organizationId, contactId }
  const rows = viewers(ctx.db).all(at)
  const users = rows.map(({ userId }) => userId).filter((userId) => userId !== null)
  return [...new Set(users), ...(inGeneralQueue(ctx.db).get(at) ? [PICKUP_HOLDERS] : [])]
}

/** Reports whether the caller is among the viewers of a contact. */
export const isAmong = (ctx: Pick<Viewer, 'actor'>, viewersOfContact: string[]): boolean =>
  viewersOfContact.includes(ctx.actor.userId ?? '') ||
  (viewersOfContact.includes(PICKUP_HOLDERS) && seesGeneralQueue(ctx))

/**
 * Returns the condition that limits a list of personal tasks, such as imports and exports, to those
 * of the caller. Callers who see every contact see all tasks.
 */
export const ownWork = (ctx: Pick<Ctx, 'actor'>, createdBy: SQLiteColumn): SQL | undefined =>
  seesAll(ctx.actor) ? undefined : eq(createdBy, ctx.actor.userId ?? '')

/** Reports whether the caller may see a personal task: its own, or any if it sees every contact. */
export const isOwnWork = (ctx: Pick<Ctx, 'actor'>, row: { createdBy: string | null }): boolean =>
  seesAll(ctx.actor) || row.createdBy === ctx.actor.userId

/** Reports whether phone numbers are masked for the caller. */
export const masksNumbers = (ctx: Viewer): boolean =>
  ctx.actor.hidesNumbers === true ||
  (!hasPermission(ctx.actor, 'contacts:unmask') && getOrganization(ctx).maskPhoneNumbers)
