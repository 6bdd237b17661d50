import { Type, type Static } from '@sinclair/typebox'

import { isoTime, isoTimeOrNull } from '../../lib/clock'
import { isUuid } from '../../lib/ids'
import { INSTALLATION } from '../ctx'
import { looksLikePhone, maskPhone } from '../../lib/phone'
import type { JobRow } from './table'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const timeOrNull = Type.Union([Time, Type.Null()])
const textOrNull = Type.Union([Type.String(), Type.Null()])

/** States of a job. */
export const JOB_STATES = [
  'available',
  'executing',
  'retryable',
  'scheduled',
  'completed',
  'cancelled',
  'discarded',
] as const

/** API fields of a job. */
export const jobFields = {
  id: Uuid,
  kind: Type.String(),
  state: Type.String({ enum: [...JOB_STATES] }),
  organization_id: Type.Union([Uuid, Type.Null()], {
    description: '`null` for jobs of the whole installation.',
  }),
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

/** A stored error of a run. */
export interface StoredError {
  attempt: number
  at_ms: number
  message: string
  /** Whether a person gave it up, who therefore knows. */
  by_person?: true
}

/** Returns the errors of a job, oldest first. */
export const errorsOf = (row: JobRow): StoredError[] => JSON.parse(row.errors) as StoredError[]

/** Returns the API view of a job. */
export const jobView = (row: JobRow): JobView => ({
  id: row.id,
  kind: row.kind,
  state: row.state,
  organization_id: row.organizationId === INSTALLATION ? null : row.organizationId,
  attempt: row.attempt,
  max_attempts: row.maxAttempts,
  scheduled_at: isoTime(row.scheduledAtMs),
  attempted_at: isoTimeOrNull(row.attemptedAtMs),
  finished_at: isoTimeOrNull(row.finishedAtMs),
  lease_until: isoTimeOrNull(row.leaseUntilMs),
  last_error: errorsOf(row).at(-1)?.message ?? null,
  unique_key: row.uniqueKey,
})

/** Names of arguments whose values are never shown. */
const SECRET_NAME = /secret|token|password|sealed|code|key/i
const MAX_DEPTH = 6

/**
 * Returns job arguments for the API: values under names of secrets are replaced, and phone numbers
 * are masked except for four digits.
 */
export function maskedArgs(args: unknown, depth = 0): unknown {
  if (typeof args === 'string')
    return isUuid(args) || !looksLikePhone(args) ? args : maskPhone(args)
  if (typeof args !== 'object' || args === null) return args
  if (depth >= MAX_DEPTH) return '***'
  if (Array.isArray(args)) return args.map((item) => maskedArgs(item, depth + 1))
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      SECRET_NAME.test(name) && typeof value === 'string' ? '***' : maskedArgs(value, depth + 1),
    ]),
  )
}
