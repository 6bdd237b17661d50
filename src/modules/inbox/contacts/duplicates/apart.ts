import { and, eq, isNotNull } from 'drizzle-orm'

import { InvalidError, NotFoundError } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { recordAudit } from '../../../organization/audit/record'
import { getVisibleContact } from '../sight/visibility'
import { contacts, contactsApart } from '../table'

/** Two contacts in the order in which they are stored. */
const inOrder = (one: string, other: string): [string, string] =>
  one < other ? [one, other] : [other, one]

const isPair = (one: string, other: string) => {
  const [contactId, otherId] = inOrder(one, other)
  return and(eq(contactsApart.contactId, contactId), eq(contactsApart.otherId, otherId))
}

/** Stores that two contacts are not the same person. Returns `false` if that was known. */
function tellApartIn(tx: Tx, ctx: Ctx, one: string, other: string): boolean {
  const [contactId, otherId] = inOrder(one, other)
  const added = tx
    .insert(contactsApart)
    .values({
      ...{ organizationId: ctx.organizationId, contactId, otherId },
      ...{ actorId: ctx.actor.userId, decidedAtMs: ctx.clock.nowMs() },
    })
    .onConflictDoNothing()
    .returning({ contactId: contactsApart.contactId })
    .all()
  return added.length > 0
}

/** Forgets that two contacts are not the same person. Returns `false` if nobody had said so. */
const forgetApartIn = (tx: Tx, ctx: Ctx, one: string, other: string): boolean =>
  tx
    .delete(contactsApart)
    .where(inOrganization(ctx, contactsApart, isPair(one, other)))
    .returning({ contactId: contactsApart.contactId })
    .all().length > 0

/**
 * Remembers that two visible contacts are not the same person. Throws NotFoundError if the caller
 * cannot see one of them, and InvalidError if both are the same contact.
 */
export function tellApart(ctx: Ctx, contactId: string, otherId: string): void {
  transact(ctx.db, (tx) => {
    getVisibleContact(ctx, contactId)
    getVisibleContact(ctx, otherId)
    if (contactId === otherId) throw new InvalidError('A contact cannot differ from itself.')
    if (!tellApartIn(tx, ctx, contactId, otherId)) return
    recordAudit(tx, ctx, {
      action: 'told_apart',
      resourceType: 'contact',
      resourceId: contactId,
      resourceName: null,
      changes: [{ field: 'other_id', old_value: null, new_value: otherId }],
    })
  })
}

/**
 * Forgets that two visible contacts are not the same person. Throws NotFoundError if the caller
 * cannot see one of them, or nobody had said so.
 */
export function forgetApart(ctx: Ctx, contactId: string, otherId: string): void {
  transact(ctx.db, (tx) => {
    getVisibleContact(ctx, contactId)
    getVisibleContact(ctx, otherId)
    if (!forgetApartIn(tx, ctx, contactId, otherId)) throw new NotFoundError('Pair')
    recordAudit(tx, ctx, {
      action: 'told_apart_undone',
      resourceType: 'contact',
      resourceId: contactId,
      resourceName: null,
      changes: [{ field: 'other_id', old_value: otherId, new_value: null }],
    })
  })
}

/**
 * Returns whether two contacts are known not to be the same person: they, or contacts that were
 * merged into them.
 */
export function apartIn(ctx: ReadCtx): (one: string, other: string) => boolean {
  const rows = ctx.db.orm
    .select({ one: contactsApart.contactId, other: contactsApart.otherId })
    .from(contactsApart)
    .where(inOrganization(ctx, contactsApart))
    .all()
  if (rows.length === 0) return () => false
  const merged = new Map(
    ctx.db.orm
      .select({ id: contacts.id, into: contacts.mergedInto })
      .from(contacts)
      .where(inOrganization(ctx, contacts, isNotNull(contacts.mergedInto)))
      .all()
      .map(({ id, into }) => [id, into]),
  )
  const now = (id: string): string => {
    const into = merged.get(id) ?? null
    return into === null ? id : now(into)
  }
  const pairs = new Set(rows.map(({ one, other }) => inOrder(now(one), now(other)).join(' ')))
  return (one, other) => pairs.has(inOrder(one, other).join(' '))
}
