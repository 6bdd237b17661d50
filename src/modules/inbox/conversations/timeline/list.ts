import { inArray } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import { readCursor, writeCursor, type CursorKey } from '../../../../lib/page'
import { hasPermission, inOrganization, type Ctx } from '../../../../infra/ctx'
import { apiKeys } from '../../../organization/api-keys/table'
import { campaigns } from '../../../outreach/campaigns/table'
import { tags } from '../../tags/table'
import { teams } from '../../teams/table'
import { users } from '../../../organization/users/table'
import { getVisibleConversation } from '../queries'
import type { TimelineEntry, TimelinePage } from './model'
import { positionOf, SOURCES, type FoundEntry } from './sources'

/**
 * Returns a page of what happened in a conversation, newest first. Throws NotFoundError, and
 * InvalidError for a cursor of something else.
 */
export function listTimeline(
  ctx: Ctx,
  conversationId: string,
  query: { limit: number; cursor?: string | undefined },
): TimelinePage {
  const { contactId, accountId } = getVisibleConversation(ctx, conversationId)
  const before = query.cursor === undefined ? null : readCursor(query.cursor)
  // One more than is shown tells whether there are more.
  const window = { contactId, accountId, before, limit: query.limit + 1 }
  const found = SOURCES.flatMap((read) => read(ctx, window))
    .filter((entry) => before === null || compare(positionOf(entry), before) > 0)
    .toSorted((a, b) => compare(positionOf(a), positionOf(b)))
  const shown = found.slice(0, query.limit)
  const last = shown.at(-1)
  return {
    items: entriesOf(ctx, shown),
    next_cursor: found.length > query.limit && last ? writeCursor(positionOf(last)) : null,
  }
}

/** Orders positions, newest first. */
function compare(a: CursorKey, b: CursorKey): number {
  if (a.value !== b.value) return (b.value ?? 0) - (a.value ?? 0)
  return a.id === b.id ? 0 : a.id < b.id ? 1 : -1
}

/** Adds the names that things have now. Those that are gone have none. */
function entriesOf(ctx: Ctx, found: FoundEntry[]): TimelineEntry[] {
  const named = namesOf(ctx, found)
  return found.map(({ id, atMs, rank, kind, actor, details }) => ({
    id: rank === 0 ? id : `${id}-end`,
    at: isoTime(atMs),
    actor: { ...actor, name: named(actor.id) },
    kind,
    details: {
      ...details,
      ...('user_id' in details ? { user_name: named(details['user_id']) } : {}),
      ...('team_id' in details ? { team_name: named(details['team_id']) } : {}),
      ...('tag_id' in details ? { tag_name: named(details['tag_id']) } : {}),
      ...('campaign_id' in details && hasPermission(ctx.actor, 'campaigns:read')
        ? { campaign_name: named(details['campaign_id']) }
        : {}),
    },
  }))
}

/** Returns the names of everything that the entries refer to, by ID. */
function namesOf(ctx: Ctx, found: FoundEntry[]): (id: unknown) => string | null {
  const ids = (name: string): string[] => [
    ...new Set(
      found
        .map(({ details }) => details[name])
        .filter((id): id is string => typeof id === 'string'),
    ),
  ]
  const actors = (type: string): string[] =>
    found.flatMap(({ actor }) => (actor.type === type && actor.id !== null ? [actor.id] : []))
  const inTable = (
    table: typeof teams | typeof tags | typeof campaigns | typeof apiKeys,
    of: string[],
  ) =>
    of.length === 0
      ? []
      : ctx.db.orm
          .select({ id: table.id, name: table.name })
          .from(table)
          .where(inOrganization(ctx, table, inArray(table.id, of)))
          .all()
  const people = [...new Set([...ids('user_id'), ...actors('user')])]
  const rows = [
    ...inTable(teams, ids('team_id')),
    ...inTable(tags, ids('tag_id')),
    ...inTable(campaigns, ids('campaign_id')),
    ...inTable(apiKeys, actors('api_key')),
    ...(people.length === 0
      ? []
      : ctx.db.orm
          .select({ id: users.id, name: users.fullName })
          .from(users)
          .where(inArray(users.id, people))
          .all()),
  ]
  const byId = new Map(rows.map(({ id, name }) => [id, name]))
  return (id) => (typeof id === 'string' ? (byId.get(id) ?? null) : null)
}
