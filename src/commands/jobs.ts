import { NotFoundError } from '../lib/errors'
import { isUuid } from '../lib/ids'
import { INSTALLATION, systemCtx } from '../infra/ctx'
import { listJobs, type JobFilter } from '../infra/jobs/inspect'
import { JOB_STATES, jobView } from '../infra/jobs/view'
import { discardJob, retryJob } from '../modules/operation/system/job-admin/retry'
import { withProgram } from './database'
import { print, table, textOf, UsageError, type Command, type Flags } from './command'

/** Default number of listed jobs. */
const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000

/** Background jobs of the whole installation: list, retry, discard. */
export const jobs: Command = {
  name: 'jobs',
  forms: [
    [
      'jobs list [--state STATE] [--kind KIND] [--limit N] [--before ID]',
      'list background jobs, newest first',
    ],
    ['jobs retry ID', 'run a job again now'],
    ['jobs discard ID', 'discard a pending job'],
  ],
  more:
    `States: ${JOB_STATES.join(', ')}. Shows ${DEFAULT_LIMIT} jobs by default. Pass the last ID as ` +
    '--before for the next page.',
  flags: {
    state: { type: 'string' },
    kind: { type: 'string' },
    limit: { type: 'string' },
    before: { type: 'string' },
  },
  words: 2,
  async run(invocation) {
    const { words, flags, isJson } = invocation
    const [verb = 'list', id] = words
    const { filter, at } = readFilter(flags)
    if (!['list', 'retry', 'discard'].includes(verb))
      throw new UsageError(`Unknown command "jobs ${verb}".`)
    if (verb !== 'list' && id === undefined)
      throw new UsageError(`jobs ${verb} needs the ID of a job.`)
    if (verb !== 'list' && !isUuid(id ?? '')) throw new NotFoundError('Job')
    const views = await withProgram(invocation, (program) => {
      const ctx = systemCtx(program.http, INSTALLATION)
      if (verb === 'list') return listJobs(ctx, filter, at).map(jobView)
      if (verb === 'retry') return [jobView(retryJob(ctx, id ?? ''))]
      return [
        jobView(
          discardJob(ctx, {
            id: id ?? '',
            reason: 'discarded from the command line',
          }),
        ),
      ]
    })
    if (isJson) return print(JSON.stringify(views))
    print(
      table(
        ['id', 'kind', 'state', 'attempt', 'last error'],
        views.map((job) => [
          job.id,
          job.kind,
          job.state,
          `${job.attempt}/${job.max_attempts}`,
          job.last_error ?? '',
        ]),
      ),
    )
  },
}

/** Reads the filter and page from the flags. Throws UsageError. */
function readFilter(flags: Flags): {
  filter: JobFilter
  at: { limit: number; offset: number; before: string | null }
} {
  const wanted = textOf(flags, 'state')
  const state = JOB_STATES.find((known) => known === wanted)
  if (wanted !== undefined && state === undefined)
    throw new UsageError(`--state must be one of ${JOB_STATES.join(', ')}.`)
  const limit = Number(textOf(flags, 'limit') ?? DEFAULT_LIMIT)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new UsageError(`--limit must be a whole number from 1 to ${MAX_LIMIT}.`)
  const before = textOf(flags, 'before')
  if (before !== undefined && !isUuid(before))
    throw new UsageError('--before must be the ID of a job.')
  return {
    filter: { state, kind: textOf(flags, 'kind'), isWholeInstallation: true },
    at: { limit, offset: 0, before: before ?? null },
  }
}
