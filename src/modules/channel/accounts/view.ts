import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import type { AccountView, FundingView } from './model'
import { routingOf } from './routing/roles'
import type { accounts } from './table'

/** A row of the accounts table. */
export type AccountRow = typeof accounts.$inferSelect

/** Messages per second by the platform's throughput level. */
const THROUGHPUT: Record<string, number> = { STANDARD: 80, HIGH: 1_000, COEXISTENCE: 20 }

/** Maximum messages per second of a number. */
export const throughputLimit = (row: Pick<AccountRow, 'throughputLevel'>): number =>
  THROUGHPUT[row.throughputLevel] ?? 80

/** Whether the platform accepts only replies inside open windows from the number. */
export const isRestricted = (
  row: Pick<AccountRow, 'restrictedAtMs' | 'restrictedUntilMs'>,
  nowMs: number,
): boolean =>
  row.restrictedAtMs !== null && (row.restrictedUntilMs === null || row.restrictedUntilMs > nowMs)

/** Returns WhatsApp's page on which the business account gets a payment method. */
export const billingUrl = ({
  businessId,
  portfolioId,
}: Pick<AccountRow, 'businessId' | 'portfolioId'>): string =>
  `https://business.facebook.com/billing_hub/accounts/details/?${new URLSearchParams({
    ...(portfolioId === null ? {} : { business_id: portfolioId }),
    asset_id: businessId,
  }).toString()}`

/** Returns the funding of a number as the API shows it. */
export const fundingView = (row: AccountRow): FundingView => ({
  state: row.fundingState,
  source: row.fundingSource,
  checked_at: isoTimeOrNull(row.fundingAtMs),
  billing_url: billingUrl(row),
})

/** Returns a number as the API shows it. Secrets appear only as `has_*`. */
export const accountView = (row: AccountRow): AccountView => ({
  id: row.id,
  name: row.name,
  phone_id: row.phoneId,
  business_id: row.businessId,
  business_proven: row.businessLink === 'proven',
  app_id: row.appId,
  messaging_account_id: row.messagingAccountId,
  portfolio_id: row.portfolioId,
  phone_number: row.phoneNumber,
  display_phone_number: row.displayPhoneNumber,
  verified_name: row.verifiedName,
  api_version: row.apiVersion,
  status: row.status,
  status_reason: row.statusReason,
  quality_rating: row.qualityRating,
  messaging_limit_tier: row.messagingLimitTier,
  throughput_level: row.throughputLevel,
  throughput_limit: throughputLimit(row),
  is_default_incoming: row.isDefaultIncoming,
  is_default_outgoing: row.isDefaultOutgoing,
  auto_read_receipt: row.autoReadReceipt,
  marketing_path: { status: row.marketingStatus, policy: row.marketingPolicy },
  direct_send: { refused_since: isoTimeOrNull(row.directRefusedAtMs) },
  funding: fundingView(row),
  is_test_number: row.isTestNumber,
  routing_roles: routingOf(row)?.roles ?? null,
  registered: row.isRegistered,
  code_verification_status: row.codeVerification,
  business_verification_status: row.businessVerification,
  is_on_phone_app: row.isOnPhoneApp,
  phone_app_sync: phoneAppView(row),
  subscribed: row.isSubscribed,
  subscribed_at: isoTimeOrNull(row.subscribedAtMs),
  token_expires_at: isoTimeOrNull(row.tokenExpiresAtMs),
  has_access_token: row.accessTokenSealed !== null,
  has_app_secret: row.appSecretSealed !== null,
  has_webhook_verify_token: row.verifyTokenSealed !== null,
  has_pin: row.pinSealed !== null,
  has_flow_key: row.flowPrivateKeySealed !== null,
  last_inbound_at: isoTimeOrNull(row.lastInboundAtMs),
  last_checked_at: isoTimeOrNull(row.lastCheckedAtMs),
  last_error: lastErrorOf(row),
  paused_until: isoTimeOrNull(row.pausedUntilMs),
  restricted_since: isoTimeOrNull(row.restrictedAtMs),
  restricted_until: isoTimeOrNull(row.restrictedUntilMs),
  template_sync: templateSyncView(row),
  created_by: row.createdBy,
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})

/** Returns how it stands with the data of the phone app, as the API shows it. */
function phoneAppView(row: AccountRow): AccountView['phone_app_sync'] {
  const { phoneAppContacts: contacts, phoneAppHistory: history } = row
  return contacts === null || history === null
    ? null
    : {
        until: isoTimeOrNull(row.phoneAppUntilMs),
        contacts,
        history,
        history_progress: row.phoneAppProgress,
      }
}

/** Stored result of a number's last template sync. */
export interface StoredTemplateSync {
  /** Number of syncs begun. A request during a running sync counts for the next one. */
  runs: number
  at_ms: number | null
  synced: number | null
  new: number | null
  updated: number | null
  removed: number | null
  unchanged: number | null
  error: string | null
}

function templateSyncView({ templateSync }: AccountRow): AccountView['template_sync'] {
  if (templateSync === null) return null
  const { at_ms: atMs, runs: _, ...counts } = JSON.parse(templateSync) as StoredTemplateSync
  return atMs === null ? null : { at: isoTime(atMs), ...counts }
}

/** Returns the latest error of a number, or `null`. */
export function lastErrorOf(
  row: Pick<AccountRow, 'lastError' | 'lastErrorAtMs'>,
): AccountView['last_error'] {
  if (row.lastError === null || row.lastErrorAtMs === null) return null
  const { code, message } = JSON.parse(row.lastError) as { code: string; message: string }
  return { code, message, at: isoTime(row.lastErrorAtMs) }
}
