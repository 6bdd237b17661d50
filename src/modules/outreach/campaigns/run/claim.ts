import { fieldSentence } from '../../../../lib/errors'
import { and, eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import type { AccountRow } from '../../../channel/accounts/view'
import { createContactsIn } from '../../../inbox/contacts/write/create-many'
import { indexContactIn } from '../../../inbox/contacts/search/index-contact'
import { changeContactIn, findContact } from '../../../inbox/contacts/service'
import type { ContactRow } from '../../../inbox/contacts/view'
import { createCampaignMessageIn } from '../../../inbox/messages/outbound/campaign'
import { ownFailure } from '../../../inbox/messages/outbound/delivery-state'
import {
  restoresContact,
  checkContact,
  checkUnknownNumber,
  priceFor,
  type EligibilityContext,
  type Eligibility,
} from './eligibility'
import { blockerOfSpend } from './blockers'
import { resolveContactIn } from '../recipients/resolve-contact'
import { changeRecipientIn, countsOf, failRecipientIn } from '../state'
import { campaignRecipients, campaignSends } from '../table'
import { paramsOf, type RecipientRow } from '../view'
import { findOrCreateSenderIn } from '../../../inbox/contacts/identities/sender'

/** The result of claiming a recipient. */
export type Claimed = 'claimed' | 'skipped' | 'failed' | 'over_budget'

/** The next recipient and the context to check it. */
interface Next {
  context: EligibilityContext
  account: AccountRow
  row: RecipientRow
}

/**
 * Claims a pending recipient: creates its message and the send job in the same transaction, so each
 * recipient is claimed once (templates contract C, rule 4). Skips contacts that are no longer
 * eligible and fails recipients with invalid values. Returns `over_budget` without any change if
 * the budget of the campaign or of the organization is too small.
 */
export function claimIn(tx: Tx, ctx: Ctx, next: Next): Claimed {
  const { context, row } = next
  const skip = (skipReason: NonNullable<RecipientRow['skipReason']>): 'skipped' => {
    changeRecipientIn(tx, ctx, row, { status: 'skipped', skipReason })
    return 'skipped'
  }
  const resolved = resolveContactIn(tx, ctx, row)
  if (resolved === 'duplicate') return 'skipped'
  const { contactId } = resolved
  const known = contactId === null ? null : restoreContactIn(tx, ctx, next, contactId)
  const eligibility = known
    ? checkContact(ctx, context, known, paramsOf(row))
    : checkUnknownNumber(context, paramsOf(row))
  if (eligibility.skip !== null) return skip(eligibility.skip)
  const [problem] = eligibility.filled.findings.problems
  if (problem) return failIn(tx, ctx, row, fieldSentence(problem.path, problem.message))
  const cost = priceFor(ctx, context, { contact: known, address: row })?.micros ?? null
  const { budgetMicros } = context.campaign
  if (
    budgetMicros !== null &&
    countsOf(ctx, row.campaignId).spentMicros + (cost ?? 0) > budgetMicros
  )
    return 'over_budget'
  if (blockerOfSpend(ctx, context.campaign, context.template)) return 'over_budget'
  const contact = known === null ? createContactIn(tx, ctx, next) : fillNameIn(tx, ctx, known, row)
  return sendIn(tx, ctx, next, { contact, eligibility, cost })
}

/** Returns the contact. Restores a deleted contact if its number was imported. */
function restoreContactIn(
  tx: Tx,
  ctx: Ctx,
  { account, row }: Next,
  contactId: string,
): ContactRow | null {
  const contact = findContact(ctx, contactId)
  if (!contact || contact.deletedAtMs === null || !restoresContact(row)) return contact
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

/** Creates the contact of an unknown number with its first message, without publishing it. */
function createContactIn(tx: Tx, ctx: Ctx, { account, row }: Next): ContactRow {
  const ids = { phone: row.phoneNumber, userId: row.userId, parentUserId: null }
  const imported = {
    ids,
    texts: row.name === null ? {} : { name: row.name },
    assignedTo: undefined,
    attributes: {},
    tagIds: [],
    consent: undefined,
  }
  const id = createContactsIn(tx, ctx, imported, { accountId: account.id, source: 'campaign' })
  const contact = findContact(ctx, id)
  if (!contact) throw new Error('a contact that was just written is missing')
  return contact
}

/** Sets the imported name on a contact without a name. */
function fillNameIn(tx: Tx, ctx: Ctx, contact: ContactRow, row: RecipientRow): ContactRow {
  if (row.source !== 'upload' || row.name === null || contact.name !== null) return contact
  return indexContactIn(tx, ctx, changeContactIn(tx, ctx, contact.id, { name: row.name }))
}

function failIn(tx: Tx, ctx: Ctx, row: RecipientRow, message: string): 'failed' {
  failRecipientIn(tx, ctx, row, ownFailure('invalid_params', message))
  return 'failed'
}

/** Clears the results of the former attempt. */
const claimPending = compiled((orm) =>
  orm
    .update(campaignRecipients)
    .set({
      status: 'sending',
      attempt: sql`${sql.placeholder('attempt')}`,
      contactId: place(campaignRecipients.contactId, 'contactId'),
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
          eq(campaignRecipients.campaignId, place(campaignRecipients.campaignId, 'campaignId')),
          eq(campaignRecipients.id, place(campaignRecipients.id, 'recipientId')),
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
  { context, account, row }: Next,
  message: { contact: ContactRow; eligibility: Eligibility; cost: number | null },
): 'claimed' | 'skipped' {
  const attempt = row.attempt + 1
  const key = {
    organizationId: ctx.organizationId,
    campaignId: row.campaignId,
    recipientId: row.id,
    attempt,
    nowMs: ctx.clock.nowMs(),
  }
  const claimed = claimPending(ctx.db).get({
    ...key,
    contactId: message.contact.id,
    costMicros: message.cost,
  })
  if (!claimed) return 'skipped'
  createCampaignMessageIn(tx, ctx, {
    campaignId: row.campaignId,
    contact: message.contact,
    account,
    template: context.template.row,
    filled: message.eligibility.filled,
    headerMediaId: context.filling.headerFile?.mediaId ?? null,
    params: message.eligibility.values.body ?? {},
    currency: context.campaign.currency,
    link: (messageId) => insertSend(ctx.db).run({ ...key, messageId }),
  })
  return 'claimed'
}
