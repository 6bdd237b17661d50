import { ForbiddenError, InvalidError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { delegatedCtx, type RequestedBy } from '../../../organization/auth/delegated-ctx'
import { findContact } from '../../../inbox/contacts/service'
import { displayNameOf, type ContactRow } from '../../../inbox/contacts/view'
import { publishCampaignIn } from '../results/publish'
import type { Audience } from '../model'
import {
  checkContact,
  checkRecipient,
  loadEligibilityContext,
  priceFor,
  type EligibilityContext,
} from './eligibility'
import { continueIn } from './continue'
import { pauseAutomaticallyIn } from './pause-automatically'
import { addRecipientIn } from '../recipients/add'
import { resolveContactIn } from '../recipients/resolve-contact'
import { changeCampaignIn, changeRecipientIn, findCampaign, activeRecipients } from '../state'
import { findTemplateOf } from '../draft/template'
import { audienceOf, type CampaignRow, type RecipientRow } from '../view'
import { selectsContacts, readAudience } from './audience'

/** Approximate maximum duration of one planning step, milliseconds. */
const AT_ONCE_MS = 8
const UPLOADS_AT_ONCE = 200

/**
 * The progress of planning: imported recipients first, then the audience. `after` is the last one
 * processed.
 */
export interface CampaignPlan {
  campaignId: string
  phase: 'upload' | 'audience'
  after: string
  /** The estimated cost so far in millionths; `null` if a price is unknown. */
  micros: number | null
}

/**
 * Adds the next recipients of a started campaign: each gets a row, skipped ones with the reason.
 * Sending begins at once. Returns the next position, or `null` at the end or if the campaign is no
 * longer running. Runs inside the caller's transaction.
 */
export function planIn(tx: Tx, ctx: Ctx, plan: CampaignPlan): CampaignPlan | null {
  const campaign = findCampaign(ctx, plan.campaignId)
  if (
    !campaign ||
    campaign.isPlanned ||
    (campaign.status !== 'sending' && campaign.status !== 'paused')
  )
    return null
  const template = findTemplateOf(ctx, campaign.templateId)
  if (!template) return null
  const context = loadEligibilityContext(ctx, campaign, template)
  const next =
    plan.phase === 'upload'
      ? planUploadsIn(tx, ctx, context, plan)
      : planAudienceIn(tx, ctx, context, plan)
  // Sending begins with the first selected recipients.
  const planned = findCampaign(ctx, campaign.id)
  if (planned?.status === 'sending') continueIn(tx, ctx, planned)
  publishCampaignIn(tx, ctx, campaign.id, 'counters')
  return next
}

const priced = (micros: number | null, price: { micros: number } | null): number | null =>
  micros === null || price === null ? null : micros + price.micros

function planUploadsIn(
  tx: Tx,
  ctx: Ctx,
  context: EligibilityContext,
  plan: CampaignPlan,
): CampaignPlan {
  const startedMs = performance.now()
  const rows = activeRecipients(ctx, {
    campaignId: plan.campaignId,
    after: plan.after,
    limit: UPLOADS_AT_ONCE,
  })
  let { micros, after } = plan
  for (const row of rows) {
    micros = planUploadIn(tx, ctx, context, row, micros)
    after = row.id
    if (performance.now() - startedMs > AT_ONCE_MS) return { ...plan, after, micros }
  }
  return rows.length < UPLOADS_AT_ONCE
    ? { ...plan, phase: 'audience', after: '', micros }
    : { ...plan, after, micros }
}

/**
 * Checks an imported recipient that has no message yet. Returns the estimated cost so far.
 */
function planUploadIn(
  tx: Tx,
  ctx: Ctx,
  context: EligibilityContext,
  row: RecipientRow,
  micros: number | null,
): number | null {
  if (row.status !== 'pending') {
    const contact = row.contactId === null ? null : findContact(ctx, row.contactId)
    return priced(micros, priceFor(ctx, context, { contact, address: row }))
  }
  const resolved = resolveContactIn(tx, ctx, row)
  if (resolved === 'duplicate') return micros
  const { contactId } = resolved
  const contact = contactId === null ? null : findContact(ctx, contactId)
  const { skip } = checkRecipient(ctx, context, row, contact)
  if (skip !== null) {
    changeRecipientIn(tx, ctx, row, { status: 'skipped', skipReason: skip })
    return micros
  }
  return priced(micros, priceFor(ctx, context, { contact, address: row }))
}

function planAudienceIn(
  tx: Tx,
  ctx: Ctx,
  context: EligibilityContext,
  plan: CampaignPlan,
): CampaignPlan | null {
  const { campaign } = context
  const audience = audienceOf(campaign)
  if (!selectsContacts(audience)) return endIn(tx, ctx, campaign, plan)
  const delegated = delegatedCtxOrNull(ctx, campaign)
  if (!delegated) {
    pauseAutomaticallyIn(tx, ctx, campaign.id, {
      reason: 'account',
      note: 'The user who started it can no longer see its audience.',
    })
    return null
  }
  const startedMs = performance.now()
  const read = readOrNull(delegated, audience, plan.after)
  if (!read) {
    const note =
      'Its segment uses a deleted custom field. Correct the segment, then resume the ' + 'campaign.'
    pauseAutomaticallyIn(tx, ctx, campaign.id, { reason: 'account', note })
    return null
  }
  const { rows, next } = read
  let { micros, after } = plan
  for (const contact of rows) {
    micros = addIn(tx, ctx, context, contact, micros)
    after = contact.id
    if (performance.now() - startedMs > AT_ONCE_MS) return { ...plan, after, micros }
  }
  return next === null
    ? endIn(tx, ctx, campaign, { ...plan, micros })
    : { ...plan, after: next, micros }
}

function addIn(
  tx: Tx,
  ctx: Ctx,
  context: EligibilityContext,
  contact: ContactRow,
  micros: number | null,
): number | null {
  const { skip } = checkContact(ctx, context, contact, null)
  const added = addRecipientIn(tx, ctx, {
    campaignId: context.campaign.id,
    contactId: contact.id,
    phoneNumber: contact.phoneNumber ?? contact.waId,
    userId: contact.userId,
    name: displayNameOf(contact, false),
    source: 'audience',
    skip,
    params: null,
  })
  return added === null || skip !== null
    ? micros
    : priced(micros, priceFor(ctx, context, { contact, address: contact }))
}

/** Reads contacts of the audience; `null` if the segment uses a deleted custom field. */
function readOrNull(
  delegated: Ctx,
  audience: Audience,
  after: string,
): ReturnType<typeof readAudience> | null {
  try {
    return readAudience(delegated, audience, { after })
  } catch (error) {
    if (error instanceof InvalidError) return null
    throw error
  }
}

function delegatedCtxOrNull(ctx: Ctx, campaign: CampaignRow): Ctx | null {
  try {
    return delegatedCtx(ctx, JSON.parse(campaign.actor) as RequestedBy, [])
  } catch (error) {
    if (error instanceof ForbiddenError) return null
    throw error
  }
}

function endIn(tx: Tx, ctx: Ctx, campaign: CampaignRow, plan: CampaignPlan): null {
  changeCampaignIn(tx, ctx, campaign.id, { isPlanned: true, estimatedMicros: plan.micros })
  return null
}
