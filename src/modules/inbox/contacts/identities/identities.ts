import { and, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { numberVariants } from '../../../../lib/phone'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { contactIdentities, type IDENTITY_KINDS } from '../table'

/** The IDs by which the platform identifies a sender. */
export interface SenderIds {
  /** E.164 digits. */
  phone: string | null
  userId: string | null
  parentUserId: string | null
}

/** A phone number or ID by which the platform identifies a contact. */
export interface Identity {
  kind: (typeof IDENTITY_KINDS)[number]
  value: string
}

/** How long a former number still identifies the contact (messages contract, inbound mapping). */
const FORMER_NUMBER_MS = 30 * DAY_MS

const isValid = or(
  isNull(contactIdentities.expiresAtMs),
  sql`${contactIdentities.expiresAtMs} > ${sql.placeholder('nowMs')}`,
)

const holderOf = compiled((orm) =>
  orm
    .select({ contactId: contactIdentities.contactId })
    .from(contactIdentities)
    .where(
      inOrganization(
        anyScope,
        contactIdentities,
        and(
          eq(contactIdentities.kind, place(contactIdentities.kind, 'kind')),
          eq(contactIdentities.value, place(contactIdentities.value, 'value')),
          isValid,
        ),
      ),
    )
    .prepare(),
)

/**
 * Inserts a new identity. An identity of another contact stays there, unless it is an expired
 * former number.
 */
const insertIdentity = compiled((orm) =>
  orm
    .insert(contactIdentities)
    .values({
      organizationId: sql.placeholder('organizationId'),
      kind: sql.placeholder('kind'),
      value: sql.placeholder('value'),
      contactId: sql.placeholder('contactId'),
      accountId: sql.placeholder('accountId'),
      firstSeenAtMs: sql.placeholder('nowMs'),
    })
    .onConflictDoUpdate({
      target: [contactIdentities.organizationId, contactIdentities.kind, contactIdentities.value],
      set: {
        contactId: sql`excluded.contact_id`,
        accountId: sql`excluded.account_id`,
        firstSeenAtMs: sql`excluded.first_seen_at_ms`,
        expiresAtMs: null,
      },
      setWhere: sql`${contactIdentities.expiresAtMs} <= excluded.first_seen_at_ms`,
    })
    .prepare(),
)

/** Returns the IDs of a sender in lookup order: user ID, parent user ID, phone number. */
export const identitiesOf = (sender: SenderIds): Identity[] =>
  (
    [
      ['user_id', sender.userId],
      ['parent_user_id', sender.parentUserId],
      ['phone', sender.phone],
    ] as [Identity['kind'], string | null][]
  ).flatMap(([kind, value]) => (value === null ? [] : [{ kind, value }]))

/**
 * Returns the contacts that have any of the sender's IDs or an equivalent spelling of its number,
 * each once, in lookup order.
 */
export function holdersOf(
  ctx: Pick<Ctx, 'db' | 'organizationId' | 'clock'>,
  sender: SenderIds,
): string[] {
  const nowMs = ctx.clock.nowMs()
  const found = identitiesOf(sender).flatMap(({ kind, value }) =>
    (kind === 'phone' ? numberVariants(value) : [value]).flatMap((spelling) => {
      const known = holderOf(ctx.db).get({
        organizationId: ctx.organizationId,
        kind,
        value: spelling,
        nowMs,
      })
      return known ? [known.contactId] : []
    }),
  )
  return [...new Set(found)]
}

/**
 * Adds a number or ID to a contact, unless another contact has it. Runs inside the caller's
 * transaction.
 */
export function addIdentityIn(
  tx: Tx,
  ctx: Ctx,
  contactId: string,
  identity: Identity & { accountId: string | null },
): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  insertIdentity(ctx.db).run({
    organizationId: ctx.organizationId,
    contactId,
    ...identity,
    nowMs: ctx.clock.nowMs(),
  })
}

/**
 * Removes numbers or IDs from whichever contacts have them. Runs inside the caller's transaction.
 */
export function removeIdentitiesIn(
  tx: Tx,
  ctx: Ctx,
  kind: Identity['kind'],
  values: string[],
): void {
  tx.delete(contactIdentities)
    .where(
      inOrganization(
        ctx,
        contactIdentities,
        and(eq(contactIdentities.kind, kind), inArray(contactIdentities.value, values)),
      ),
    )
    .run()
}

/**
 * Marks all numbers of a contact except `kept` as former: they identify it for 30 more days. Runs
 * inside the caller's transaction.
 */
export function expireNumbersIn(tx: Tx, ctx: Ctx, contactId: string, kept: string[]): void {
  const former = tx
    .select({ value: contactIdentities.value })
    .from(contactIdentities)
    .where(
      inOrganization(
        ctx,
        contactIdentities,
        and(
          eq(contactIdentities.contactId, contactId),
          eq(contactIdentities.kind, 'phone'),
          isNull(contactIdentities.expiresAtMs),
        ),
      ),
    )
    .all()
    .map(({ value }) => value)
    .filter((value) => !kept.includes(value))
  if (former.length === 0) return
  tx.update(contactIdentities)
    .set({ expiresAtMs: ctx.clock.nowMs() + FORMER_NUMBER_MS })
    .where(
      inOrganization(
        ctx,
        contactIdentities,
        and(eq(contactIdentities.kind, 'phone'), inArray(contactIdentities.value, former)),
      ),
    )
    .run()
}

/** Whether a number, in any spelling, is one that the contact has left. */
export const isFormerNumber = (ctx: Ctx, contactId: string, phone: string): boolean =>
  ctx.db.orm
    .select({ value: contactIdentities.value })
    .from(contactIdentities)
    .where(
      inOrganization(
        ctx,
        contactIdentities,
        and(
          eq(contactIdentities.contactId, contactId),
          eq(contactIdentities.kind, 'phone'),
          inArray(contactIdentities.value, numberVariants(phone)),
          isNotNull(contactIdentities.expiresAtMs),
        ),
      ),
    )
    .limit(1)
    .get() !== undefined

/** Makes a former number a current one again. Runs inside the caller's transaction. */
export function restoreNumberIn(tx: Tx, ctx: Ctx, contactId: string, value: string): void {
  tx.update(contactIdentities)
    .set({ expiresAtMs: null })
    .where(
      inOrganization(
        ctx,
        contactIdentities,
        and(
          eq(contactIdentities.kind, 'phone'),
          eq(contactIdentities.value, value),
          eq(contactIdentities.contactId, contactId),
        ),
      ),
    )
    .run()
}
