import type { Data } from '../../../api/client'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { DecimalField } from '../../../parts/decimal-field'
import { NumberField } from '../../../parts/field'
import { Loaded } from '../../../parts/loaded'
import { Section } from '../../../parts/page'
import { formatMoney, formatNumber, formatPercent } from '../../../texts/format'
import { t } from '../../../texts/texts'
import type { AiProps } from './form'

type Usage = Data<'GET /api/chatbot/ai/usage'>

/** The server takes prices and limits in this currency. */
const CURRENCY = 'USD'
const MOST_TOKENS = 999_999_999
const MOST_MONEY = 1_000_000_000

/** How much of a budget is used, as a bar and in words. */
function Used({ label, used, budget }: { label: string; used: number; budget: number | null }) {
  const share = budget === null ? null : budget === 0 ? 1 : Math.min(1, used / budget)
  return (
    <div className="ai-used">
      <p>
        <b>{label}</b>{' '}
        {budget === null
          ? t('bot.ai.tokens', { count: formatNumber(used) })
          : t('bot.ai.tokens-of', { count: formatNumber(used), budget: formatNumber(budget) })}
        {share !== null && <span className="muted"> · {formatPercent(share)}</span>}
      </p>
      {share !== null && (
        <span
          className={share >= 1 ? 'progress-bar full' : 'progress-bar'}
          role="progressbar"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={budget ?? 0}
          aria-valuenow={Math.min(used, budget ?? 0)}
        >
          <span style={{ inlineSize: `${share * 100}%` }} />
        </span>
      )}
    </div>
  )
}

/** What was used, for those who may see figures. */
const Figures = ({
  usage: { budget, total_requests: requests, estimated_cost: cost },
}: {
  usage: Usage
}) => (
  <div className="ai-usage">
    <Used label={t('bot.ai.today')} used={budget.used_today} budget={budget.daily} />
    <Used label={t('bot.ai.month')} used={budget.used_this_month} budget={budget.monthly} />
    <p className="muted">
      {t('bot.ai.requests', { count: requests })}
      {cost !== null && ` · ${t('bot.ai.cost', { cost: formatMoney(cost, CURRENCY) })}`}
    </p>
  </div>
)

function UsageOfAi() {
  const result = useApi('GET /api/chatbot/ai/usage', { query: {} }, useCan('analytics:read'))
  return (
    <Loaded result={result} rows={2}>
      {(usage) => <Figures usage={usage} />}
    </Loaded>
  )
}

const TOKENS = [
  ['ai_daily_token_budget', 'daily'],
  ['ai_monthly_token_budget', 'monthly'],
] as const
const MONEY = [
  ['ai_price_input_per_million_usd', 'price-in'],
  ['ai_price_output_per_million_usd', 'price-out'],
  ['ai_monthly_cost_limit_usd', 'limit'],
] as const

/** What the AI may use, and what it has used. */
export function Budgets({ draft: { value, set } }: AiProps) {
  const maySee = useCan('analytics:read')
  return (
    <Section title={t('bot.ai.budgets')} hint={t('bot.ai.budgets-hint')}>
      {maySee && <UsageOfAi />}
      <div className="form">
        <div className="fields">
          {TOKENS.map(([name, text]) => (
            <NumberField
              key={name}
              name={name}
              label={t(`bot.ai.${text}`)}
              hint={t('bot.ai.unlimited')}
              range={[0, MOST_TOKENS]}
              value={value[name]}
              onChange={(tokens) => {
                set({ [name]: tokens })
              }}
              onClear={() => {
                set({ [name]: null })
              }}
            />
          ))}
        </div>
        <div className="fields">
          {MONEY.map(([name, text]) => (
            <DecimalField
              key={name}
              name={name}
              label={t(`bot.ai.${text}`)}
              range={[0, MOST_MONEY]}
              value={value[name]}
              onChange={(amount) => {
                set({ [name]: amount })
              }}
            />
          ))}
        </div>
      </div>
    </Section>
  )
}
