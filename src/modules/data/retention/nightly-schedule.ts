import { dateAfter, localDateOf } from '../../../lib/local-day'
import { systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import {
  organizationsWithRetention,
  retentionRow,
} from '../../organization/organizations/retention/service'
import { getOrganization, isHeld } from '../../organization/organizations/service'
import { SweepRetention } from './jobs'

/** Local time at which an organization's nightly sweep starts. */
const NIGHT = Temporal.PlainTime.from('03:00')

/**
 * Returns the start of an organization's sweep on a date, epoch milliseconds; an hour later if the
 * clocks skip that time.
 */
const nightOf = (date: string, timezone: string): number =>
  Temporal.PlainDate.from(date).toZonedDateTime({ timeZone: timezone, plainTime: NIGHT })
    .epochMilliseconds

/** Returns the time of the organization's next sweep, epoch milliseconds. */
export function nextNightMs(ctx: Ctx): number {
  const { timezone } = getOrganization(ctx)
  const nowMs = ctx.clock.nowMs()
  const today = localDateOf(nowMs, timezone)
  const tonight = nightOf(today, timezone)
  return tonight > nowMs ? tonight : nightOf(dateAfter(today, 1), timezone)
}

/**
 * Returns the organizations whose sweep is due, with the date of that night. Those whose jobs wait are left
 * out: the same job may arrive with an organization that moves here.
 */
export function dueNights(deps: Deps): { organizationId: string; date: string }[] {
  const nowMs = deps.clock.nowMs()
  return organizationsWithRetention(deps).flatMap((organizationId) => {
    if (isHeld(deps, organizationId, SweepRetention.queue)) return []
    const { timezone } = getOrganization(systemCtx(deps, organizationId))
    const date = localDateOf(nowMs, timezone)
    return nowMs >= nightOf(date, timezone) &&
      retentionRow(deps, organizationId).lastRunDay !== date
      ? [{ organizationId, date }]
      : []
  })
}
