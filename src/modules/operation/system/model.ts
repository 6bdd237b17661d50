import { Type, type Static } from '@sinclair/typebox'

import { JOB_STATES, jobFields } from '../../../infra/jobs/view'

const Time = Type.String({ format: 'date-time' })

/** The same with its arguments and errors. */
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
export const JobCounts = Type.Object(
  Object.fromEntries(JOB_STATES.map((state) => [state, Type.Integer()])),
  {
    description: 'Number of jobs by state. Contains all states.',
  },
)

/** Why a job is given up. */
export const DiscardRequest = Type.Object(
  { reason: Type.Optional(Type.String({ maxLength: 500 })) },
  { title: 'DiscardRequest', examples: [{ reason: 'The customer was answered by phone.' }] },
)

const isoField = (description: string) => Type.Optional(Type.String({ maxLength: 40, description }))

/** Which discarded jobs are run again. */
export const RetryRequest = Type.Object(
  {
    kind: Type.Optional(Type.String({ maxLength: 100 })),
    from: isoField('Jobs discarded at or after this ISO 8601 time.'),
    to: isoField('Jobs discarded at or before this ISO 8601 time.'),
    state: Type.Optional(Type.Literal('discarded')),
    all: Type.Optional(
      Type.Boolean({
        description: 'Whether jobs of all organizations are meant. Super admins only.',
      }),
    ),
  },
  { title: 'RetryRequest', examples: [{ kind: 'media.download', from: '2026-03-01T00:00:00Z' }] },
)
export type RetryRequest = Static<typeof RetryRequest>

/** Failed jobs that somebody has seen and does not want to run again. */
export const DismissRequest = Type.Object(
  {
    kind: Type.Optional(Type.String({ maxLength: 100 })),
    id: Type.Optional(Type.String({ format: 'uuid', description: 'Only this job.' })),
    all: Type.Optional(
      Type.Boolean({
        description: 'Whether jobs of all organizations are meant. Super admins only.',
      }),
    ),
  },
  { title: 'DismissRequest', examples: [{ kind: 'media.download' }] },
)
export type DismissRequest = Static<typeof DismissRequest>

/** A kind of jobs in some state. */
export const JobKind = Type.Object(
  {
    kind: Type.String(),
    count: Type.Integer(),
    last_error: Type.Union([Type.String(), Type.Null()], {
      description: 'The last error of the newest of these jobs.',
    }),
    last_at: Type.Union([Time, Type.Null()]),
  },
  { title: 'JobKind' },
)
export type JobKind = Static<typeof JobKind>

/** How many jobs are meant. */
export const RetryCount = Type.Object({ count: Type.Integer() }, { title: 'RetryCount' })

/** Recurring work. */
export const ScheduleList = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        name: Type.String(),
        schedule: Type.String({
          description:
            'Interval such as `every 15 minutes`, or a cron expression with its time zone.',
        }),
        last_run_at: Type.Union([Time, Type.Null()]),
        last_outcome: Type.Union(
          [
            Type.String({
              enum: ['completed', 'scheduled', 'retryable', 'cancelled', 'discarded'],
            }),
            Type.Null(),
          ],
          {
            description: 'State of the job after its latest run.',
          },
        ),
        next_run_at: Time,
      }),
    ),
  },
  { title: 'ScheduleList' },
)
export type ScheduleList = Static<typeof ScheduleList>

/** The whole installation, for its operator. */
export const InstallationInfo = Type.Object(
  {
    version: Type.String(),
    commit: Type.Union([Type.String(), Type.Null()], {
      description: 'The commit that the program was built from. Unknown from the source.',
    }),
    committed_at: Type.Union([Time, Type.Null()], { description: 'Time of that commit.' }),
    started_at: Time,
    runtime: Type.String({ description: 'Version of Bun.' }),
    sqlite: Type.String({ description: 'Version of SQLite.' }),
    schema: Type.Object({
      version: Type.String({ description: 'Latest migration.' }),
      migrations: Type.Integer(),
    }),
    settings: Type.Record(Type.String(), Type.Union([Type.String(), Type.Integer(), Type.Null()]), {
      description: 'Value by setting. For secrets, `set` or `unset`.',
    }),
    sizes: Type.Object({
      database_bytes: Type.Integer(),
      wal_bytes: Type.Integer(),
      media_bytes: Type.Integer({ description: 'Counted for up to 1,000,000 files.' }),
      backups_bytes: Type.Integer(),
      disk_free_bytes: Type.Union([Type.Integer(), Type.Null()]),
    }),
    counts: Type.Record(Type.String(), Type.Integer(), {
      description: 'Number of rows, each counted up to 1,000,000.',
    }),
  },
  { title: 'Installation' },
)
export type InstallationInfo = Static<typeof InstallationInfo>

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

/** Everything that needs attention or is worth a note. */
export const FINDING_CODES = [
  'settings_misspelled',
  'not_writable',
  'readable_by_others',
  'replica_unreadable',
  'replica_old',
  'disk_short',
  'log_large',
  'database_damaged',
  'database_unchecked',
  'jobs_stalled',
  'jobs_late',
  'jobs_failed',
  'changes_failed',
  'files_missing',
  'files_orphaned',
  'backup_folder',
  'backups_off',
  'no_backup',
  'backup_old',
  'archive_unreachable',
  'platform_unreachable',
  'clock_off',
  'clock_back',
  'version_of_new_numbers',
  'version_of_numbers',
  'restore_interrupted',
  'replaced_data',
  'key_rotating',
  'key_removable',
  'proxy_unknown',
  'proxy_untrusted',
  'proxy_hides_clients',
  'proxy_drops_sockets',
  'proxy_cuts_bodies',
  'address_silent',
  'proxy_body_limit',
  'cell_unreachable',
] as const
export type FindingCode = (typeof FINDING_CODES)[number]
