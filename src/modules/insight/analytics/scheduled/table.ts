import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../../infra/db/columns'
import { storedByKey, tableWithoutPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { organizations } from '../../../organization/organizations/table'
import { users } from '../../../organization/users/table'

/** How often a report is mailed. */
export const INTERVALS = ['week', 'month'] as const

/** Reports that are mailed to members. Triggers take people off who leave the organization. */
export const scheduledReports = tableWithoutPeople(
  'scheduled_reports',
  'names of reports, and when they are mailed',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    /** `null` if that person has left: it belongs to the organization then. */
    madeBy: uuid('made_by'),
    /** Names of the reports, JSON. */
    reports: text('reports').notNull(),
    every: text('every', { enum: INTERVALS }).notNull(),
    /** Local time of sending, HH:MM. */
    at: text('at').notNull(),
    isActive: integer('is_active', { mode: 'boolean' }).notNull(),
    /** When it is sent next; `null` while it is not active. */
    nextAtMs: integer('next_at_ms'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    check('scheduled_reports_next', sql`${table.isActive} = (${table.nextAtMs} is not null)`),
    index('scheduled_reports_due')
      .on(table.nextAtMs)
      .where(sql`${table.nextAtMs} is not null`),
  ],
)

/** The people who get a scheduled report. */
export const scheduledReportRecipients = storedByKey(
  tableWithoutPeople(
    'scheduled_report_recipients',
    'ids of colleagues',
    {
      organizationId: uuid('organization_id').notNull(),
      reportId: uuid('report_id').notNull(),
      userId: uuid('user_id')
        .notNull()
        .references(() => users.id),
    },
    (table) => [
      primaryKey({ columns: [table.organizationId, table.reportId, table.userId] }),
      foreignKey({
        columns: [table.organizationId, table.reportId],
        foreignColumns: [scheduledReports.organizationId, scheduledReports.id],
      }),
    ],
  ),
)

/**
 * States of a run. `left_out`: nobody got it, because nobody could or a backup was restored.
 * `too_late`: some did not get it, because its time was more than three days ago.
 */
export const RUN_STATES = ['sending', 'sent', 'failed', 'left_out', 'too_late'] as const

/** Runs of scheduled reports: one for each span, and one for each request to send it at once. */
export const scheduledReportRuns = tableWithoutPeople(
  'scheduled_report_runs',
  'times and states',
  {
    organizationId: uuid('organization_id').notNull(),
    reportId: uuid('report_id').notNull(),
    /** First and last local date that it covers. */
    startDate: text('start_date').notNull(),
    endDate: text('end_date').notNull(),
    /** When a person asked for it; 0 if the schedule did. */
    requestedAtMs: integer('requested_at_ms').notNull(),
    state: text('state', { enum: RUN_STATES }).notNull(),
    startedAtMs: integer('started_at_ms').notNull(),
    endedAtMs: integer('ended_at_ms'),
  },
  (table) => [
    primaryKey({
      columns: [table.organizationId, table.reportId, table.startDate, table.requestedAtMs],
    }),
    foreignKey({
      columns: [table.organizationId, table.reportId],
      foreignColumns: [scheduledReports.organizationId, scheduledReports.id],
    }),
    check(
      'scheduled_report_runs_ended',
      sql`(${table.state} = 'sending') = (${table.endedAtMs} is null)`,
    ),
    index('scheduled_report_runs_newest').on(
      table.organizationId,
      table.reportId,
      table.startedAtMs,
    ),
  ],
)

/** The mails of a run, one per person, so that a repeated run sends none twice. */
export const scheduledReportMails = storedByKey(
  tableWithoutPeople(
    'scheduled_report_mails',
    'ids of colleagues, times and states',
    {
      organizationId: uuid('organization_id').notNull(),
      reportId: uuid('report_id').notNull(),
      startDate: text('start_date').notNull(),
      requestedAtMs: integer('requested_at_ms').notNull(),
      userId: uuid('user_id')
        .notNull()
        .references(() => users.id),
      state: text('state', {
        enum: ['pending', 'sent', 'failed', 'left_out', 'too_late'],
      }).notNull(),
      updatedAtMs: integer('updated_at_ms').notNull(),
    },
    (table) => [
      primaryKey({
        columns: [
          table.organizationId,
          table.reportId,
          table.startDate,
          table.requestedAtMs,
          table.userId,
        ],
      }),
      foreignKey({
        columns: [table.organizationId, table.reportId, table.startDate, table.requestedAtMs],
        foreignColumns: [
          scheduledReportRuns.organizationId,
          scheduledReportRuns.reportId,
          scheduledReportRuns.startDate,
          scheduledReportRuns.requestedAtMs,
        ],
      }),
    ],
  ),
)
