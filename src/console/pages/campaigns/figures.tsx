import { Link } from '@tanstack/react-router'

import type { Campaign, CampaignProgress, CampaignRecipient } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Loaded } from '../../parts/loaded'
import { Section } from '../../parts/page'
import { Progress } from '../../parts/progress'
import { formatAhead, formatDateTime, formatNumber, formatPercent } from '../../texts/format'
import { t } from '../../texts/texts'
import { costOf, State } from './columns'
import { Failures } from './failures'
import { History } from './history'
import { Timeline } from './timeline'

/** How far a campaign is, what became of it, what went wrong, and when. */
export function Figures({ campaign }: { campaign: Campaign }) {
  const { id } = campaign
  const mayRead = useCan('messages:read')
  const result = useApi('GET /api/campaigns/{id}/progress', { params: { id } })
  return (
    <Loaded result={result} rows={6}>
      {(progress) => (
        <div className="campaign-columns">
          <div>
            <Section title={t('campaigns.results')}>
              <Funnel progress={progress} />
              {progress.replied_count > 0 && mayRead && (
                <p className="replies">
                  <Link to="/inbox" search={{ campaign: id }}>
                    {t('campaigns.see-replies')}
                  </Link>
                </p>
              )}
              <Outcomes progress={progress} />
            </Section>
            <Timeline campaign={campaign} />
            {progress.errors.length > 0 && <Failures campaign={campaign} progress={progress} />}
          </div>
          <div>
            <Section title={t('campaigns.standing')}>
              <Standing campaign={campaign} progress={progress} />
            </Section>
            <History id={id} />
          </div>
        </div>
      )}
    </Loaded>
  )
}

const STEPS = [
  'total_recipients',
  'sent_count',
  'delivered_count',
  'read_count',
  'replied_count',
  'clicked_count',
] as const

/** How many people came how far. Shares are of those to whom it was sent. */
function Funnel({ progress }: { progress: CampaignProgress }) {
  const { total_recipients: all, sent_count: sent } = progress
  return (
    <ol className="funnel">
      {STEPS.map((step) => (
        <li key={step} data-step={step}>
          <span>{t(`campaigns.column.${step}`)}</span>
          <b>{formatNumber(progress[step])}</b>
          <span className="muted">
            {step !== 'total_recipients' &&
              sent > 0 &&
              formatPercent(progress[step] / (step === 'sent_count' ? all : sent))}
          </span>
          <span className="bar" aria-hidden="true">
            <span style={{ inlineSize: `${all === 0 ? 0 : (progress[step] / all) * 100}%` }} />
          </span>
        </li>
      ))}
    </ol>
  )
}

/** Those who did not get it, or not yet, with the states of recipients that these are. */
const OUTCOMES = [
  ['pending_count', 'pending'],
  ['sending_count', 'sending'],
  ['failed_count', 'failed'],
  ['unknown_count', 'unknown'],
  ['skipped_count', 'skipped'],
  ['cancelled_count', 'cancelled'],
] as const satisfies [keyof CampaignProgress, CampaignRecipient['status']][]

function Outcomes({ progress }: { progress: CampaignProgress }) {
  const there = OUTCOMES.filter(([count]) => progress[count] > 0)
  return (
    there.length > 0 && (
      <ul className="outcomes">
        {there.map(([count, state]) => (
          <li key={state} data-step={count}>
            <Link
              to="/campaigns/$campaignId"
              params={{ campaignId: progress.campaign_id }}
              search={{ view: 'people', state }}
            >
              {t(`campaigns.person.${state}`)}
            </Link>{' '}
            <b>{formatNumber(progress[count])}</b>
          </li>
        ))}
      </ul>
    )
  )
}

/** The state in words, when it began and ends, how fast it goes, and what it costs. */
function Standing({ campaign, progress }: { campaign: Campaign; progress: CampaignProgress }) {
  const { started_at: started, completed_at: completed } = campaign
  const facts = [
    ['started', started && formatDateTime(started)],
    ['ended', completed && formatDateTime(completed)],
    ['done-at', progress.eta_at && formatAhead(progress.eta_at)],
    [
      'speed',
      progress.rate_per_minute > 0 &&
        t('campaigns.per-minute', { count: progress.rate_per_minute }),
    ],
    ['cost', costOf(campaign)],
  ] as const
  return (
    <>
      <State campaign={{ ...campaign, ...progress }} hasBar={false} />
      {(progress.status === 'sending' || progress.status === 'paused') && (
        <Progress
          label={t('campaigns.progress', { name: campaign.name })}
          done={progress.total_recipients - progress.pending_count - progress.sending_count}
          total={progress.total_recipients}
          state="running"
          leftMs={progress.eta_seconds === null ? null : progress.eta_seconds * 1_000}
        />
      )}
      <dl className="campaign-facts">
        {facts.map(
          ([name, value]) =>
            typeof value === 'string' &&
            value !== '' && (
              <div key={name}>
                <dt className="muted">{t(`campaigns.fact.${name}`)}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </>
  )
}
