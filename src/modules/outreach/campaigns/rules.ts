import type { ContactRow } from '../../inbox/contacts/view'
import type { campaignRecipients, campaigns } from './table'

type CampaignRow = typeof campaigns.$inferSelect
type RecipientRow = typeof campaignRecipients.$inferSelect

export type CampaignStatus = CampaignRow['status']
export type PauseReason = NonNullable<CampaignRow['pauseReason']>
/** The reasons for which a sending campaign pauses automatically. */
export type OwnReason = Exclude<PauseReason, 'user' | 'restored'>
export type RecipientStatus = RecipientRow['status']
export type SkipReason = NonNullable<RecipientRow['skipReason']>

/** The states in which each action is allowed (templates contract C, state machine). */
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
 * Maximum number of messages of one campaign that are created but not yet sent (templates contract
 * C, rule 4).
 */
export const MAX_CLAIMED = 2_000

/** A campaign creates messages for this many seconds of its speed in advance. */
const QUEUE_AHEAD_S = 2
const MIN_QUEUED = 20

/**
 * Returns how many messages a campaign keeps in the send queue at a given speed, in messages per
 * second.
 */
export const claimedAhead = (perS: number): number =>
  Math.min(MAX_CLAIMED, Math.max(MIN_QUEUED, Math.ceil(perS * QUEUE_AHEAD_S)))

/** Facts about a contact that are not in its row and decide whether a campaign sends to it. */
export interface ContactFacts {
  /** Whether the contact has a tag that the campaign excludes. */
  isExcluded: boolean
  /** Whether another campaign sent to the contact within `exclude_contacted_days`. */
  isRecent: boolean
  /** Whether a variable of the template has no value. */
  lacksParams: boolean
}

/**
 * Returns why a campaign skips a contact; `null` if it sends. Checked at the start and again before
 * each message (templates contract C, rule 3). An opt-out always wins.
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
 * Platform error codes that are caused by the recipient, not by the campaign. They count half
 * (templates contract C, rule 7).
 */
const HALF_WEIGHT_CODES = new Set([
  131_049, 130_472, 131_026, 131_021, 131_030, 131_062, 130_497, 137_000, 131_050,
])

/** Returns how much a failure with this platform code counts. */
const weightOf = (platformCode: number | null): number =>
  platformCode !== null && HALF_WEIGHT_CODES.has(platformCode) ? 0.5 : 1

/** Number of recent results that decide about a pause, and the minimum number of results. */
export const RECENT_LIMIT = 100
const MIN_FINISHED = 20

/**
 * A recipient whose message was delivered or failed, or had no status for a while. `atMs` is the
 * time of the result, epoch milliseconds.
 */
export interface Finished {
  status: RecipientStatus
  atMs: number
  platformCode: number | null
}

/** Reports whether too many of the recent messages failed. */
export function failsTooOften(finished: readonly Finished[], threshold: number): boolean {
  if (finished.length < MIN_FINISHED) return false
  const failed = finished.reduce(
    (sum, { status, platformCode }) => sum + (status === 'failed' ? weightOf(platformCode) : 0),
    0,
  )
  return failed / finished.length > threshold
}

/** Returns the state of a recipient for the state of its message. */
export const statusOfMessage = (status: string): RecipientStatus =>
  status === 'sent' ||
  status === 'delivered' ||
  status === 'read' ||
  status === 'failed' ||
  status === 'unknown'
    ? status
    : 'sending'
