import { openState, type OpenState } from '../../../../lib/business-hours'
import type { Ctx } from '../../../../infra/ctx'
import { getOrganization } from '../../../organization/organizations/service'
import { effectiveHours, effectiveSettings } from '../effective'

/** Whether it is open at an instant, and the time zone that decides. */
export interface BusinessHoursState extends OpenState {
  timezone: string
}

/**
 * Returns whether a phone number, or with `null` the organization, is open at an instant. It is
 * always open while business hours are disabled.
 */
export function businessHoursAt(
  ctx: Pick<Ctx, 'db' | 'organizationId' | 'chatbotSettings'>,
  accountId: string | null,
  atMs: number,
): BusinessHoursState {
  const { timezone } = getOrganization(ctx)
  if (!effectiveSettings(ctx, accountId).business_hours_enabled)
    return { timezone, isOpen: true, closesAtMs: null, opensAtMs: null }
  return { timezone, ...openState(effectiveHours(ctx, accountId), timezone, atMs) }
}
