import { ForbiddenError, InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { delegatedCtx, type RequestedBy } from '../../auth/delegated-ctx'
import { findContact } from '../../contacts/service'
import { displayNameOf, type ContactRow } from '../../contacts/view'
import { publishCampaignIn } from '../results/publish'
import type { Audience } from '../model'
import { DispatchCampaign } from '../jobs'
import {
  checkContact,
  checkRecipient,
  loadEligibilityContext,
  priceFor,
  type EligibilityContext,
} from './eligibility'
import { completeWhenDoneIn, pauseAutomaticallyIn } from './pause-automatically'
import { addRecipientIn } from '../recipients/add'
import { settleIdentityIn } from '../recipients/resolve-contact'
import { changeCampaignIn, changeRecipientIn, findCampaign, waitingRecipients } from '../state'
import { findTemplateOf } from '../draft/template'
import { audienceOf, type CampaignRow, type RecipientRow } from '../view'
import { namesAnybody, readAudience } from './audience'

/** One step of planning takes about so long, milliseconds. */
const AT_ONCE_MS = 8
const UPLOADS_AT_ONCE = 200

/**
 * Where the planning of a campaign stands: first those who were brought in, then the audience;
 * `after` is the last one done.
 */
export interface Plan {
  campaignId: string
  phase: 'upload' | 'audience'
  after: string
  /** What the recipients so far will cost, millionths; `null` once a price was not known. */
  micros: number | null
}

/**
 * Settles some more of whom a campaign that was started is for, in the caller's transaction: each
 * gets a row, those who are left out with the reason. Returns where to go on; `null` at the end,
 * when sending begins, and for a campaign that has ended meanwhile.
 */
export function planIn(tx: Tx, ctx: Ctx, plan: Plan): Plan | null {
  const campaign = findCampaign(ctx, plan.campaignId)
  if (
    !campaign ||
    campaign.isPlanned ||
    (campaign.status !== 'sending' && campaign.status !== 'paused')
  )
    return null
  const template = findTemplateOf(ctx, campaign.templateId)
  if (!template) return null
  const desk = loadEligibilityContext(ctx, campaign, template)
  const next =
    plan.phase === 'upload'
      ? planUploadsIn(tx, ctx, desk, plan)
      : planAudienceIn(tx, ctx, desk, plan)
  publishCampaignIn(tx, ctx, campaign.id, 'counters')
  return next
}

const priced = (micros: number | null, price: { micros: number } | null): number | null =>
  micros === null || price === null ? null : micros + price.micros

function planUploadsIn(tx: Tx, ctx: Ctx, desk: EligibilityContext, plan: Plan): Plan {
  const startedMs = performance.now()
  const rows = waitingRecipients(ctx, {
    campaignId: plan.campaignId,
    after: plan.after,
    most: UPLOADS_AT_ONCE,
  })
  let { micros, after } = plan
  for (const row of rows) {
    micros = planUploadIn(tx, ctx, desk, row, micros)
    after = row.id
    if (performance.now() - startedMs > AT_ONCE_MS) return { ...plan, after, micros }
  }
  return rows.length < UPLOADS_AT_ONCE
    ? { ...plan, phase: 'audience', after: '', micros }
    : { ...plan, after, micros }
}

/** Judges one who was brought in; returns what all so far cost. */
function planUploadIn(
  tx: Tx,
  ctx: Ctx,
  desk: EligibilityContext,
  row: RecipientRow,
  micros: number | null,
): number | null {
  const settled = settleIdentityIn(tx, ctx, row)
  if (settled === 'duplicate') return micros
  const { contactId } = settled
  const contact = contactId === null ? null : findContact(ctx, contactId)
  const { skip } = checkRecipient(ctx, desk, row, contact)
  if (skip !== null) {
    changeRecipientIn(tx, ctx, row, { status: 'skipped', skipReason: skip })
    return micros
  }
  return priced(micros, priceFor(ctx, desk, { contact, address: row }))
}

function planAudienceIn(tx: Tx, ctx: Ctx, desk: EligibilityContext, plan: Plan): Plan | null {
  const { campaign } = desk
  const audience = audienceOf(campaign)
  if (!namesAnybody(audience)) return endIn(tx, ctx, campaign, plan)
  const acting = actingOrNull(ctx, campaign)
  if (!acting) {
    pauseAutomaticallyIn(tx, ctx, campaign.id, {
      reason: 'account',
      note: 'The user who started it can no longer see its audience.',
    })
    return null
  }
  const startedMs = performance.now()
  const read = readOrNull(acting, audience, plan.after)
  if (!read) {
    const note =
      'Its segment uses a deleted custom field. Correct the segment, then resume the ' + 'campaign.'
    pauseAutomaticallyIn(tx, ctx, campaign.id, { reason: 'account', note })
    return null
  }
  const { rows, next } = read
  let { micros, after } = plan
  for (const contact of rows) {
    micros = addIn(tx, ctx, desk, contact, micros)
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
  desk: EligibilityContext,
  contact: ContactRow,
  micros: number | null,
): number | null {
  const { skip } = checkContact(ctx, desk, contact, null)
  const added = addRecipientIn(tx, ctx, {
    campaignId: desk.campaign.id,
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
    : priced(micros, priceFor(ctx, desk, { contact, address: contact }))
}

/** Some of an audience; `null` when its segment asks for what contacts do not have any more. */
function readOrNull(
  acting: Ctx,
  audience: Audience,
  after: string,
): ReturnType<typeof readAudience> | null {
  try {
    return readAudience(acting, audience, { after })
  } catch (error) {
    if (error instanceof InvalidError) return null
    throw error
  }
}

function actingOrNull(ctx: Ctx, campaign: CampaignRow): Ctx | null {
  try {
    return delegatedCtx(ctx, JSON.parse(campaign.actor) as RequestedBy, [])
  } catch (error) {
    if (error instanceof ForbiddenError) return null
    throw error
  }
}

function endIn(tx: Tx, ctx: Ctx, campaign: CampaignRow, plan: Plan): null {
  const planned = changeCampaignIn(tx, ctx, campaign.id, {
    isPlanned: true,
    estimatedMicros: plan.micros,
  })
  if (planned.status === 'sending' && !completeWhenDoneIn(tx, ctx, planned))
    enqueue(tx, ctx, DispatchCampaign, {
      args: { campaignId: campaign.id },
      serialKey: `campaign:${campaign.id}`,
    })
  return null
}
