import type { AiCompliance } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Guarded, Loaded } from '../../parts/loaded'
import { Page, Section } from '../../parts/page'
import { formatDate, formatDateTime, formatNumber } from '../../texts/format'
import { findText, t } from '../../texts/texts'
import { NumberFacts } from './compliance-number'
import { FactList } from './fact-list'

/** How this server reads the law, paragraph by paragraph. */
const Law = ({ paragraphs }: { paragraphs: AiCompliance['article_50'] }) => (
  <Section title={t('bot.law.title')} hint={t('bot.law.hint')}>
    {paragraphs.map(({ paragraph, applies_from: from, duty, here }) => (
      <div key={paragraph} className="bot-paragraph">
        <h3>{t('bot.law.paragraph', { paragraph, date: formatDate(from) })}</h3>
        <p>{findText(`bot.law.${paragraph}.duty`) ?? duty}</p>
        <p>{findText(`bot.law.${paragraph}.here`) ?? here.replaceAll('`', '')}</p>
      </div>
    ))}
  </Section>
)

/** Servers that give knowledge, how long everything is kept, and how much the AI does. */
function Rest({ report }: { report: AiCompliance }) {
  const { api_contexts: hosts, retention, last_30_days: month } = report
  return (
    <>
      <Section title={t('bot.report.servers')} hint={t('bot.report.servers-hint')}>
        {hosts.length === 0 ? (
          <p>{t('bot.report.no-servers')}</p>
        ) : (
          <FactList facts={hosts.map(({ id, name, host }) => ({ id, name, value: host }))} />
        )}
      </Section>
      <Section title={t('bot.report.kept')}>
        <FactList
          facts={[
            {
              id: 'days',
              name: t('bot.report.messages'),
              value:
                retention.messages_days === null
                  ? t('bot.report.forever')
                  : t('bot.report.days', { count: retention.messages_days }),
            },
            { id: 'usage', name: t('bot.report.usage'), value: t('bot.report.usage-holds') },
          ]}
        />
      </Section>
      <Section title={t('bot.report.month')}>
        <FactList
          facts={[
            {
              id: 'requests',
              name: t('bot.report.requests'),
              value: formatNumber(month.requests),
            },
            {
              id: 'handovers',
              name: t('bot.report.handovers'),
              value: formatNumber(month.handovers),
            },
          ]}
        />
      </Section>
    </>
  )
}

/** What an auditor asks about the AI, on one page that can be printed. */
export function Compliance() {
  const result = useApi('GET /api/compliance/ai', {}, useCan('settings:read'))
  const { data } = result
  return (
    <Page
      title={t('bot.report.title')}
      hint={
        data
          ? t('bot.report.of', {
              name: data.organization.name,
              time: formatDateTime(data.generated_at),
            })
          : t('bot.report.hint')
      }
      actions={
        data && (
          <Button
            icon="file"
            onPress={() => {
              print()
            }}
          >
            {t('bot.report.print')}
          </Button>
        )
      }
    >
      <Guarded needs="settings:read">
        <Loaded result={result} rows={8}>
          {(report) => (
            <div className="bot-report">
              {report.numbers.map((number) => (
                <NumberFacts key={number.account_id ?? ''} number={number} />
              ))}
              <Law paragraphs={report.article_50} />
              <Rest report={report} />
            </div>
          )}
        </Loaded>
      </Guarded>
    </Page>
  )
}
