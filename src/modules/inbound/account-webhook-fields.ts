/**
 * The subscriptions whose changes are news about a number or its business account; the accounts
 * follow them.
 */
export const ACCOUNT_FIELDS: ReadonlySet<string> = new Set([
  'phone_number_quality_update',
  'business_capability_update',
  'phone_number_name_update',
  'account_review_update',
  'account_alerts',
  'security',
  'account_settings_update',
  'account_update',
  'business_username_update',
])
