import { t } from '../../texts/texts'
import { codeText } from './code-text'
import { Overview } from './overview'
import { RowsChart } from './rows-chart'
import { MESSAGE_SPECS } from './specs'
import { useReport } from './use-report'

/** Messages of both sides, what became of them, and of which kinds they are. */
export function Messages() {
  const report = useReport('GET /api/analytics/messages')
  const types = report.now && Object.entries(report.now.by_type)
  return (
    <>
      <Overview name="analytics.tab.messages" specs={MESSAGE_SPECS} {...report} />
      <RowsChart
        title={t('analytics.messages.types')}
        unit="number"
        rowName={t('analytics.messages.type')}
        valueName={t('analytics.tab.messages')}
        rows={types?.map(([type, value]) => ({ id: type, name: codeText('type', type), value }))}
      />
    </>
  )
}
