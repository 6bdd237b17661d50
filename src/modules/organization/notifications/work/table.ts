import { index, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../../infra/db/columns'
import { tableWithoutPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { organizations } from '../../organizations/table'
import { users } from '../../users/table'

export const WORK_KINDS = [
  'import',
  'export',
  'contacts',
  'conversations',
  'privacy_export',
  'webhook_replay',
  'archive',
  'erasure',
] as const
export const WORK_STATES = ['running', 'completed', 'failed', 'cancelled', 'undone'] as const

/** Background work that a person asked for, as last told to them. Kept for seven days. */
export const works = tableWithoutPeople(
  'works',
  'states and counts, names of files and endpoints',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    /** ID of what is done: the import, the export, the job … */
    id: uuid('id').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    kind: text('kind', { enum: WORK_KINDS }).notNull(),
    title: text('title').notNull(),
    state: text('state', { enum: WORK_STATES }).notNull(),
    done: integer('done').notNull(),
    /** `null` while nobody knows. */
    total: integer('total'),
    link: text('link'),
    startedAtMs: integer('started_at_ms').notNull(),
    endedAtMs: integer('ended_at_ms'),
    publishedAtMs: integer('published_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    index('works_of_user').on(table.organizationId, table.userId, table.startedAtMs, table.id),
    index('works_age').on(table.startedAtMs),
  ],
)
