import type { Ctx } from '../../../../infra/ctx'
import { yieldEvery } from '../../../../infra/event-loop'
import { holdersOf } from '../../../inbox/contacts/identities/identities'
import { findContact } from '../../../inbox/contacts/service'
import { defaultCurrency } from '../../../channel/prices/lookup'
import { identityOf } from '../recipients/add'
import { selectsContacts, readAudience } from '../run/audience'
import {
  checkContact,
  checkRecipient,
  loadEligibilityContext,
  type EligibilityContext,
} from '../run/eligibility'
import { getCampaignRow, pendingRecipients } from '../state'
import { audienceOf, type RecipientRow } from '../view'
import { Tally } from './dry-run-tally'
import { dryRunView } from './dry-run-view'
import type { DryRun } from './model'
import { requireCopied } from './require-copied'
import { noTemplate } from './no-template'
import { findTemplateOf } from './template'

const ROWS_AT_ONCE = 200

/** How long contacts are checked before the event loop runs other work, milliseconds. */
const MAX_TURN_MS = 8

/**
 * Returns the expected result of starting a campaign, without storing or sending anything. Throws
 * NotFoundError, InvalidError `no_template`, and ConflictError `wrong_state` while recipients are being copied.
 */
export async function dryRun(ctx: Ctx, id: string): Promise<DryRun> {
  const row = getCampaignRow(ctx, id)
  requireCopied(ctx, row)
  const campaign = { ...row, currency: row.currency ?? defaultCurrency(ctx) }
  const template = findTemplateOf(ctx, campaign.templateId)
  if (!template) throw noTemplate()
  const context = loadEligibilityContext(ctx, campaign, template)
  const tally = new Tally(ctx, context)
  const seen = await checkImported(ctx, context, tally)
  if (!campaign.isPlanned) await checkAudience(ctx, context, tally, seen)
  return dryRunView(ctx, context, tally)
}

/** Checks imported recipients. Returns their identities. */
async function checkImported(
  ctx: Ctx,
  context: EligibilityContext,
  tally: Tally,
): Promise<Set<string>> {
  const seen = new Set<string>()
  const yieldIfDue = yieldEvery(MAX_TURN_MS)
  for (let after: string | null = ''; after !== null;) {
    const rows: RecipientRow[] = pendingRecipients(ctx, {
      campaignId: context.campaign.id,
      after,
      limit: ROWS_AT_ONCE,
    })
    for (const row of rows) {
      checkImportedOne(ctx, context, tally, { row, seen })
      await yieldIfDue()
    }
    after = rows.length < ROWS_AT_ONCE ? null : (rows.at(-1)?.id ?? null)
  }
  return seen
}

function checkImportedOne(
  ctx: Ctx,
  context: EligibilityContext,
  tally: Tally,
  { row, seen }: { row: RecipientRow; seen: Set<string> },
): void {
  const ids = { phone: row.phoneNumber, userId: row.userId, parentUserId: null }
  const contactId = row.contactId ?? holdersOf(ctx, ids)[0] ?? null
  const identity = identityOf({ ...row, contactId })
  const contact = contactId === null ? null : findContact(ctx, contactId)
  if (seen.has(identity)) return tally.leaveOut('duplicate', { recipient: row, contact })
  seen.add(identity)
  return tally.take({ recipient: row, contact }, checkRecipient(ctx, context, row, contact))
}

async function checkAudience(
  ctx: Ctx,
  context: EligibilityContext,
  tally: Tally,
  seen: ReadonlySet<string>,
): Promise<void> {
  const audience = audienceOf(context.campaign)
  if (!selectsContacts(audience)) return
  const yieldIfDue = yieldEvery(MAX_TURN_MS)
  for (let after: string | null = ''; after !== null;) {
    const { rows, next } = readAudience(ctx, audience, { after })
    for (const contact of rows) {
      if (!seen.has(`c:${contact.id}`))
        tally.take({ recipient: null, contact }, checkContact(ctx, context, contact, null))
      await yieldIfDue()
    }
    after = next
    await yieldIfDue()
  }
}
