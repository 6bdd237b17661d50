import { dateAfter, localDateOf } from '../../lib/local-day'
import { systemCtx, type Ctx, type Deps } from '../../infra/ctx'
import { organizationsWithRetention, retentionRow } from '../organizations/retention/service'
import { getOrganization } from '../organizations/service'

/** The time of the night, on the walls of its time zone, at which an organization is swept. */
const NIGHT = Temporal.PlainTime.from('03:00')

/**
 * When the organization's night of a date begins to be swept, epoch milliseconds; where clocks skip
 * that time, an hour later.
 */
const nightOf = (date: string, timezone: string): number =>
  Temporal.PlainDate.from(date).toZonedDateTime({ timeZone: timezone, plainTime: NIGHT })
    .epochMilliseconds

/** When the organization is swept next. */
export function nextNightMs(ctx: Ctx): number {
  const { timezone } = getOrganization(ctx)
  const nowMs = ctx.clock.nowMs()
  const today = localDateOf(nowMs, timezone)
  const tonight = nightOf(today, timezone)
  return tonight > nowMs ? tonight : nightOf(dateAfter(today, 1), timezone)
}

/**
 * The organizations whose night has come and that were not swept in it, with the date of that
 * night.
 */
export function dueNights(deps: Deps): { organizationId: string; date: string }[] {
  const nowMs = deps.clock.nowMs()
  return organizationsWithRetention(deps).flatMap((organizationId) => {
    const { timezone } = getOrganization(systemCtx(deps, organizationId))
    const date = localDateOf(nowMs, timezone)
    return nowMs >= nightOf(date, timezone) &&
      retentionRow(deps, organizationId).lastRunDay !== date
      ? [{ organizationId, date }]
      : []
  })
}
