import { sql } from 'drizzle-orm'
import { check, index, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../db/columns'
import { tableWithoutPeople } from '../db/define-table'
import { uuid } from '../db/uuid'

/** All asynchronous work. Jobs are stored before they run and stay visible after they fail. */
export const jobs = tableWithoutPeople(
  'jobs',
  'arguments name rows by their ids, and mails in them are encrypted',
  {
    id: uuid('id').primaryKey(),
    /** Name of the job definition, for example `message.send`. */
    kind: text('kind').notNull(),
    queue: text('queue').notNull(),
    state: text('state', {
      enum: [
        'scheduled',
        'available',
        'executing',
        'retryable',
        'completed',
        'cancelled',
        'discarded',
      ],
    }).notNull(),
    /** The organization of the job; `INSTALLATION` if it belongs to none. */
    organizationId: uuid('organization_id').notNull(),
    /** Arguments, JSON. */
    args: text('args').notNull(),
    /** Jobs with the same key run one after the other, in the order they were enqueued. */
    orderingKey: text('ordering_key'),
    /**
     * Jobs with the same key start only as fast as the gate of their queue allows; empty if no gate
     * holds them back.
     */
    gateKey: text('gate_key').notNull().default(''),
    /** Priority among an organization's jobs behind one gate: 1 before 2 before 3. */
    priority: integer('priority').notNull().default(2),
    /**
     * Whether the job is blocked by another one of its ordering key. It is examined again when that
     * one has moved.
     */
    isBlocked: integer('is_blocked', { mode: 'boolean' }).notNull().default(false),
    /** At most one job ever exists for a key. */
    uniqueKey: text('unique_key'),
    attempt: integer('attempt').notNull().default(0),
    maxAttempts: integer('max_attempts').notNull(),
    scheduledAtMs: integer('scheduled_at_ms').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** Start of the first and of the newest attempt. */
    firstAttemptedAtMs: integer('first_attempted_at_ms'),
    attemptedAtMs: integer('attempted_at_ms'),
    finishedAtMs: integer('finished_at_ms'),
    leaseUntilMs: integer('lease_until_ms'),
    /** `[{attempt, at_ms, message}]`, JSON, the newest 20. */
    errors: text('errors').notNull().default('[]'),
  },
  (table) => [
    check(
      'jobs_state',
      sql`${table.state} in ('scheduled', 'available', 'executing', 'retryable', 'completed', 'cancelled', 'discarded')`,
    ),
    check('jobs_priority', sql`${table.priority} between 1 and 3`),
    check('jobs_attempt', sql`${table.attempt} >= 0`),
    check(
      'jobs_attempted',
      sql`${table.state} not in ('executing', 'retryable', 'completed') or (${table.attempt} > 0 and ${table.attemptedAtMs} is not null)`,
    ),
    check('jobs_lease', sql`(${table.state} = 'executing') = (${table.leaseUntilMs} is not null)`),
    check(
      'jobs_finished',
      sql`(${table.state} in ('completed', 'cancelled', 'discarded')) = (${table.finishedAtMs} is not null)`,
    ),
    index('jobs_available')
      .on(table.queue, table.organizationId, table.gateKey, table.priority, table.id)
      .where(sql`${table.state} = 'available' and ${table.isBlocked} = 0`),
    index('jobs_blocked')
      .on(table.orderingKey, table.gateKey, table.id)
      .where(sql`${table.isBlocked} = 1`),
    index('jobs_due')
      .on(table.scheduledAtMs)
      .where(sql`${table.state} in ('scheduled', 'retryable')`),
    index('jobs_due_of_organization')
      .on(table.organizationId, table.scheduledAtMs)
      .where(sql`${table.state} in ('scheduled', 'retryable')`),
    index('jobs_waiting_at_gate')
      .on(table.organizationId, table.gateKey, table.id)
      .where(sql`${table.state} in ('scheduled', 'retryable') and ${table.gateKey} <> ''`),
    index('jobs_leased')
      .on(table.leaseUntilMs)
      .where(sql`${table.state} = 'executing'`),
    index('jobs_ordering')
      .on(table.orderingKey, table.id)
      .where(
        sql`${table.orderingKey} is not null and ${table.state} in ('scheduled', 'available', 'executing', 'retryable')`,
      ),
    index('jobs_ordering_executing')
      .on(table.orderingKey, table.gateKey)
      .where(sql`${table.orderingKey} is not null and ${table.state} = 'executing'`),
    uniqueIndex('jobs_unique')
      .on(table.uniqueKey)
      .where(sql`${table.uniqueKey} is not null`),
    index('jobs_list').on(table.organizationId, table.id, table.state),
    index('jobs_ended')
      .on(table.state, table.finishedAtMs)
      .where(sql`${table.finishedAtMs} is not null`),
  ],
)

/** A row of the job table. */
export type JobRow = typeof jobs.$inferSelect

/** Recurring work: when it last ran, and its outcome. */
export const jobSchedules = tableWithoutPeople(
  'job_schedules',
  'times of regular jobs',
  {
    name: text('name').primaryKey(),
    /** The last time it was due. */
    slotMs: integer('slot_ms').notNull(),
    /** The job enqueued at that time; `null` before the first one. */
    jobId: uuid('job_id'),
    lastRunAtMs: integer('last_run_at_ms'),
    /** State of the job after that run. */
    lastOutcome: text('last_outcome', {
      enum: ['completed', 'scheduled', 'retryable', 'cancelled', 'discarded'],
    }),
  },
  (table) => [
    check(
      'job_schedules_outcome',
      sql`${table.lastOutcome} is null or ${table.lastOutcome} in ('completed', 'scheduled', 'retryable', 'cancelled', 'discarded')`,
    ),
    check(
      'job_schedules_run',
      sql`(${table.lastOutcome} is null) = (${table.lastRunAtMs} is null)`,
    ),
  ],
)
