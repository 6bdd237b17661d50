import { desc, eq } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import type { Page } from '../../../../lib/page'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { readNumbered } from '../../../../infra/offset-pagination'
import { recordPersonalDataChange } from '../../../organization/audit/record'
import { getVisibleContact } from '../sight/visibility'
import type { ConsentView, NewConsent } from './model'
import { type ConsentRow, NEWEST_FIRST, appendConsentIn } from './ledger'
import { contactConsents } from './table'

/**
 * Records consent that a customer expressed to a member. Throws NotFoundError for an invisible
 * contact.
 */
export function recordConsent(ctx: Ctx, contactId: string, input: NewConsent): ConsentView {
  return transact(ctx.db, (tx) => {
    getVisibleContact(ctx, contactId)
    const source = ctx.actor.type === 'api_key' ? 'api' : 'agent'
    recordPersonalDataChange(tx, ctx, {
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
