/**
 * Whether a business may send on the platform's path for marketing messages: unknown, eligible
 * (the terms are not accepted yet), onboarded, or off.
 */
export type MarketingStatus = 'unknown' | 'eligible' | 'onboarded' | 'off'

const STATUSES: Readonly<Record<string, MarketingStatus>> = {
  ELIGIBLE: 'eligible',
  ONBOARDED: 'onboarded',
  INELIGIBLE: 'off',
}

/** Reads `marketing_messages_onboarding_status`, an open enum. */
export const readMarketingStatus = (word: string | null): MarketingStatus =>
  STATUSES[word?.toUpperCase() ?? ''] ?? 'unknown'
