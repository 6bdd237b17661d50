import { objectOf, wordOf } from '../lenient-json'

/**
 * Whether a business may send on the platform's path for marketing messages: unknown, eligible
 * (the terms are not accepted yet), onboarded, or off.
 */
export type MarketingStatus = 'unknown' | 'eligible' | 'onboarded' | 'off'

const STATUSES: Readonly<Record<string, MarketingStatus>> = {
  ELIGIBLE: 'eligible',
  NOT_STARTED: 'eligible',
  REQUEST_SENT: 'eligible',
  ONBOARDED: 'onboarded',
  TERM_OF_SERVICE_SIGNED: 'onboarded',
  INELIGIBLE: 'off',
}

/**
 * Reads `marketing_messages_onboarding_status`, an open enum: a word, or an object with the word as
 * `status`.
 */
export const readMarketingStatus = (reported: unknown): MarketingStatus =>
  STATUSES[(wordOf(reported) ?? wordOf(objectOf(reported).status))?.toUpperCase() ?? ''] ??
  'unknown'
