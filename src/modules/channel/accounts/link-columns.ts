import { CLASS_DESCRIPTIONS } from '../../../platform/client/error-classes'
import { NO_FUNDING } from './funding/state'
import { inspectedColumns, statusAfterInspection, type Inspection } from './inspect'
import type { AccountChanges } from './model'
import { NO_PHONE_APP } from './phone-app/columns'
import { UNASKED_ROUTING } from './routing/roles'
import { NO_FLOW_KEY, NO_SECRETS } from './secrets'
import type { AccountRow } from './view'

/** Facts about a number before the platform was asked. */
const UNKNOWN_FACTS = {
  phoneNumber: null,
  displayPhoneNumber: null,
  verifiedName: null,
  qualityRating: 'UNKNOWN',
  messagingLimitTier: null,
  throughputLevel: 'STANDARD',
  isTestNumber: false,
  isRegistered: null,
  codeVerification: null,
  isOnPhoneApp: false,
  ...NO_PHONE_APP,
  ...UNASKED_ROUTING,
} as const

/** Columns of a number whose business account is not confirmed. */
const UNPROVEN_BUSINESS = {
  businessLink: 'unproven',
  portfolioId: null,
  billingTimezone: null,
  businessVerification: null,
  isSubscribed: false,
  subscribedAtMs: null,
  marketingStatus: 'unknown',
  directRefusedAtMs: null,
  ...NO_FUNDING,
} as const

/** Columns of a newly connected number. Reset what a former connection of the number left. */
export const NEW_ACCOUNT = {
  ...UNKNOWN_FACTS,
  ...UNPROVEN_BUSINESS,
  ...NO_SECRETS,
  ...NO_FLOW_KEY,
  tokenExpiresAtMs: null,
  tokenExpiryWarnedForMs: null,
  apiVersionWarnedFor: null,
  statusReason: null,
  lastError: null,
  lastErrorAtMs: null,
  lastCheckedAtMs: null,
  pausedUntilMs: null,
  restrictedAtMs: null,
  restrictedUntilMs: null,
  allowanceWarned: null,
  sendingPausedAtMs: null,
  sendingPausedReason: null,
} as const

/** Returns the columns that a new token, phone number ID or business account resets or sets. */
export function linkChangeColumns(
  row: AccountRow,
  changes: AccountChanges,
  { found, nowMs }: { found: Inspection | null; nowMs: number },
) {
  const isOtherNumber = changes.phone_id !== undefined && changes.phone_id !== row.phoneId
  const isOtherBusiness =
    changes.business_id !== undefined && changes.business_id !== row.businessId
  const isOther = isOtherNumber || isOtherBusiness
  const fresh = {
    ...(changes.access_token === undefined ? {} : { isFundingHidden: false }),
    ...(isOtherNumber ? { ...UNKNOWN_FACTS, ...NO_FLOW_KEY, registrations: '[]' } : {}),
    // Messaging accounts belong to a number.
    ...(isOtherNumber ? { messagingAccountId: changes.messaging_account_id ?? null } : {}),
    ...(isOther ? UNPROVEN_BUSINESS : {}),
  }
  if (found) {
    const appId = changes.app_id === undefined ? row.appId : changes.app_id
    const known = {
      appId,
      subscribedAtMs: isOther ? null : row.subscribedAtMs,
      fundingId: isOther ? null : row.fundingId,
    }
    const status = statusAfterInspection(
      isOther ? { status: 'pending', businessLink: 'unproven' } : row,
      found,
    )
    return {
      ...fresh,
      ...inspectedColumns(found, known, nowMs),
      status,
      ...(status === 'active' ? NO_ERROR : {}),
    }
  }
  if (isOther) return { ...fresh, ...NO_ERROR, status: 'pending' as const }
  // An unchecked new token or messaging account counts as valid until a message or the next health
  // check fails.
  const isRetried =
    (row.status === 'disconnected' && changes.access_token !== undefined) ||
    (row.statusReason === CLASS_DESCRIPTIONS.messaging_account.code &&
      changes.messaging_account_id !== undefined)
  return isRetried ? { ...fresh, ...NO_ERROR, status: 'active' as const } : fresh
}

const NO_ERROR = { statusReason: null, lastError: null, lastErrorAtMs: null } as const
