import { Link, useSearch } from '@tanstack/react-router'

import type { Data } from '../../api/client'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { IconButton } from '../../parts/button'
import { ChoiceFilter, ListPage, useShow } from '../../parts/list-page'
import type { Column } from '../../parts/table'
import { report } from '../../parts/toast'
import { formatDateTime, formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'
import { FailedJobs } from './failed-jobs'
import { useJobActions } from './job-actions'
import { nameOfJob, reasonOfJob } from './words'
import { useJobsChanged } from './use-jobs'

/** A job in the list. */
export type Job = Data<'GET /api/jobs'>['items'][number]

const STATES = [
  'discarded',
  'available',
  'executing',
  'retryable',
  'scheduled',
  'completed',
  'cancelled',
] as const

/** What became of a job. */
export const JobState = ({ state }: { state: string }) => {
  const known = STATES.find((one) => one === state)
  return (
    <span
      className={`chip ${state === 'discarded' ? 'danger' : state === 'retryable' ? 'warn' : ''}`}
    >
      {known === undefined ? state : t(`server.job-state.${known}`)}
    </span>
  )
}

const timeOf = ({ finished_at: ended, attempted_at: begun, scheduled_at: due }: Job): string =>
  ended ?? begun ?? due

const columns = (names: ReadonlyMap<string, string>): Column<Job>[] => [
  {
    ...{ id: 'kind', label: t('server.jobs.what'), width: 2.4 },
    cell: ({ id, kind, last_error: error, state }) => (
      <>
        <Link to="/server/jobs/$jobId" params={{ jobId: id }} search={{}}>
          {nameOfJob(kind)}
        </Link>
        {error !== null && state !== 'completed' && (
          <span className="second small" dir="auto">
            {reasonOfJob(error)}
          </span>
        )}
      </>
    ),
  },
  {
    ...{ id: 'state', label: t('templates.state'), width: 1.2 },
    cell: ({ state }) => <JobState state={state} />,
  },
  {
    ...{ id: 'organization', label: t('server.jobs.organization'), width: 1.6, isExtra: true },
    cell: ({ organization_id: id }) =>
      id === null ? t('server.jobs.whole') : <bdi>{names.get(id) ?? id}</bdi>,
  },
  {
    ...{ id: 'attempts', label: t('server.jobs.attempts'), width: 0.8 },
    ...{ isNumber: true, isExtra: true },
    cell: ({ attempt, max_attempts: most }) =>
      t('server.jobs.attempt-of', { attempt: formatNumber(attempt), most: formatNumber(most) }),
  },
  {
    ...{ id: 'time', label: t('server.jobs.time'), width: 1.4, isNumber: true },
    cell: (job) => <time dateTime={timeOf(job)}>{formatDateTime(timeOf(job))}</time>,
  },
]

/** Organizations whose names are shown. */
const MOST_NAMES = 100

/** Returns the names of organizations by their IDs. */
export function useOrganizationNames(): ReadonlyMap<string, string> {
  const query = { limit: MOST_NAMES }
  const mayRead = useCan('organizations:read')
  const known = useApi('GET /api/organizations', { query }, mayRead).data?.organizations ?? []
  return new Map(known.map(({ id, name }) => [id, name]))
}

function Filters() {
  const search = useSearch({ from: '/server' })
  const show = useShow<{ state?: string | undefined; kind?: string | undefined }>()
  const query = { all: true }
  const kinds = useApi('GET /api/jobs/kinds', { query }, useCan('jobs:read')).data?.items ?? []
  return (
    <>
      <ChoiceFilter
        label={t('templates.state')}
        any={t('templates.any-state')}
        value={STATES.find((one) => one === search.state)}
        choices={STATES.map((id) => ({ id, label: t(`server.job-state.${id}`) }))}
        onChange={(state) => {
          show({ state })
        }}
      />
      <ChoiceFilter
        label={t('server.jobs.what')}
        any={t('server.jobs.any-kind')}
        value={search.kind}
        choices={kinds.map(({ kind, count }) => ({
          id: kind,
          label: `${nameOfJob(kind)} (${formatNumber(count)})`,
        }))}
        onChange={(kind) => {
          show({ kind })
        }}
      />
    </>
  )
}

/** The background work of the whole server. */
export function Jobs() {
  const search = useSearch({ from: '/server' })
  const changed = useJobsChanged()
  const names = useOrganizationNames()
  const actions = useJobActions()
  const state = STATES.find((one) => one === search.state)
  return (
    <ListPage
      title={t('server.jobs.title')}
      hint={t('server.jobs.hint')}
      route="GET /api/jobs"
      needs="jobs:read"
      icon="list"
      filter={{ state, kind: search.kind }}
      always={{ all: true }}
      columns={columns(names)}
      nameOf={({ kind }) => nameOfJob(kind)}
      empty={t('server.jobs.empty')}
      emptyHint={t('server.jobs.empty-hint')}
      above={<FailedJobs />}
      filters={<Filters />}
      menu={actions.menu}
      actions={
        <IconButton
          icon="refresh"
          label={t('webhooks.refresh')}
          onPress={() => {
            changed().catch(report)
          }}
        />
      }
    >
      {actions.asked}
    </ListPage>
  )
}
