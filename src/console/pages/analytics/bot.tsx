import { formatMoney, formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'
import { Overview, type FigureSpec } from './overview'
import { nameOr, RowsChart } from './rows-chart'
import { useReport } from './use-report'

const SPECS: readonly FigureSpec[] = [
  {
    ...{ id: 'total_conversations', text: 'analytics.figure.sessions', unit: 'number' },
    point: 'conversations',
  },
  {
    ...{ id: 'auto_resolved', text: 'analytics.figure.resolved', unit: 'number', better: 'up' },
    point: 'auto_resolved',
  },
  {
    ...{ id: 'transferred_to_agent', text: 'analytics.figure.handed-over', unit: 'number' },
    point: 'transferred_to_agent',
  },
  {
    ...{ id: 'abandoned', text: 'analytics.figure.abandoned', unit: 'number', better: 'down' },
    point: 'abandoned',
  },
  {
    ...{ id: 'resolution_rate', text: 'analytics.figure.resolution-rate', unit: 'percent' },
    better: 'up',
  },
  {
    id: 'avg_messages_per_conversation',
    ...{ text: 'analytics.figure.messages-per-session', unit: 'decimal' },
  },
  { id: 'avg_resolution_time_seconds', text: 'analytics.figure.bot-time', unit: 'seconds' },
]

/** What the bot settled by itself, in which flows, by which words, and what its AI used. */
export function Bot() {
  const report = useReport('GET /api/analytics/chatbot')
  const ai = report.now?.ai_usage
  return (
    <>
      <Overview name="analytics.tab.bot" specs={SPECS} {...report} />
      <div className="chart-pair">
        <RowsChart
          title={t('analytics.bot.flows')}
          unit="number"
          rowName={t('analytics.bot.flow')}
          valueName={t('analytics.figure.sessions')}
          rows={report.now?.by_flow.map(({ flow_id: id, flow_name: name, conversations }) => ({
            ...{ id, name: nameOr(name, id), value: conversations },
          }))}
        />
        <RowsChart
          title={t('analytics.bot.keywords')}
          unit="number"
          rowName={t('analytics.bot.keyword')}
          valueName={t('analytics.bot.hits')}
          rows={report.now?.top_keywords.map(
            ({ keyword, rule_id: rule, flow_id: flow, count }) => ({
              ...{ id: `${keyword} ${rule ?? ''} ${flow ?? ''}`, name: keyword, value: count },
            }),
          )}
        />
      </div>
      {ai && ai.total_requests > 0 && (
        <p className="muted">
          {t('analytics.bot.ai', {
            requests: formatNumber(ai.total_requests),
            failed: formatNumber(ai.failed_requests),
            tokens: formatNumber(ai.total_tokens),
            cost: formatMoney(ai.estimated_cost, ai.currency),
          })}
        </p>
      )}
    </>
  )
}
