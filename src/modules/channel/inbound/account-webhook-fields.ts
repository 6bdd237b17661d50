/**
 * Webhook fields that report changes of a phone number or business account. The accounts module
 * applies them.
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
