import { and, desc, eq, sql } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { foldText } from '../../../lib/fold-text'
import type { Page } from '../../../lib/page'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { transact, type Tx } from '../../../infra/db/transact'
import { readNumbered } from '../../../infra/offset-pagination'
import { emit } from '../../../infra/outbox/events'
import { recordUnnamed } from '../../audit/record'
import { consentSettingsOf } from './settings'
import type { ConsentView, NewConsent } from './model'
import { ContactChanged } from '../events'
import { contactConsents, contacts } from '../table'
import { getVisibleContact } from '../visibility'

/** A row of the consent history. */
type ConsentRow = typeof contactConsents.$inferSelect

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
const NEWEST_FIRST = [desc(contactConsents.atMs), desc(contactConsents.state)]

const newestFact = compiled((orm) =>
  orm
    .select({ state: contactConsents.state })
    .from(contactConsents)
    .where(
      inOrganization(
        anyScope,
        contactConsents,
        eq(contactConsents.contactId, sql.placeholder('contactId')),
      ),
    )
    .orderBy(...NEWEST_FIRST)
    .limit(1)
    .prepare(),
)

const stateOf = compiled((orm) =>
  orm
    .select({ state: contacts.marketingConsent })
    .from(contacts)
    .where(inOrganization(anyScope, contacts, eq(contacts.id, sql.placeholder('contactId'))))
    .prepare(),
)

const setState = compiled((orm) =>
  orm
    .update(contacts)
    .set({
      marketingConsent: sql`${sql.placeholder('state')}`,
      updatedAtMs: sql`${sql.placeholder('nowMs')}`,
    })
    .where(inOrganization(anyScope, contacts, eq(contacts.id, sql.placeholder('contactId'))))
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

/**
 * Records consent that a customer expressed to a member. Throws NotFoundError for an invisible
 * contact.
 */
export function recordConsent(ctx: Ctx, contactId: string, input: NewConsent): ConsentView {
  return transact(ctx.db, (tx) => {
    getVisibleContact(ctx, contactId)
    const source = ctx.actor.type === 'api_key' ? 'api' : 'agent'
    recordUnnamed(tx, ctx, {
      action: input.state,
      resourceType: 'contact',
      resourceId: contactId,
      fields: ['marketing_consent'],
    })
    return consentView(
      appendConsentIn(tx, ctx, {
        contactId,
        state: input.state,
        source,
        evidence: input.evidence ?? null,
      }),
    )
  })
}

/**
 * Returns a contact's consent entries, newest first. Throws NotFoundError for an invisible contact.
 */
export function listConsents(
  ctx: Ctx,
  contactId: string,
  query: { page: number; limit: number },
): Page<ConsentView> {
  getVisibleContact(ctx, contactId)
  return readNumbered(ctx, query, {
    table: contactConsents,
    filter: inOrganization(ctx, contactConsents, eq(contactConsents.contactId, contactId)),
    order: [...NEWEST_FIRST, desc(contactConsents.id)],
    views: (rows) => rows.map(consentView),
  })
}

const consentView = (row: ConsentRow): ConsentView => ({
  id: row.id,
  purpose: row.purpose,
  state: row.state,
  source: row.source,
  evidence: row.evidence,
  message_id: row.messageId,
  actor:
    row.actorId === null && row.actorName === null
      ? null
      : { id: row.actorId, name: row.actorName },
  created_at: isoTime(row.atMs),
})

/**
 * Records an opt-out or opt-in if the text is one of the organization's keywords. Returns the reply
 * to send, or `null` if the text is no keyword or a later one counts. Runs inside the message's
 * transaction, before anything else handles the message (inbound contract 10).
 */
export function consentKeywordIn(
  tx: Tx,
  ctx: Ctx,
  incoming: { contactId: string; text: string; messageId: string; atMs: number },
): string | null {
  const text = foldText(incoming.text)
  if (text === '' || text.length > 100) return null
  const settings = consentSettingsOf(ctx)
  const isOne = (words: string[]): boolean => words.some((word) => foldText(word) === text)
  const state = isOne(settings.opt_out_keywords)
    ? 'opted_out'
    : isOne(settings.opt_in_keywords)
      ? 'opted_in'
      : null
  if (state === null) return null
  const { contactId, messageId, atMs } = incoming
  appendConsentIn(tx, ctx, { contactId, state, source: 'keyword', messageId, atMs })
  if (newestFact(ctx.db).get({ organizationId: ctx.organizationId, contactId })?.state !== state)
    return null
  return state === 'opted_out' ? settings.opt_out_reply : settings.opt_in_reply
}
