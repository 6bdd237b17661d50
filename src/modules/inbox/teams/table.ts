import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { memberships } from '../../organization/memberships/table'
import { organizations } from '../../organization/organizations/table'

/** How a team gives a waiting transfer to one of its members. */
export const ASSIGNMENT_STRATEGIES = ['round_robin', 'load_balanced', 'manual'] as const

/** What a member of a team may do: work in it, or manage it too. */
export const TEAM_ROLES = ['agent', 'manager'] as const

/** Teams of members that share work. */
export const teams = tableWithoutPeople(
  'teams',
  'names and settings of teams',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    /** The name without case and accents, for uniqueness, sorting and search. */
    nameKey: text('name_key').notNull(),
    description: text('description'),
    assignmentStrategy: text('assignment_strategy', { enum: ASSIGNMENT_STRATEGIES }).notNull(),
    isActive: integer('is_active', { mode: 'boolean' }).notNull(),
    /** Seconds a member has for the first reply before the next one is asked; 0 is no limit. */
    perAgentTimeoutS: integer('per_agent_timeout_s').notNull(),
    /** How many active transfers one member may have in this team; `null` is no limit. */
    maxActivePerAgent: integer('max_active_per_agent'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
    /** The row of a deleted team stays, because ended work names it. */
    deletedAtMs: integer('deleted_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    check('teams_timeout', sql`${table.perAgentTimeoutS} between 0 and 3600`),
    check('teams_capacity', sql`${table.maxActivePerAgent} >= 1`),
    check('teams_deleted', sql`${table.deletedAtMs} is null or ${table.isActive} = 0`),
    uniqueIndex('teams_name')
      .on(table.organizationId, table.nameKey)
      .where(sql`${table.deletedAtMs} is null`),
  ],
)

/** Members of teams. Only members of the organization can be members of a team. */
export const teamMembers = tableWithoutPeople(
  'team_members',
  'ids of colleagues, with their roles',
  {
    organizationId: uuid('organization_id').notNull(),
    teamId: uuid('team_id').notNull(),
    userId: uuid('user_id').notNull(),
    id: uuid('id').notNull(),
    role: text('role', { enum: TEAM_ROLES }).notNull(),
    /** When the member was last given a transfer of the team. */
    lastAssignedAtMs: integer('last_assigned_at_ms'),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.teamId, table.userId] }),
    foreignKey({
      columns: [table.organizationId, table.teamId],
      foreignColumns: [teams.organizationId, teams.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.userId],
      foreignColumns: [memberships.organizationId, memberships.userId],
    }),
    index('team_members_user').on(table.organizationId, table.userId, table.teamId),
  ],
)
