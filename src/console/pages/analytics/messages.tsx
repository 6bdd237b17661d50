import { t } from '../../texts/texts'
import { codeText } from './code-text'
import { Overview, type FigureSpec } from './overview'
import { RowsChart } from './rows-chart'
import { useReport } from './use-report'

const SPECS: readonly FigureSpec[] = [
  { id: 'total_sent', text: 'analytics.figure.sent', unit: 'number', point: 'sent' },
  { id: 'total_received', text: 'analytics.figure.received', unit: 'number', point: 'received' },
  {
    ...{ id: 'total_delivered', text: 'analytics.figure.delivered', unit: 'number' },
    point: 'delivered',
  },
  { id: 'total_read', text: 'analytics.figure.read', unit: 'number', point: 'read' },
  {
    ...{ id: 'total_failed', text: 'analytics.figure.failed', unit: 'number', better: 'down' },
    point: 'failed',
  },
  { id: 'delivery_rate', text: 'analytics.figure.delivery-rate', unit: 'percent', better: 'up' },
  { id: 'read_rate', text: 'analytics.figure.read-rate', unit: 'percent', better: 'up' },
  { id: 'unique_contacts', text: 'analytics.figure.customers', unit: 'number' },
]

/** Messages of both sides, what became of them, and of which kinds they are. */
export function Messages() {
  const report = useReport('GET /api/analytics/messages')
  const types = report.now && Object.entries(report.now.by_type)
  return (
    <>
      <Overview name="analytics.tab.messages" specs={SPECS} {...report} />
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
