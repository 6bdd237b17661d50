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

/**
 * Whether the actor sees every contact of the organization. Without the right to read contacts
 * nobody sees any.
 */
export const seesAll = (actor: Actor): boolean =>
  hasPermission(actor, 'contacts:read_all') && hasPermission(actor, 'contacts:read')

/**
 * The condition that cuts a query to the contacts the caller sees: those assigned to it, or with a
 * conversation assigned to it, unless it holds contacts:read_all. The one place that decides this,
 * for lists, ids, searches and sockets. `column` is the contact's id in the query.
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
 * The same condition for queries that read contacts and look at each row: it is asked of the row
 * alone and gathers nothing first.
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
        and(eq(contacts.id, sql.placeholder('id')), isNull(contacts.deletedAtMs)),
      ),
    )
    .prepare(),
)

/**
 * The contact with this id if the caller sees it. Throws NotFoundError when it is unknown, deleted,
 * of another organization or out of sight.
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
        and(eq(contacts.id, sql.placeholder('id')), isNull(contacts.deletedAtMs)),
      ),
    )
    .prepare(),
)

/**
 * Makes sure that the caller sees a contact. Throws NotFoundError where {@link getVisibleContact}
 * does, and reads less of it.
 */
export function requireVisibleContact(ctx: Ctx, id: string): void {
  if (!seesAll(ctx.actor)) getVisibleContact(ctx, id)
  else if (!isLive(ctx.db).get({ organizationId: ctx.organizationId, id }))
    throw new NotFoundError('Contact')
}

/**
 * The contact with this id if the caller sees it or saw it before it was deleted. Throws
 * NotFoundError for one that is unknown, of another organization, out of sight, part of another
 * contact, or erased already.
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

/** Whether the caller sees the contact with this id, deleted or not. */
export const isVisible = (ctx: Pick<Ctx, 'db' | 'organizationId' | 'actor'>, id: string): boolean =>
  ctx.db.orm
    .select({ id: contacts.id })
    .from(contacts)
    .where(inOrganization(ctx, contacts, and(eq(contacts.id, id), visibleTo(ctx, contacts.id))))
    .get() !== undefined

const assigned = compiled((orm) => {
  const contactId = sql.placeholder('contactId')
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
 * Ids of the users a contact is assigned to, itself or one of its conversations: who sees it
 * without contacts:read_all.
 */
export function assigneesOf(ctx: Pick<Ctx, 'db' | 'organizationId'>, contactId: string): string[] {
  const rows = assigned(ctx.db).all({ organizationId: ctx.organizationId, contactId })
  return [...new Set(rows.map(({ userId }) => userId).filter((userId) => userId !== null))]
}

/**
 * The condition that cuts a list of people's own work, such as imports and exports, to the caller's
 * own; who sees every contact sees all of it.
 */
export const ownWork = (ctx: Pick<Ctx, 'actor'>, createdBy: SQLiteColumn): SQL | undefined =>
  seesAll(ctx.actor) ? undefined : eq(createdBy, ctx.actor.userId ?? '')

/**
 * Whether the caller may see what somebody has asked for: its own, or all of it for who sees every
 * contact.
 */
export const isOwnWork = (ctx: Pick<Ctx, 'actor'>, row: { createdBy: string | null }): boolean =>
  seesAll(ctx.actor) || row.createdBy === ctx.actor.userId

/**
 * Whether phone numbers are masked for the caller: the organization masks and the caller may not
 * look behind it.
 */
export const masksNumbers = (ctx: Pick<Ctx, 'db' | 'organizationId' | 'actor'>): boolean =>
  !hasPermission(ctx.actor, 'contacts:unmask') && getOrganization(ctx).maskPhoneNumbers
