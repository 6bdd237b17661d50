import { and, eq, exists, inArray, isNull, or, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/sqlite-core'
import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { NotFoundError } from '../../lib/errors'
import { anyScope, hasPermission, inOrganization, type Actor, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import { conversations } from '../conversations/table'
import { getOrganization } from '../organizations/service'
import { contactIdentities, contacts } from './table'
import type { ContactRow } from './view'
import { uuidPlaceholder } from '../../infra/db/uuid'

/**
 * Reports whether the actor can see every contact of the organization. Without the permission to
 * read contacts, an actor sees none.
 */
export const seesAll = (actor: Actor): boolean =>
  hasPermission(actor, 'contacts:read_all') && hasPermission(actor, 'contacts:read')

/**
 * Returns the SQL condition that limits a query to contacts the caller can see: all with
 * `contacts:read_all`, otherwise those assigned to the caller directly or through a conversation.
 * All lists, lookups, searches and sockets use it. `column` is the contact's ID in the query.
 */
export function visibleTo(
  ctx: Pick<Ctx, 'db' | 'organizationId' | 'actor'>,
  column: SQLiteColumn,
): SQL | undefined {
  if (seesAll(ctx.actor)) return undefined
  const userId = ctx.actor.userId ?? ''
  if (!hasPermission(ctx.actor, 'contacts:read')) return inArray(column, [])
  const own = unionAll(
    ctx.db.orm
      .select({ id: contacts.id })
      .from(contacts)
      .where(inOrganization(ctx, contacts, eq(contacts.assignedTo, userId))),
    ctx.db.orm
      .select({ id: conversations.contactId })
      .from(conversations)
      .where(inOrganization(ctx, conversations, eq(conversations.assignedTo, userId))),
  )
  return inArray(column, own)
}

/**
 * Returns the same condition for queries that test each contact row, without a subquery over all
 * contacts.
 */
export function isVisibleRow(ctx: Pick<Ctx, 'db' | 'organizationId' | 'actor'>): SQL | undefined {
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
          eq(conversations.assignedTo, userId),
        ),
      ),
  )
  return or(eq(contacts.assignedTo, userId), inConversation)
}

const liveById = compiled((orm) =>
  orm
    .select()
    .from(contacts)
    .where(
      inOrganization(
        anyScope,
        contacts,
        and(eq(contacts.id, uuidPlaceholder('id')), isNull(contacts.deletedAtMs)),
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
            and(eq(contacts.id, id), isNull(contacts.deletedAtMs), visibleTo(ctx, contacts.id)),
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
        and(eq(contacts.id, uuidPlaceholder('id')), isNull(contacts.deletedAtMs)),
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
        and(eq(contacts.id, id), isNull(contacts.mergedInto), visibleTo(ctx, contacts.id), isKnown),
      ),
    )
    .get()
  if (!row) throw new NotFoundError('Contact')
  return row
}

/** Reports whether the caller can see a contact, deleted or not. */
export const isVisible = (ctx: Pick<Ctx, 'db' | 'organizationId' | 'actor'>, id: string): boolean =>
  ctx.db.orm
    .select({ id: contacts.id })
    .from(contacts)
    .where(inOrganization(ctx, contacts, and(eq(contacts.id, id), visibleTo(ctx, contacts.id))))
    .get() !== undefined

const assigned = compiled((orm) => {
  const contactId = uuidPlaceholder('contactId')
  return unionAll(
    orm
      .select({ userId: contacts.assignedTo })
      .from(contacts)
      .where(inOrganization(anyScope, contacts, eq(contacts.id, contactId))),
    orm
      .select({ userId: conversations.assignedTo })
      .from(conversations)
      .where(inOrganization(anyScope, conversations, eq(conversations.contactId, contactId))),
  ).prepare()
})

/**
 * Returns the users to whom a contact or one of its conversations is assigned. They see it without
 * `contacts:read_all`.
 */
export function assigneesOf(ctx: Pick<Ctx, 'db' | 'organizationId'>, contactId: string): string[] {
  const rows = assigned(ctx.db).all({ organizationId: ctx.organizationId, contactId })
  return [...new Set(rows.map(({ userId }) => userId).filter((userId) => userId !== null))]
}

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
export const masksNumbers = (ctx: Pick<Ctx, 'db' | 'organizationId' | 'actor'>): boolean =>
  !hasPermission(ctx.actor, 'contacts:unmask') && getOrganization(ctx).maskPhoneNumbers
