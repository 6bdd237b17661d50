import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { formatValue } from '../../parts/chart/figures'
import { useShow } from '../../parts/list-page'
import { Problem } from '../../parts/state'
import { report } from '../../parts/toast'
import { saveFile } from '../../api/save-file'
import { t } from '../../texts/texts'
import { knownIn } from './figures-of'
import { FIGURES } from './people-figures'
import { ReportTable } from './report-table'
import { useSpan } from './span'

/** Some people side by side: a row for each figure, a column for each person. */
export function Comparison({ ids }: { ids: readonly string[] }) {
  const { query: dates } = useSpan()
  const show = useShow<{ people?: string | undefined }>()
  const { start_date, end_date } = dates
  const query = { user_ids: ids.join(','), start_date, end_date }
  const { data, error, refetch } = useApi('GET /api/analytics/agents/comparison', { query })
  if (error && !data)
    return (
      <Problem
        error={error}
        onRetry={() => {
          refetch().catch(report)
        }}
      />
    )
  return (
    <ReportTable
      title={t('analytics.people.compared')}
      rows={data && FIGURES}
      keyOf={([id]) => id}
      onCsv={() => {
        saveFile(
          'GET /api/analytics/agents/comparison',
          { query: { ...query, format: 'csv' } },
          `agents-${start_date}-${end_date}.csv`,
        ).catch(report)
      }}
      actions={
        <Button
          look="quiet"
          onPress={() => {
            show({ people: undefined })
          }}
        >
          {t('parts.action.close')}
        </Button>
      }
      columns={[
        { ...{ id: 'figure', label: t('analytics.people.figure') }, cell: ([, text]) => t(text) },
        ...(data?.agents ?? []).map((agent) => ({
          id: agent.user_id,
          label: agent.full_name,
          cell: ([figure, , unit]: (typeof FIGURES)[number]) =>
            formatValue(knownIn(agent, figure), unit),
        })),
      ]}
    />
  )
}
