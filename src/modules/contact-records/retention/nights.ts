import { DAY_MS, HOUR_MS } from '../../../lib/clock'
import { localDateOf, spanOf } from '../../../lib/local-day'
import { systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { organizationsWithRetention, retentionRow } from '../../organizations/retention/service'
import { getOrganization } from '../../organizations/service'

/** The hour of the night, local time, at which an organization is swept. */
const HOUR = 3

/** When the organization's night of a date begins to be swept, epoch milliseconds; where clocks skip that hour, an hour later. */
const nightOf = (date: string, timezone: string): number => (spanOf(date, timezone)?.fromMs ?? 0) + HOUR * HOUR_MS

/** When the organization is swept next. */
export function nextNightMs(ctx: Ctx): number {
  const { timezone } = getOrganization(ctx)
  const nowMs = ctx.clock.nowMs()
  const tonight = nightOf(localDateOf(nowMs, timezone), timezone)
  return tonight > nowMs ? tonight : nightOf(localDateOf(nowMs + DAY_MS, timezone), timezone)
}

/** The organizations whose night has come and that were not swept in it, with the date of that night. */
export function dueNights(deps: Deps): { organizationId: string; date: string }[] {
  const nowMs = deps.clock.nowMs()
  return organizationsWithRetention(deps).flatMap((organizationId) => {
    const { timezone } = getOrganization(systemCtx(deps, organizationId))
    const date = localDateOf(nowMs, timezone)
    return nowMs >= nightOf(date, timezone) && retentionRow(deps, organizationId).lastRunDay !== date ? [{ organizationId, date }] : []
  })
}
