import { and, eq, exists, inArray, isNull, sql } from 'drizzle-orm'
import { union } from 'drizzle-orm/sqlite-core'
import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { NotFoundError } from '../../../../lib/errors'
import type { Actor } from '../../../../infra/actor'
import { anyScope, hasPermission, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import { isFew, type IdSource } from '../../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { getOrganization } from '../../../organization/organizations/service'
import { activeTeamsOf } from '../../teams/find'
import { teamMembers, teams } from '../../teams/table'
import { contactIdentities, contacts, contactViewers, GENERAL_QUEUE, UNASSIGNED } from '../table'
import type { ContactRow } from '../view'

type Viewer = Pick<ReadCtx, 'db' | 'organizationId' | 'actor'>

/**
 * Reports whether the actor can see every contact of the organization. Without the permission to
 * read contacts, an actor sees none.
 */
export const seesAll = (actor: Actor): boolean =>
  hasPermission(actor, 'contacts:read_all') && hasPermission(actor, 'contacts:read')

// The cases in which a contact is visible without `contacts:read_all` are the parts of the view
// `contact_sight` (`views.sql`). Triggers keep what it finds in `contact_viewers`.

/** Whether a caller sees the contacts in the general queue. */
export const seesGeneralQueue = ({ actor }: Pick<Viewer, 'actor'>): boolean =>
  hasPermission(actor, 'transfers:pickup')

/** Whether a caller sees the contacts that nobody has. */
export const seesUnassigned = ({ actor }: Pick<Viewer, 'actor'>): boolean =>
  hasPermission(actor, 'contacts:read_unassigned')

/** Returns the viewers of contacts that stand for all holders of a permission of the caller. */
const viewersByRight = (ctx: Pick<Viewer, 'actor'>): string[] => [
  ...(seesGeneralQueue(ctx) ? [GENERAL_QUEUE] : []),
  ...(seesUnassigned(ctx) ? [UNASSIGNED] : []),
]

/** Returns the viewers of contacts among whom the caller counts. */
const viewersFor = (ctx: Viewer): string[] => [
  ctx.actor.userId ?? '',
  ...activeTeamsOf(ctx, ctx.actor.userId ?? ''),
  ...viewersByRight(ctx),
]

/**
 * Returns the SQL condition that limits a query to contacts the caller can see: all with
 * `contacts:read_all`, otherwise those of the caller and its teams, and those in
 * the general queue or with nobody that its permissions show. All lists, lookups,
 * searches and sockets use it. `column` is the contact's ID in the query. Few visible contacts are
 * collected from their index; if there are many, each row of the query is tested.
 */
export function visibleTo(ctx: Viewer, column: SQLiteColumn): SQL | undefined {
  if (seesAll(ctx.actor)) return undefined
  const { ids, isFew: areFew } = visibleContacts(ctx)
  return areFew ? sql`${column} in (${ids})` : isVisibleIn(ctx, column)
}

/** Returns the contacts that a caller without `contacts:read_all` sees. */
export function visibleContacts(ctx: Viewer): IdSource {
  const isCaller = inArray(contactViewers.viewerId, viewersFor(ctx))
  const ids = hasPermission(ctx.actor, 'contacts:read')
    ? sql`select ${contactViewers.contactId} from ${contactViewers} where ${inOrganization(ctx, contactViewers, isCaller)}`
    : sql`select null where 0`
  return { ids, isFew: isFew(ctx, ids) }
}

/**
 * Returns the same condition for queries that find their rows by other means, such as an ID. Tests
 * each row, so that it costs the same however many contacts the caller can see.
 */
export function isVisibleIn(ctx: Viewer, column: SQLiteColumn): SQL | undefined {
  if (seesAll(ctx.actor)) return undefined
  if (!hasPermission(ctx.actor, 'contacts:read')) return sql`0`
  // A contact has few viewers: with the `+` they are found by one look into the index and compared.
  const isCaller = sql`+${inArray(contactViewers.viewerId, viewersFor(ctx))}`
  return sql`exists (select 1 from ${contactViewers} where ${inOrganization(ctx, contactViewers, eq(contactViewers.contactId, column), isCaller)})`
}

/** Returns the same condition for queries of contact rows. */
export const isVisibleRow = (ctx: Viewer): SQL | undefined => isVisibleIn(ctx, contacts.id)

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

const viewers = compiled((orm) => {
  const isContact = inOrganization(
    anyScope,
    contactViewers,
    eq(contactViewers.contactId, place(contactViewers.contactId, 'contactId')),
  )
  const isTeam = and(
    eq(teams.organizationId, contactViewers.organizationId),
    eq(teams.id, contactViewers.viewerId),
  )
  return union(
    orm
      .select({ id: contactViewers.viewerId })
      .from(contactViewers)
      .leftJoin(teams, isTeam)
      .where(and(isContact, isNull(teams.id))),
    orm
      .select({ id: teamMembers.userId })
      .from(contactViewers)
      .innerJoin(teams, and(isTeam, sql`${teams.isActive} = 1`))
      .innerJoin(
        teamMembers,
        and(eq(teamMembers.organizationId, teams.organizationId), eq(teamMembers.teamId, teams.id)),
      )
      .where(isContact),
  ).prepare()
})

/**
 * Returns who sees a contact without `contacts:read_all`: users, and `GENERAL_QUEUE` or `UNASSIGNED`
 * for all holders of their permission.
 */
export const viewersOf = (ctx: Pick<Ctx, 'db' | 'organizationId'>, contactId: string): string[] =>
  viewers(ctx.db)
    .all({ organizationId: ctx.organizationId, contactId })
    .map(({ id }) => id)

/** Reports whether the caller is among the viewers of a contact. */
export const isAmong = (ctx: Pick<Viewer, 'actor'>, viewersOfContact: string[]): boolean =>
  viewersOfContact.includes(ctx.actor.userId ?? '') ||
  viewersByRight(ctx).some((viewer) => viewersOfContact.includes(viewer))

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
