import { defineHook } from '../../../infra/transaction-hooks'

/** Runs after the organization got another time zone. */
export const TimezoneChanged = defineHook<Record<string, never>>('organization.timezone-changed')

/** Runs after the organization opted its marketing templates out of changes by the platform. */
export const CreativeOptOutTurnedOn = defineHook<Record<string, never>>(
  'organization.creative-opt-out-turned-on',
)
