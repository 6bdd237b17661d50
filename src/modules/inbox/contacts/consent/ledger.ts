import { and, desc, eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { ContactChanged } from '../events'
import { contacts } from '../table'
import { contactConsents } from './table'

/** A row of the consent history. */
export type ConsentRow = typeof contactConsents.$inferSelect

/** Consent given or withdrawn by a customer. */
export interface ConsentFact {
  contactId: string
  state: ConsentRow['state']
  source: ConsentRow['source']
  evidence?: string | null
  messageId?: string | null
  /**
   * When it was expressed, in epoch milliseconds; defaults to now. The latest entry counts,
   * whatever the order of arrival.
   */
  atMs?: number
  /** Suppresses the event, for callers that publish many changes together. */
  isQuiet?: boolean
}

const insertFact = compiled((orm) =>
  orm
    .insert(contactConsents)
    .values({
      organizationId: sql.placeholder('organizationId'),
      id: sql.placeholder('id'),
      contactId: sql.placeholder('contactId'),
      purpose: 'marketing',
      state: sql.placeholder('state'),
      source: sql.placeholder('source'),
      evidence: sql.placeholder('evidence'),
      messageId: sql.placeholder('messageId'),
      actorId: sql.placeholder('actorId'),
      actorName: sql.placeholder('actorName'),
      atMs: sql.placeholder('atMs'),
      createdAtMs: sql.placeholder('nowMs'),
    })
    .returning()
    .prepare(),
)

/** Newest first. Of two entries at the same time, the opt-out counts as newer. */
export const NEWEST_FIRST = [desc(contactConsents.atMs), desc(contactConsents.state)]

export const newestFact = compiled((orm) =>
  orm
    .select({
      purpose: contactConsents.purpose,
      state: contactConsents.state,
      source: contactConsents.source,
      atMs: contactConsents.atMs,
    })
    .from(contactConsents)
    .where(
      inOrganization(
        anyScope,
        contactConsents,
        eq(contactConsents.contactId, place(contactConsents.contactId, 'contactId')),
      ),
    )
    .orderBy(...NEWEST_FIRST)
    .limit(1)
    .prepare(),
)

/** Returns the consent entry of a contact that counts, or `undefined` if there is none. */
export const newestConsent = (ctx: Ctx, contactId: string) =>
  newestFact(ctx.db).get({ organizationId: ctx.organizationId, contactId })

const stateOf = compiled((orm) =>
  orm
    .select({ state: contacts.marketingConsent })
    .from(contacts)
    .where(inOrganization(anyScope, contacts, eq(contacts.id, place(contacts.id, 'contactId'))))
    .prepare(),
)

const setState = compiled((orm) =>
  orm
    .update(contacts)
    .set({
      marketingConsent: sql`${sql.param(sql.placeholder('state'), contacts.marketingConsent)}`,
      updatedAtMs: sql`${sql.placeholder('nowMs')}`,
    })
    .where(inOrganization(anyScope, contacts, eq(contacts.id, place(contacts.id, 'contactId'))))
    .prepare(),
)

/**
 * Appends a consent entry and updates the contact to the newest one (messages contract 3, rule 7).
 * Duplicate entries are ignored. Publishes a contact change if the consent changed. Runs inside the
 * caller's transaction.
 */
export function appendConsentIn(tx: Tx, ctx: Ctx, fact: ConsentFact): ConsentRow {
  const known =
    fact.atMs === undefined ? undefined : sameFact(tx, ctx, { ...fact, atMs: fact.atMs })
  if (known) return known
  const row = insertFact(ctx.db).get(entryOf(ctx, ctx.ids.next(), fact))
  updateConsentIn(tx, ctx, fact.contactId, fact.isQuiet ?? false)
  return row
}

function entryOf(ctx: Ctx, id: string, fact: ConsentFact): Record<string, unknown> {
  const nowMs = ctx.clock.nowMs()
  return {
    organizationId: ctx.organizationId,
    id,
    contactId: fact.contactId,
    state: fact.state,
    source: fact.source,
    evidence: fact.evidence ?? null,
    messageId: fact.messageId ?? null,
    actorId: ctx.actor.userId,
    actorName: ctx.actor.userName,
    atMs: fact.atMs ?? nowMs,
    nowMs,
  }
}

/**
 * Adds the first consent entry of a new contact whose row already has this state, in the
 * transaction that creates it.
 */
export function addFirstConsentIn(
  tx: Tx,
  ctx: Ctx,
  entryId: string,
  fact: Pick<ConsentFact, 'contactId' | 'state' | 'source'>,
): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  insertFact(ctx.db).run(entryOf(ctx, entryId, fact))
}

const sameFact = (tx: Tx, ctx: Ctx, fact: ConsentFact & { atMs: number }): ConsentRow | undefined =>
  tx
    .select()
    .from(contactConsents)
    .where(
      inOrganization(
        ctx,
        contactConsents,
        and(
          eq(contactConsents.contactId, fact.contactId),
          eq(contactConsents.atMs, fact.atMs),
          eq(contactConsents.state, fact.state),
          eq(contactConsents.source, fact.source),
        ),
      ),
    )
    .get()

/**
 * Updates a contact's consent to the newest entry. Of two entries at the same time, an opt-out
 * counts. Runs inside the caller's transaction.
 */
export function updateConsentIn(tx: Tx, ctx: Ctx, contactId: string, isQuiet = false): void {
  const of = { organizationId: ctx.organizationId, contactId }
  const state = newestFact(ctx.db).get(of)?.state ?? 'unknown'
  const before = stateOf(ctx.db).get(of)
  if (!before || before.state === state) return
  setState(ctx.db).run({ ...of, state, nowMs: ctx.clock.nowMs() })
  if (!isQuiet)
    emit(tx, ctx, ContactChanged, {
      contactId,
      payload: { contactId, changed: ['marketing_consent'], lostBy: [] },
    })
}

/**
 * Deletes a consent entry of a reverted import, and updates the contact to the remaining ones. Runs
 * inside the caller's transaction.
 */
export function withdrawConsentIn(
  tx: Tx,
  ctx: Ctx,
  entry: { contactId: string; entryId: string },
): void {
  tx.delete(contactConsents)
    .where(
      inOrganization(
        ctx,
        contactConsents,
        and(eq(contactConsents.contactId, entry.contactId), eq(contactConsents.id, entry.entryId)),
      ),
    )
    .run()
  updateConsentIn(tx, ctx, entry.contactId, true)
}
