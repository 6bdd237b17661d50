import { isoTime } from '../../../../lib/clock'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { isRebuilding } from '../rollups/queries'
import type { RangeView } from './model'
import type { ReportRange } from './range'
import type { Granularity } from './rules'

/** Returns the range that a report covers, as it is answered. */
export const rangeView = (range: ReportRange, granularity: Granularity): RangeView => ({
  start_date: range.days[0]?.date ?? '',
  end_date: range.days.at(-1)?.date ?? '',
  timezone: range.timezone,
  granularity,
})

/** Returns how current a report is. Every report ends with these fields. */
export const currencyOf = (ctx: ReadCtx): { as_of: string; rebuilding: boolean } => ({
  as_of: isoTime(ctx.clock.nowMs()),
  rebuilding: isRebuilding(ctx),
})
