import { and, desc, eq, isNotNull, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { inOrganization } from '../../../infra/ctx'
import { withIndex } from '../../../infra/db/index-hint'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { apiKeys } from '../api-keys/table'
import type { AuditFacets } from './model'
import { matchingEntries, type AuditFilter } from './queries'
import { auditLogs } from './table'

/** Values of a facet that are counted. */
const MAX_VALUES = 100

/**
 * Counts the entries that match a filter by who acted, by action and by kind of resource, most
 * frequent ones first. What a facet itself is filtered by does not narrow it, so that another value
 * can be chosen. Throws InvalidError for a bad time.
 */
export function auditFacets(ctx: ReadCtx, filter: AuditFilter): AuditFacets {
  const countsOf = (own: keyof AuditFilter, column: SQLiteColumn) => {
    const list = matchingEntries(ctx, { ...filter, [own]: undefined })
    return ctx.db.orm
      .select({
        value: sql`${column}`.mapWith((value) => String(column.mapFromDriverValue(value))),
        count: sql<number>`count(*)`,
      })
      .from(list.source)
      .where(and(list.filter, isNotNull(column)))
      .groupBy(column)
      .orderBy(desc(sql`count(*)`), column)
      .limit(MAX_VALUES)
      .all()
  }
  return {
    users: countsOf('user_id', auditLogs.userId).map(({ value: id, count }) => ({
      ...{ id, name: lastNameOf(ctx, id), count },
    })),
    api_keys: countsOf('api_key_id', auditLogs.apiKeyId).map(({ value: id, count }) => ({
      ...{ id, name: nameOfKey(ctx, id), count },
    })),
    actions: countsOf('action', auditLogs.action).map(({ value: action, count }) => ({
      ...{ action, count },
    })),
    resource_types: countsOf('resource_type', auditLogs.resourceType).map(
      ({ value: resource_type, count }) => ({ resource_type, count }),
    ),
  }
}

/** Returns the name of a user in their newest entry; of super admins, too, who are no members. */
const lastNameOf = (ctx: ReadCtx, userId: string): string | null =>
  ctx.db.orm
    .select({ name: sql<string | null>`${auditLogs.userName}` })
    .from(withIndex(auditLogs, 'audit_logs_user'))
    .where(inOrganization(ctx, auditLogs, eq(auditLogs.userId, userId)))
    .orderBy(desc(auditLogs.createdAtMs), desc(auditLogs.id))
    .limit(1)
    .get()?.name ?? null

/** Returns the name of an API key, or `null` if it was deleted. */
const nameOfKey = (ctx: ReadCtx, id: string): string | null =>
  ctx.db.orm
    .select({ name: apiKeys.name })
    .from(apiKeys)
    .where(inOrganization(ctx, apiKeys, eq(apiKeys.id, id)))
    .get()?.name ?? null
