import { isNull, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { inOrganization, type Scope } from '../../../infra/ctx'
import { KEPT_PART } from './rules'
import { rollupParts } from './table'

/** Returns the condition that a row of counts is one that reports read, and not of a rebuild. */
export const isCurrent = (scope: Scope, table: { part: SQLiteColumn }): SQL =>
  sql`${table.part} in (${sql.raw(String(KEPT_PART))}, (select ${rollupParts.part} from ${rollupParts} where ${inOrganization(scope, rollupParts, isNull(rollupParts.through))}))`
