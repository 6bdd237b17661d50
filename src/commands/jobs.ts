import { INSTALLATION, systemCtx } from '../infra/ctx'
import { discardJob, listJobs, retryJob } from '../infra/jobs/inspect'
import { JOB_STATES, jobView } from '../infra/jobs/view'
import { beside } from './beside'
import { say, table, textOf, UsageError, type Command } from './command'

/** Background work of the whole installation: listed, run again, given up. */
export const jobs: Command = {
  name: 'jobs',
  forms: [
    ['jobs list [--state STATE]', 'background work'],
    ['jobs retry ID', 'run a job again now'],
    ['jobs discard ID', 'give a waiting job up'],
  ],
  more: `States: ${JOB_STATES.join(', ')}.`,
  flags: { state: { type: 'string' } },
  words: 2,
  async run({ words, flags, isJson, config }) {
    const [verb = 'list', id] = words
    const wanted = textOf(flags, 'state')
    const state = JOB_STATES.find((known) => known === wanted)
    if (wanted !== undefined && state === undefined) throw new UsageError(`--state is one of ${JOB_STATES.join(', ')}`)
    if (!['list', 'retry', 'discard'].includes(verb)) throw new UsageError(`there is no command jobs ${verb}`)
    if (verb !== 'list' && id === undefined) throw new UsageError(`jobs ${verb} needs the id of a job`)
    const views = await beside(config(), (program) => {
      const ctx = systemCtx(program.http, INSTALLATION)
      if (verb === 'list') return listJobs(ctx, { state, isWholeInstallation: true }, { limit: 100, offset: 0, before: null }).map(jobView)
      if (verb === 'retry') return [jobView(retryJob(ctx, program.registry.jobs, id ?? ''))]
      return [jobView(discardJob(ctx, program.registry.jobs, { id: id ?? '', reason: 'discarded on the command line' }))]
    })
    if (isJson) return say(JSON.stringify(views))
    say(
      table(
        ['id', 'kind', 'state', 'attempt', 'last error'],
        views.map((job) => [job.id, job.kind, job.state, `${job.attempt}/${job.max_attempts}`, job.last_error ?? '']),
      ),
    )
  },
}
