import { storedId } from '../support/ids'

/** Reads rows of the database of an installation. */
interface Rows {
  rows: <T>(query: string, ...values: (string | number)[]) => T[]
}

/** Jobs that are told of one by one, and those of the same key beside each, at most. */
const MOST = 10
const MAX_BESIDE = 12

/**
 * Deliveries that are not in the journal yet and jobs that still want to run; changes that wait for
 * an earlier one and announcements that are held back among them. Messages that wait their minute
 * behind one of the same contact whose outcome is not known are where they should be.
 */
const RESTLESS = `from jobs where (state in ('available', 'executing', 'retryable') or (state = 'scheduled' and kind in ('inbound.process', 'conversation.publish-change', 'campaign.publish-change')))
     and not (kind = 'message.send' and state = 'available' and exists (select 1 from messages m
       where m.contact_id = ${storedId('substr(jobs.ordering_key, 6)')} and m.stage = 'ambiguous'))`

/** What is not at rest, by kind and state. */
export const unfinishedJobs = (installation: Rows): { kind: string; state: string; n: number }[] =>
  installation.rows(
    `select kind, state, count(*) n ${RESTLESS} group by 1, 2
     union all select 'delivery', 'answered', count(*) n from inbound_staging having n > 0`,
  )

interface JobRow {
  id: string
  kind: string
  state: string
  key: string | null
  gate: string
  isBlocked: number
  attempt: number
  scheduledAtMs: number
  attemptedAtMs: number | null
  leaseUntilMs: number | null
  messageId: string | null
  errors: string
}

const COLUMNS = `id, kind, state, ordering_key as key, gate_key as gate, is_blocked as isBlocked, attempt, scheduled_at_ms as scheduledAtMs,
  attempted_at_ms as attemptedAtMs, lease_until_ms as leaseUntilMs, json_extract(args, '$.messageId') as messageId, errors`

/**
 * What is not at rest, job by job, one line each: its row, times from `nowMs` (epoch milliseconds)
 * on, the message it is about, and below it the jobs of its ordering key, those that ended among
 * them, oldest first.
 */
export function restlessJobs(installation: Rows, nowMs: number): string[] {
  const found = installation.rows<JobRow>(`select ${COLUMNS} ${RESTLESS} order by id limit ${MOST}`)
  const told = new Set<string>()
  return found.flatMap((job) => {
    if (told.has(job.id)) return []
    const line = lineOf(installation, job, nowMs)
    if (job.key === null) return [line]
    const beside = installation.rows<JobRow>(
      `select ${COLUMNS} from jobs where ordering_key = ? and id <> ? order by id desc limit ${MAX_BESIDE}`,
      job.key,
      job.id,
    )
    for (const { id } of beside) told.add(id)
    return [
      line,
      ...beside.toReversed().map((other) => `  same key: ${lineOf(installation, other, nowMs)}`),
    ]
  })
}

function lineOf(installation: Rows, job: JobRow, nowMs: number): string {
  const from = (ms: number | null): string =>
    ms === null ? 'never' : `${ms < nowMs ? '-' : '+'}${Math.abs(ms - nowMs) / 1_000} s`
  const { id, kind, state, key, gate, isBlocked, attempt } = job
  const facts = [
    `job ${id} ${kind} ${state}`,
    `key ${key ?? 'none'}`,
    `is_blocked ${isBlocked}`,
    `gate ${gate || 'none'}`,
    `attempt ${attempt}`,
    `scheduled ${from(job.scheduledAtMs)}`,
    `attempted ${from(job.attemptedAtMs)}`,
  ]
  if (job.leaseUntilMs !== null) facts.push(`lease until ${from(job.leaseUntilMs)}`)
  if (job.errors !== '[]') facts.push(`errors ${job.errors}`)
  if (job.messageId !== null) facts.push(messageOf(installation, job.messageId, from))
  return facts.join(', ')
}

function messageOf(installation: Rows, id: string, from: (ms: number) => string): string {
  const [message] = installation.rows<{
    status: string
    stage: string | null
    createdAtMs: number
  }>('select status, stage, created_at_ms as createdAtMs from messages where id = ?', id)
  if (!message) return `message ${id} gone`
  return `message ${id} ${message.status}, stage ${message.stage ?? 'none'}, made ${from(message.createdAtMs)}`
}
