import { Link, useParams } from '@tanstack/react-router'

import type { Data } from '../../api/client'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { CodeEditor } from '../../parts/code/code-field'
import { Loaded } from '../../parts/loaded'
import { Page, Section } from '../../parts/page'
import { formatDateTime, formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'
import { Facts } from './facts'
import { useJobActions } from './job-actions'
import { nameOfJob, reasonOfJob } from './words'
import { JobState, useOrganizationNames } from './jobs'
import { canDiscard, canRetry } from './rules'

type Details = Data<'GET /api/jobs/{id}'>

/** One piece of background work: what it does, why it failed, and what can be done. */
export function JobPage() {
  const { jobId = '' } = useParams({ strict: false })
  const result = useApi('GET /api/jobs/{id}', { params: { id: jobId } }, useCan('jobs:read'))
  const actions = useJobActions()
  const mayRetry = useCan('jobs:retry')
  const job = result.data
  return (
    <Page
      title={job ? nameOfJob(job.kind) : t('server.jobs.title')}
      tabs={
        <p className="crumb">
          <Link to="/server/jobs" search={{}}>
            {t('server.jobs.title')}
          </Link>
        </p>
      }
      actions={
        job &&
        mayRetry && (
          <>
            {canDiscard(job) && (
              <Button
                icon="stop"
                onPress={() => {
                  actions.discard(job)
                }}
              >
                {t('server.job.discard')}
              </Button>
            )}
            {canRetry(job) && (
              <Button
                look="primary"
                icon="refresh"
                onPress={() => {
                  actions.retry(job)
                }}
              >
                {t('server.failed.retry')}
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded result={result}>
        {(shown) => (
          <>
            <JobFacts job={shown} />
            <Errors job={shown} />
            <Section title={t('server.job.args')} hint={t('server.job.args-hint')}>
              <CodeEditor
                label={t('server.job.args')}
                isTitled
                language="json"
                isReadOnly
                value={JSON.stringify(shown.args, null, 2)}
                onChange={() => undefined}
              />
            </Section>
          </>
        )}
      </Loaded>
      {actions.asked}
    </Page>
  )
}

function JobFacts({ job }: { job: Details }) {
  const names = useOrganizationNames()
  const { organization_id: organization, attempted_at: begun, finished_at: ended } = job
  return (
    <>
      <p>
        <JobState state={job.state} />
      </p>
      {job.last_error !== null && job.state !== 'completed' && (
        <p className="job-reason" dir="auto">
          {reasonOfJob(job.last_error)}
        </p>
      )}
      <Facts
        title={t('server.job.facts')}
        facts={[
          [
            t('server.jobs.organization'),
            organization === null
              ? t('server.jobs.whole')
              : (names.get(organization) ?? organization),
          ],
          [
            t('server.jobs.attempts'),
            t('server.jobs.attempt-of', {
              attempt: formatNumber(job.attempt),
              most: formatNumber(job.max_attempts),
            }),
          ],
          [t('server.job.due'), formatDateTime(job.scheduled_at)],
          [t('server.job.begun'), begun && formatDateTime(begun)],
          [t('server.job.ended'), ended && formatDateTime(ended)],
          [t('server.job.kind'), job.kind],
          [t('server.job.id'), job.id],
        ]}
      />
    </>
  )
}

const Errors = ({ job: { errors } }: { job: Details }) =>
  errors.length === 0 ? null : (
    <Section title={t('server.job.errors')}>
      <ol className="attempts">
        {errors.toReversed().map(({ attempt, at, message }) => (
          <li key={`${attempt} ${at}`}>
            <p dir="auto">{message}</p>
            <p className="muted small">
              {t('server.job.error-of', {
                attempt: formatNumber(attempt),
                time: formatDateTime(at),
              })}
            </p>
          </li>
        ))}
      </ol>
    </Section>
  )
