import type { ContactRow } from '../contacts/view'
import type { campaignRecipients, campaigns } from './table'

type CampaignRow = typeof campaigns.$inferSelect
type RecipientRow = typeof campaignRecipients.$inferSelect

export type CampaignStatus = CampaignRow['status']
export type PauseReason = NonNullable<CampaignRow['pauseReason']>
/** Why a running campaign pauses by itself. */
export type OwnReason = Exclude<PauseReason, 'user' | 'restored'>
export type RecipientStatus = RecipientRow['status']
export type SkipReason = NonNullable<RecipientRow['skipReason']>

/** From where each step of a campaign leads (templates contract C, state machine). */
export const STEPS = {
  schedule: ['draft', 'scheduled'],
  start: ['draft', 'scheduled'],
  pause: ['sending'],
  resume: ['paused'],
  cancel: ['draft', 'scheduled', 'sending', 'paused'],
  retry: ['paused', 'completed'],
  edit: ['draft', 'scheduled'],
  adjust: ['draft', 'scheduled', 'paused'],
  load: ['draft', 'scheduled'],
  delete: ['draft', 'completed', 'cancelled'],
} as const satisfies Record<string, readonly CampaignStatus[]>

/**
 * Messages of one campaign that are claimed ahead of the calls at most (templates contract C, rule
 * 4).
 */
export const MAX_CLAIMED = 2_000

/** So many seconds of its speed a campaign claims ahead. */
const AHEAD_S = 2
const MIN_AHEAD = 20

/** How many messages are to wait at the gate of a campaign that sends so many a second. */
export const claimedAhead = (perS: number): number =>
  Math.min(MAX_CLAIMED, Math.max(MIN_AHEAD, Math.ceil(perS * AHEAD_S)))

/** What is known of a contact beside its row when a campaign asks whether it may write to it. */
export interface ContactFacts {
  /** Whether it carries a tag that is left out. */
  isExcluded: boolean
  /** Whether another campaign wrote to it within the days that are to lie between. */
  isRecent: boolean
  /** Whether a variable of the template has no value. */
  lacksParams: boolean
}

/**
 * Why a campaign does not write to a contact; `null` when it does. Asked at the start and again
 * before each message (templates contract C, rule 3): who said no is never written to, whatever
 * else holds.
 */
export function exclusionOf(
  contact: ContactRow,
  category: string,
  facts: ContactFacts,
): SkipReason | null {
  if (contact.blockedAtMs !== null) return 'blocked'
  if (contact.marketingConsent === 'opted_out' && category === 'MARKETING') return 'opted_out'
  if (
    contact.deletedAtMs !== null ||
    !(contact.waId ?? contact.phoneNumber ?? contact.userId ?? contact.parentUserId)
  )
    return 'no_address'
  if (contact.undeliverableSinceMs !== null) return 'undeliverable'
  if (facts.isExcluded) return 'excluded'
  if (facts.isRecent) return 'recently_contacted'
  return facts.lacksParams ? 'missing_params' : null
}

/**
 * Codes that tell of the recipient rather than of the campaign: they count half (templates contract
 * C, rule 7).
 */
const HALF = new Set([
  131_049, 130_472, 131_026, 131_021, 131_030, 131_062, 130_497, 137_000, 131_050,
])

/** How much a failure with this code of the platform's counts. */
const weightOf = (platformCode: number | null): number =>
  platformCode !== null && HALF.has(platformCode) ? 0.5 : 1

/**
 * Finished recipients that are looked at, and how many there must be before a campaign is paused.
 */
export const LOOKED_BACK = 100
const MIN_FINISHED = 20

/**
 * A recipient whose message arrived or failed, or of which nothing more is expected soon, and since
 * when, epoch milliseconds.
 */
export interface Finished {
  status: RecipientStatus
  atMs: number
  platformCode: number | null
}

/** Whether too many of the last finished recipients failed. */
export function failsTooOften(finished: readonly Finished[], threshold: number): boolean {
  if (finished.length < MIN_FINISHED) return false
  const failed = finished.reduce(
    (sum, { status, platformCode }) => sum + (status === 'failed' ? weightOf(platformCode) : 0),
    0,
  )
  return failed / finished.length > threshold
}

/** Where a recipient stands by the state of its message. */
export const statusOfMessage = (status: string): RecipientStatus =>
  status === 'sent' ||
  status === 'delivered' ||
  status === 'read' ||
  status === 'failed' ||
  status === 'unknown'
    ? status
    : 'sending'
