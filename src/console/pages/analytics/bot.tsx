import { formatMoney, formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'
import { Overview } from './overview'
import { nameOr, RowsChart } from './rows-chart'
import { BOT_SPECS } from './specs'
import { useReport } from './use-report'

/** What the bot settled by itself, in which flows, by which words, and what its AI used. */
export function Bot() {
  const report = useReport('GET /api/analytics/chatbot')
  const ai = report.now?.ai_usage
  return (
    <>
      <Overview name="analytics.tab.bot" specs={BOT_SPECS} {...report} />
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
