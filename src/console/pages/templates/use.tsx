import type { Template } from '../../api/shapes'
import { useApi } from '../../live/query'
import { Loaded } from '../../parts/loaded'
import { Section } from '../../parts/page'
import { formatDateTime, formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'

const COUNTS = ['sent', 'delivered', 'read', 'failed'] as const

/** How a template was used in the last 30 days. */
export function Use({ template }: { template: Template }) {
  const { id, usage, status } = template
  const result = useApi('GET /api/templates/{id}/stats', { params: { id } }, status !== 'DRAFT')
  if (status === 'DRAFT') return null
  return (
    <Section title={t('templates.use')}>
      <Loaded result={result} rows={2}>
        {(stats) => (
          <dl className="campaign-facts">
            {COUNTS.map((name) => (
              <div key={name}>
                <dt className="muted">{t(`templates.stat.${name}`)}</dt>
                <dd>{formatNumber(stats[name])}</dd>
              </div>
            ))}
            {stats.clicks.map(({ button, count }) => (
              <div key={button}>
                <dt className="muted" dir="auto">
                  {button}
                </dt>
                <dd>{formatNumber(count)}</dd>
              </div>
            ))}
            {usage.last_sent_at !== null && (
              <div>
                <dt className="muted">{t('templates.used')}</dt>
                <dd>{formatDateTime(usage.last_sent_at)}</dd>
              </div>
            )}
          </dl>
        )}
      </Loaded>
    </Section>
  )
}
