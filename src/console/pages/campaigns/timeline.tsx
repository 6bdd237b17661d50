import type { Campaign } from '../../api/shapes'
import { useApi } from '../../live/query'
import { Chart } from '../../parts/chart/chart'
import { formatDate, formatShort } from '../../texts/format'
import { t } from '../../texts/texts'

const HOUR_MS = 3_600_000
/** A campaign that takes longer is told by days, milliseconds. */
const LONG_MS = 72 * HOUR_MS

const STEPS = ['sent', 'delivered', 'read', 'replied', 'clicked', 'failed'] as const

/** When people got it, read it and answered, by hours or by days. */
export function Timeline({ campaign }: { campaign: Campaign }) {
  const { id, started_at: started, completed_at: ended, updated_at: updated } = campaign
  const isBegun = started !== null
  const tookMs = isBegun ? Date.parse(ended ?? updated) - Date.parse(started) : 0
  const interval = tookMs > LONG_MS ? ('day' as const) : ('hour' as const)
  const { data } = useApi(
    'GET /api/campaigns/{id}/funnel',
    { params: { id }, query: { interval } },
    isBegun,
  )
  if (!isBegun || (data && data.series.length === 0)) return null
  const nameOf = interval === 'day' ? formatDate : formatShort
  return (
    <Chart
      title={t('campaigns.timeline')}
      kind="bar"
      figures={
        data && {
          unit: 'number',
          pointName: t('campaigns.time'),
          points: data.series.map(({ at }) => ({ id: at, label: nameOf(at), short: nameOf(at) })),
          series: STEPS.filter((step) => data.series.some((one) => one[step] > 0)).map((step) => ({
            id: step,
            label: t(`campaigns.column.${step}_count`),
            values: data.series.map((one) => one[step]),
          })),
        }
      }
    />
  )
}
