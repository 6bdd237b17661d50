import { Type, type Static } from '@sinclair/typebox'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const timeOrNull = Type.Union([Time, Type.Null()])
const textOrNull = Type.Union([Type.String(), Type.Null()])

/** States of a job. */
export const JOB_STATES = ['available', 'executing', 'retryable', 'scheduled', 'completed', 'cancelled', 'discarded'] as const

const jobFields = {
  id: Uuid,
  kind: Type.String(),
  state: Type.String({ enum: [...JOB_STATES] }),
  organization_id: Type.Union([Uuid, Type.Null()], { description: 'null for work of the whole installation.' }),
  attempt: Type.Integer(),
  max_attempts: Type.Integer(),
  scheduled_at: Time,
  attempted_at: timeOrNull,
  finished_at: timeOrNull,
  lease_until: timeOrNull,
  last_error: textOrNull,
  unique_key: textOrNull,
}

/** A piece of background work. */
export const JobView = Type.Object(jobFields, { title: 'Job' })
export type JobView = Static<typeof JobView>

/** The same with its arguments and what went wrong. */
export const JobDetails = Type.Object(
  {
    ...jobFields,
    args: Type.Record(Type.String(), Type.Unknown()),
    errors: Type.Array(Type.Object({ attempt: Type.Integer(), at: Time, message: Type.String() })),
  },
  { title: 'JobDetails' },
)
export type JobDetails = Static<typeof JobDetails>

/** How many jobs are in each state. */
export const JobCounts = Type.Record(Type.String(), Type.Integer(), { description: 'Jobs by state.' })

/** Why a job is given up. */
export const DiscardRequest = Type.Object(
  { reason: Type.Optional(Type.String({ maxLength: 500 })) },
  { title: 'DiscardRequest', examples: [{ reason: 'The customer was answered by phone.' }] },
)

/** The process lives. */
export const HealthView = Type.Object(
  { status: Type.Literal('ok'), version: Type.String(), uptime_seconds: Type.Integer() },
  { title: 'Health' },
)

/** The process can take work. */
export const ReadyView = Type.Object(
  { status: Type.Literal('ready'), checks: Type.Record(Type.String(), Type.Literal('ok')) },
  { title: 'Ready' },
)
