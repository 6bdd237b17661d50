import { count, desc, eq, gt, isNotNull, isNull, type SQL } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { numberedPage, type Page } from '../../../lib/page'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { NotificationKind, NotificationView } from './model'
import { withOrganizationNames } from './organization-names'
import { users } from '../users/table'
import { notifications } from './table'

/** Limits a query to the caller's own notifications. */
export const isOwnNotification = (ctx: Pick<Ctx, 'actor'>): SQL =>
  eq(notifications.userId, ctx.actor.userId ?? '')

/** The kinds for super admins that name other organizations. Texts of others are written by people. */
const NAMING: ReadonlySet<string> = new Set<NotificationKind>([
  'organization_imported',
  'organization_moved',
  'organization_move_aborted',
])

/** Whether a person may know all organizations. Rows of an archive that was imported say nothing about that. */
const isSuperAdmin = (
  { db }: Pick<Ctx, 'db'>,
  { userId }: typeof notifications.$inferSelect,
): boolean =>
  db.orm.select({ isSuperAdmin: users.isSuperAdmin }).from(users).where(eq(users.id, userId)).get()
    ?.isSuperAdmin === true

/** Returns a notification as the API shows it. */
const notificationView = (
  deps: Pick<Ctx, 'db'>,
  row: typeof notifications.$inferSelect,
): NotificationView => ({
  id: row.id,
  kind: row.kind,
  severity: row.severity,
  title: row.title,
  body:
    NAMING.has(row.kind) && isSuperAdmin(deps, row)
      ? withOrganizationNames(deps, row.body)
      : row.body,
  link: row.link,
  created_at: isoTime(row.createdAtMs),
  read_at: isoTimeOrNull(row.readAtMs),
})

/**
 * Returns a page of the caller's notifications in this organization, newest first. `unread` selects
 * only unread, or only read, ones.
 */
export function listNotifications(
  ctx: Ctx,
  query: { page: number; limit: number; unread?: boolean | undefined },
): Page<NotificationView> {
  const wanted =
    query.unread === undefined
      ? undefined
      : query.unread
        ? isNull(notifications.readAtMs)
        : isNotNull(notifications.readAtMs)
  const filter = inOrganization(ctx, notifications, isOwnNotification(ctx), wanted)
  const rows = ctx.db.orm
    .select()
    .from(notifications)
    .where(filter)
    .orderBy(desc(notifications.createdAtMs), desc(notifications.id))
    .limit(query.limit)
    .offset((query.page - 1) * query.limit)
    .all()
  const total =
    ctx.db.orm.select({ rows: count() }).from(notifications).where(filter).get()?.rows ?? 0
  return numberedPage(
    rows.map((row) => notificationView(ctx, row)),
    total,
    query,
  )
}

/** Counts the caller's unread notifications in this organization. */
export const countUnread = (ctx: Ctx): number =>
  ctx.db.orm
    .select({ rows: count() })
    .from(notifications)
    .where(
      inOrganization(ctx, notifications, isOwnNotification(ctx), isNull(notifications.readAtMs)),
    )
    .get()?.rows ?? 0

/** Reports whether a person was notified of a kind, and with this link if given, since a given time. */
export const wasNotifiedSince = (
  scope: Pick<Ctx, 'db' | 'organizationId'>,
  match: { userId: string; kind: string; link?: string; sinceMs: number },
): boolean =>
  scope.db.orm
    .select({ id: notifications.id })
    .from(notifications)
    .where(
      inOrganization(
        scope,
        notifications,
        eq(notifications.userId, match.userId),
        gt(notifications.createdAtMs, match.sinceMs),
        eq(notifications.kind, match.kind),
        match.link === undefined ? undefined : eq(notifications.link, match.link),
      ),
    )
    .limit(1)
    .get() !== undefined

/** Returns the notification as its recipient sees it, or `null` if it no longer exists. */
export function findNotification(
  scope: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): NotificationView | null {
  const row = scope.db.orm
    .select()
    .from(notifications)
    .where(inOrganization(scope, notifications, eq(notifications.id, id)))
    .get()
  return row ? notificationView(scope, row) : null
}
