import { and, eq, gte, inArray, ne, or, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { countryOf } from '../../../lib/phone'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { contactTags } from '../../contacts/table'
import type { ContactRow } from '../../contacts/view'
import { findConversation } from '../../conversations/service'
import { isWindowOpen } from '../../conversations/window'
import { findMedia } from '../../media/store'
import { fillTemplate, type Filled } from '../../templates/render/render'
import type { TemplateValues } from '../../templates/render/values'
import { valuesFor, type Filling, type OwnParams } from '../draft/values'
import { exclusionOf, type SkipReason } from '../rules'
import { PriceList, type CampaignPrice } from '../results/pricing'
import { campaignRecipients } from '../table'
import { fillingOf, type CampaignTemplate } from '../draft/template'
import { audienceOf, paramsOf, type CampaignRow, type RecipientRow } from '../view'

const recentlyWritten = compiled((orm) =>
  orm
    .select({ id: campaignRecipients.id })
    .from(campaignRecipients)
    .where(
      inOrganization(
        anyScope,
        campaignRecipients,
        and(
          eq(campaignRecipients.contactId, sql.placeholder('contactId')),
          ne(campaignRecipients.campaignId, sql.placeholder('campaignId')),
          or(
            gte(campaignRecipients.sentAtMs, sql.placeholder('sinceMs')),
            // On its way, or nobody knows whether it arrived.
            and(
              inArray(campaignRecipients.status, ['sending', 'unknown']),
              gte(campaignRecipients.updatedAtMs, sql.placeholder('sinceMs')),
            ),
          ),
        ),
      ),
    )
    .limit(1)
    .prepare(),
)

/** What a campaign judges its recipients by, read once for many of them. */
export interface EligibilityContext {
  campaign: CampaignRow
  template: CampaignTemplate
  filling: Filling
  prices: PriceList
  /** When its messages leave, epoch milliseconds: now, or when it is to start. */
  sendsAtMs: number
  excludeTagIds: string[]
  /** Whoever was written to since then is left out, epoch milliseconds. */
  contactedSinceMs: number | null
}

/** Prepares the judging of a campaign's recipients. */
export function loadEligibilityContext(
  ctx: Ctx,
  campaign: CampaignRow,
  template: CampaignTemplate,
): EligibilityContext {
  const audience = audienceOf(campaign)
  const sendsAtMs = Math.max(
    ctx.clock.nowMs(),
    (campaign.startedAtMs === null ? campaign.scheduledAtMs : null) ?? 0,
  )
  const days = audience.exclude_contacted_days
  return {
    campaign,
    template,
    filling: fillingOf(campaign, template, (id) => findMedia(ctx, [id])[0]?.filename ?? null),
    prices: new PriceList(ctx, {
      category: template.row.category,
      currency: campaign.currency,
      atMs: sendsAtMs,
    }),
    sendsAtMs,
    excludeTagIds: audience.exclude_tag_ids,
    contactedSinceMs: days === null ? null : sendsAtMs - days * DAY_MS,
  }
}

/** What a campaign finds about one of its recipients. */
export interface Eligibility {
  /** Why it is left out; `null` when it is written to. */
  skip: SkipReason | null
  values: TemplateValues
  filled: Filled
}

/** Judges a contact for a campaign: whether it is written to, and what it would be told. */
export function checkContact(
  ctx: Ctx,
  desk: EligibilityContext,
  contact: ContactRow,
  own: OwnParams | null,
): Eligibility {
  const values = valuesFor(desk.filling, contact, own)
  const filled = fillTemplate(desk.template.fillable, values)
  const facts = {
    isExcluded: desk.excludeTagIds.length > 0 && carriesOne(ctx, contact.id, desk.excludeTagIds),
    isRecent:
      desk.contactedSinceMs !== null &&
      recentlyWritten(ctx.db).get({
        organizationId: ctx.organizationId,
        contactId: contact.id,
        sinceMs: desk.contactedSinceMs,
        campaignId: desk.campaign.id,
      }) !== undefined,
    lacksParams: filled.findings.missing.length > 0,
  }
  return { skip: exclusionOf(contact, desk.template.row.category, facts), values, filled }
}

/**
 * Whether a contact that was deleted comes back with a message: one whose number or id was brought
 * in.
 */
export const comesBack = (row: Pick<RecipientRow, 'source' | 'phoneNumber' | 'userId'>): boolean =>
  row.source === 'upload' && (row.phoneNumber !== null || row.userId !== null)

/**
 * Judges one who was brought in as it will be written to: `contact` is the one that goes by its
 * number or id, `null` when nobody does.
 */
export function checkRecipient(
  ctx: Ctx,
  desk: EligibilityContext,
  row: RecipientRow,
  contact: ContactRow | null,
): Eligibility {
  if (!contact) return checkUnknownNumber(desk, paramsOf(row))
  return checkContact(
    ctx,
    desk,
    comesBack(row) ? { ...contact, deletedAtMs: null } : contact,
    paramsOf(row),
  )
}

/** Judges somebody of whom nothing is known but the number or id. */
export function checkUnknownNumber(desk: EligibilityContext, own: OwnParams | null): Eligibility {
  const values = valuesFor(desk.filling, null, own)
  const filled = fillTemplate(desk.template.fillable, values)
  return { skip: filled.findings.missing.length > 0 ? 'missing_params' : null, values, filled }
}

const carriesOne = (ctx: Ctx, contactId: string, tagIds: string[]): boolean =>
  ctx.db.orm
    .select({ tagId: contactTags.tagId })
    .from(contactTags)
    .where(
      inOrganization(
        ctx,
        contactTags,
        and(eq(contactTags.contactId, contactId), inArray(contactTags.tagId, tagIds)),
      ),
    )
    .limit(1)
    .get() !== undefined

/** The country somebody is charged by: that of the number, else the one a user id begins with. */
function countryOfAddress(address: {
  phoneNumber: string | null
  userId: string | null
}): string | null {
  return (
    (address.phoneNumber === null ? null : countryOf(address.phoneNumber)) ??
    address.userId?.slice(0, 2).toUpperCase() ??
    null
  )
}

/** The country a contact is charged by. */
export const countryOfContact = (contact: ContactRow): string | null =>
  countryOfAddress({
    phoneNumber: contact.waId ?? contact.phoneNumber,
    userId: contact.userId ?? contact.parentUserId,
  })

/** Somebody a campaign writes to: a contact, or a number or id nobody has yet. */
export interface Recipient {
  contact: ContactRow | null
  address: { phoneNumber: string | null; userId: string | null }
}

/** The country somebody is charged by. */
export const countryFor = ({ contact, address }: Recipient): string | null =>
  contact ? countryOfContact(contact) : countryOfAddress(address)

/**
 * Whether somebody's window at the campaign's number is open when its messages leave: some cost
 * less then.
 */
export const isInsideWindow = (
  ctx: Ctx,
  desk: EligibilityContext,
  { contact }: Recipient,
): boolean =>
  contact !== null &&
  isWindowOpen(
    findConversation(ctx, { contactId: contact.id, accountId: desk.campaign.accountId }),
    desk.sendsAtMs,
  )

/** What a campaign's message to somebody costs; `null` where that is not known. */
export const priceFor = (ctx: Ctx, desk: EligibilityContext, to: Recipient): CampaignPrice | null =>
  desk.prices.of(countryFor(to), () => isInsideWindow(ctx, desk, to))
