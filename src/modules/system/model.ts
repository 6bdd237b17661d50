import { Type, type Static } from '@sinclair/typebox'

import { jobFields } from '../../infra/jobs/view'

const Time = Type.String({ format: 'date-time' })

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
