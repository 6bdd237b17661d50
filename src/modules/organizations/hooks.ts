import { defineHook } from '../../infra/transaction-hooks'

/** Runs after the organization got another time zone. */
export const TimezoneChanged = defineHook<Record<string, never>>('organization.timezone-changed')
