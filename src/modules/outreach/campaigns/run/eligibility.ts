import { and, eq, gte, inArray, ne, or, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { countryOf } from '../../../../lib/phone'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import { contactTags } from '../../../inbox/contacts/table'
import type { ContactRow } from '../../../inbox/contacts/view'
import { findConversation } from '../../../inbox/conversations/service'
import { currentThreadOwner, isOthersThread } from '../../../inbox/conversations/thread-owner'
import { isWindowOpen } from '../../../inbox/conversations/window'
import { findMedia } from '../../../channel/media/store'
import { isFreeEntry } from '../../../inbox/messages/cost/estimate'
import { fillTemplate } from '../../../channel/templates/render/render'
import type { Filled } from '../../../channel/templates/render/rendered'
import type { TemplateValues } from '../../../channel/templates/render/values'
import { valuesFor, type Filling, type OwnParams } from '../draft/values'
import { exclusionOf, type SkipReason } from '../rules'
import { PriceList, type CampaignPrice, type RecipientWindow } from '../results/pricing'
import { campaignRecipients } from '../table'
import { fillingOf, type CampaignTemplate } from '../draft/template'
import { audienceOf, paramsOf, type CampaignRow, type RecipientRow } from '../view'

const recentSends = compiled((orm) =>
  orm
    .select({ id: campaignRecipients.id })
    .from(campaignRecipients)
    .where(
      inOrganization(
        anyScope,
        campaignRecipients,
        and(
          eq(campaignRecipients.contactId, place(campaignRecipients.contactId, 'contactId')),
          ne(campaignRecipients.campaignId, place(campaignRecipients.campaignId, 'campaignId')),
          or(
            gte(campaignRecipients.sentAtMs, sql.placeholder('sinceMs')),
            // In progress, or the outcome is unknown.
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

/** The data that decides about all recipients of a campaign, loaded once. */
export interface EligibilityContext {
  campaign: CampaignRow
  template: CampaignTemplate
  filling: Filling
  prices: PriceList
  /** When the messages are sent, epoch milliseconds: now, or at the scheduled start. */
  sendsAtMs: number
  excludeTagIds: string[]
  /** Contacts that another campaign wrote to after this time are skipped, epoch milliseconds. */
  contactedSinceMs: number | null
}

/** Loads the data needed to check recipients of a campaign. */
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

/** The result of checking a recipient. */
export interface Eligibility {
  /** Why the recipient is skipped; `null` if the campaign sends to it. */
  skip: SkipReason | null
  values: TemplateValues
  filled: Filled
}

/** Checks whether a campaign sends to a contact, and fills the template for it. */
export function checkContact(
  ctx: Ctx,
  context: EligibilityContext,
  contact: ContactRow,
  own: OwnParams | null,
): Eligibility {
  const values = valuesFor(context.filling, contact, own)
  const filled = fillTemplate(context.template.fillable, values)
  const facts = {
    isExcluded:
      context.excludeTagIds.length > 0 && hasAnyTag(ctx, contact.id, context.excludeTagIds),
    isRecent:
      context.contactedSinceMs !== null &&
      recentSends(ctx.db).get({
        organizationId: ctx.organizationId,
        contactId: contact.id,
        sinceMs: context.contactedSinceMs,
        campaignId: context.campaign.id,
      }) !== undefined,
    lacksParams: filled.findings.missing.length > 0,
  }
  return { skip: exclusionOf(contact, context.template.row.category, facts), values, filled }
}

/**
 * Reports whether sending restores a deleted contact: true if its number or user ID was imported.
 */
export const restoresContact = (
  row: Pick<RecipientRow, 'source' | 'phoneNumber' | 'userId'>,
): boolean => row.source === 'upload' && (row.phoneNumber !== null || row.userId !== null)

/**
 * Checks an imported recipient. `contact` is the contact with its number or ID, `null` if there is
 * none.
 */
export function checkRecipient(
  ctx: Ctx,
  context: EligibilityContext,
  row: RecipientRow,
  contact: ContactRow | null,
): Eligibility {
  if (!contact) return checkUnknownNumber(context, paramsOf(row))
  return checkContact(
    ctx,
    context,
    restoresContact(row) ? { ...contact, deletedAtMs: null } : contact,
    paramsOf(row),
  )
}

/** Checks a number or user ID without a contact. */
export function checkUnknownNumber(
  context: EligibilityContext,
  own: OwnParams | null,
): Eligibility {
  const values = valuesFor(context.filling, null, own)
  const filled = fillTemplate(context.template.fillable, values)
  return { skip: filled.findings.missing.length > 0 ? 'missing_params' : null, values, filled }
}

const hasAnyTag = (ctx: Ctx, contactId: string, tagIds: string[]): boolean =>
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

/**
 * Returns the country of the phone number, else the one a user ID begins with, which decides the
 * price.
 */
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

/** Returns the country that decides the price of messages to a contact. */
const countryOfContact = (contact: ContactRow): string | null =>
  countryOfAddress({
    phoneNumber: contact.waId ?? contact.phoneNumber,
    userId: contact.userId ?? contact.parentUserId,
  })

/** A recipient of a campaign: a contact, or a number or user ID without a contact. */
export interface Recipient {
  contact: ContactRow | null
  address: { phoneNumber: string | null; userId: string | null }
}

/** Returns the country that decides the price of messages to a recipient. */
export const countryFor = ({ contact, address }: Recipient): string | null =>
  contact ? countryOfContact(contact) : countryOfAddress(address)

/** Returns what the price of a message to a recipient depends on. */
export function windowFor(
  ctx: Ctx,
  { campaign: { accountId }, sendsAtMs }: EligibilityContext,
  { contact }: Recipient,
): RecipientWindow {
  const conversation = contact && findConversation(ctx, { contactId: contact.id, accountId })
  return {
    isOpen: isWindowOpen(conversation, sendsAtMs),
    isFree: isFreeEntry(conversation, sendsAtMs),
  }
}

/** Reports whether the platform's agent or another app answers a recipient at present. */
export function isThreadOfOthers(
  ctx: Ctx,
  { campaign: { accountId } }: EligibilityContext,
  { contact }: Recipient,
): boolean {
  const conversation = contact && findConversation(ctx, { contactId: contact.id, accountId })
  return conversation !== null && isOthersThread(currentThreadOwner(ctx, conversation))
}

/** Returns the price of a message to a recipient; `null` if it is unknown. */
export const priceFor = (
  ctx: Ctx,
  context: EligibilityContext,
  to: Recipient,
): CampaignPrice | null => context.prices.of(countryFor(to), windowFor(ctx, context, to))
