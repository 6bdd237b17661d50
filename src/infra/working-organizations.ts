import { and, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { acrossOrganizations } from './ctx'

/**
 * Returns the condition that the organization of a row works here. Nothing but its import, move or
 * erasure changes it while it arrives, leaves or is erased: rows that are missing or added would make
 * a good archive invalid.
 */
export const worksHere = (organizationId: SQLiteColumn): SQL =>
  sql`${organizationId} not in (select id from organizations where state <> 'active' and state in ('erasing', 'importing', 'moving', 'moved'))`

/**
 * As `acrossOrganizations`, for work on the rows of all organizations that goes by the clock or is
 * done at a start: selects those of organizations that work here.
 */
export const inWorkingOrganizations = (
  reason: string,
  table: { organizationId: SQLiteColumn },
  condition?: SQL,
): SQL | undefined => acrossOrganizations(reason, and(condition, worksHere(table.organizationId)))
