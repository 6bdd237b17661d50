import { fieldSentence } from '../../../lib/errors'
import { and, eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import type { AccountRow } from '../../accounts/view'
import { createContactsIn } from '../../contacts/create-many'
import { indexContactIn } from '../../contacts/search/index-contact'
import { changeContactIn, findOrCreateSenderIn, findContact } from '../../contacts/service'
import type { ContactRow } from '../../contacts/view'
import { createCampaignMessageIn } from '../../messages/outbound/campaign'
import { ownFailure } from '../../messages/outbound/delivery-state'
import {
  comesBack,
  checkContact,
  checkUnknownNumber,
  priceFor,
  type EligibilityContext,
  type Eligibility,
} from './eligibility'
import { settleIdentityIn } from '../recipients/resolve-contact'
import { changeRecipientIn, countsOf, failRecipientIn } from '../state'
import { campaignRecipients, campaignSends } from '../table'
import { paramsOf, type RecipientRow } from '../view'

/** What became of a recipient that was next. */
export type Claimed = 'claimed' | 'skipped' | 'failed' | 'broke'

/** A recipient that is next, with what it is judged by. */
interface Next {
  desk: EligibilityContext
  account: AccountRow
  row: RecipientRow
}

/**
 * Claims a recipient, in the caller's transaction: it goes from pending to sending together with
 * its message and the job that sends it, so each is claimed once whatever happens (templates
 * contract C, rule 4). Who may not be written to any more is skipped, whoever's values the template
 * does not take has failed; `broke` when the budget does not suffice, then nothing is changed.
 */
export function claimIn(tx: Tx, ctx: Ctx, next: Next): Claimed {
  const { desk, row } = next
  const skip = (skipReason: NonNullable<RecipientRow['skipReason']>): 'skipped' => {
    changeRecipientIn(tx, ctx, row, { status: 'skipped', skipReason })
    return 'skipped'
  }
  const settled = settleIdentityIn(tx, ctx, row)
  if (settled === 'duplicate') return 'skipped'
  const { contactId } = settled
  const known = contactId === null ? null : comeBackIn(tx, ctx, next, contactId)
  const verdict = known
    ? checkContact(ctx, desk, known, paramsOf(row))
    : checkUnknownNumber(desk, paramsOf(row))
  if (verdict.skip !== null) return skip(verdict.skip)
  const [problem] = verdict.filled.findings.problems
  if (problem) return refuseIn(tx, ctx, row, fieldSentence(problem.path, problem.message))
  const cost = priceFor(ctx, desk, { contact: known, address: row })?.micros ?? null
  const { budgetMicros } = desk.campaign
  if (
    budgetMicros !== null &&
    countsOf(ctx, row.campaignId).spentMicros + (cost ?? 0) > budgetMicros
  )
    return 'broke'
  const contact = known === null ? createIn(tx, ctx, next) : nameIn(tx, ctx, known, row)
  return sendIn(tx, ctx, next, { contact, verdict, cost })
}

/** The contact as it is; one who was deleted and whose number was brought in comes back. */
function comeBackIn(
  tx: Tx,
  ctx: Ctx,
  { account, row }: Next,
  contactId: string,
): ContactRow | null {
  const contact = findContact(ctx, contactId)
  if (!contact || contact.deletedAtMs === null || !comesBack(row)) return contact
  const ids = {
    phone: row.phoneNumber,
    userId: row.userId,
    parentUserId: null,
    profileName: null,
    username: null,
  }
  return findOrCreateSenderIn(tx, ctx, ids, {
    accountId: account.id,
    source: 'api',
    atMs: -1,
    holderId: contactId,
  })
}

/**
 * Somebody nobody knew yet becomes a contact with the first message; nobody is told of each of
 * them.
 */
function createIn(tx: Tx, ctx: Ctx, { account, row }: Next): ContactRow {
  const ids = { phone: row.phoneNumber, userId: row.userId, parentUserId: null }
  const brought = {
    ids,
    name: row.name ?? undefined,
    language: undefined,
    assignedTo: undefined,
    attributes: {},
    tagIds: [],
    consent: undefined,
  }
  const id = createContactsIn(tx, ctx, brought, { accountId: account.id, source: 'campaign' })
  const contact = findContact(ctx, id)
  if (!contact) throw new Error('a contact that was just written is missing')
  return contact
}

/** The name that was brought in fills an empty one only. */
function nameIn(tx: Tx, ctx: Ctx, contact: ContactRow, row: RecipientRow): ContactRow {
  if (row.source !== 'upload' || row.name === null || contact.name !== null) return contact
  return indexContactIn(tx, ctx, changeContactIn(tx, ctx, contact.id, { name: row.name }))
}

function refuseIn(tx: Tx, ctx: Ctx, row: RecipientRow, message: string): 'failed' {
  failRecipientIn(tx, ctx, row, ownFailure('invalid_params', message))
  return 'failed'
}

/** A new attempt knows nothing of the former one any more. */
const claimPending = compiled((orm) =>
  orm
    .update(campaignRecipients)
    .set({
      status: 'sending',
      attempt: sql`${sql.placeholder('attempt')}`,
      contactId: sql`${sql.placeholder('contactId')}`,
      identity: sql`'c:' || ${sql.placeholder('contactId')}`,
      costMicros: sql`${sql.placeholder('costMicros')}`,
      isCostActual: false,
      error: null,
      errorCode: null,
      failedAtMs: null,
      finishedAtMs: null,
      sentAtMs: null,
      deliveredAtMs: null,
      readAtMs: null,
      updatedAtMs: sql`${sql.placeholder('nowMs')}`,
    })
    .where(
      inOrganization(
        anyScope,
        campaignRecipients,
        and(
          eq(campaignRecipients.campaignId, sql.placeholder('campaignId')),
          eq(campaignRecipients.id, sql.placeholder('recipientId')),
          sql`${campaignRecipients.status} = 'pending'`,
        ),
      ),
    )
    .returning({ id: campaignRecipients.id })
    .prepare(),
)

const insertSend = compiled((orm) =>
  orm
    .insert(campaignSends)
    .values({
      organizationId: sql.placeholder('organizationId'),
      campaignId: sql.placeholder('campaignId'),
      recipientId: sql.placeholder('recipientId'),
      attempt: sql.placeholder('attempt'),
      messageId: sql.placeholder('messageId'),
      createdAtMs: sql.placeholder('nowMs'),
    })
    .prepare(),
)

function sendIn(
  tx: Tx,
  ctx: Ctx,
  { desk, account, row }: Next,
  what: { contact: ContactRow; verdict: Eligibility; cost: number | null },
): 'claimed' | 'skipped' {
  const attempt = row.attempt + 1
  const place = {
    organizationId: ctx.organizationId,
    campaignId: row.campaignId,
    recipientId: row.id,
    attempt,
    nowMs: ctx.clock.nowMs(),
  }
  const claimed = claimPending(ctx.db).get({
    ...place,
    contactId: what.contact.id,
    costMicros: what.cost,
  })
  if (!claimed) return 'skipped'
  createCampaignMessageIn(tx, ctx, {
    campaignId: row.campaignId,
    contact: what.contact,
    account,
    template: desk.template.row,
    filled: what.verdict.filled,
    headerMediaId: desk.filling.headerFile?.mediaId ?? null,
    params: what.verdict.values.body ?? {},
    link: (messageId) => insertSend(ctx.db).run({ ...place, messageId }),
  })
  return 'claimed'
}
