import { desc, eq, gt, isNotNull, isNull, type SQL } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import type { Page } from '../../../lib/page'
import type { Ctx } from '../../../infra/ctx'
import { of } from '../../../infra/scoped'
import type { NotificationKind, NotificationView } from './model'
import { withOrganizationNames } from './organization-names'
import type { NoticeText } from './catalog'
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
  text: row.text === null ? null : (JSON.parse(row.text) as NoticeText),
  link: row.link,
  created_at: isoTime(row.createdAtMs),
  read_at: isoTimeOrNull(row.readAtMs),
})

/**
 * Returns a page of the caller's notifications in this organization, newest first. `unread` selects
 * only unread, or only read, ones.
 */
export const listNotifications = (
  ctx: Ctx,
  { unread, ...query }: { page: number; limit: number; unread?: boolean | undefined },
): Page<NotificationView> =>
  of(ctx, notifications).page(query, {
    where: [
      isOwnNotification(ctx),
      unread === undefined ? undefined : (unread ? isNull : isNotNull)(notifications.readAtMs),
    ],
    order: [desc(notifications.createdAtMs), desc(notifications.id)],
    views: (rows) => rows.map((row) => notificationView(ctx, row)),
  })

/** Counts the caller's unread notifications in this organization. */
export const countUnread = (ctx: Ctx): number =>
  of(ctx, notifications).count(isOwnNotification(ctx), { readAtMs: null })

/** Reports whether a person was notified of a kind, and with this link if given, since a given time. */
export const wasNotifiedSince = (
  scope: Pick<Ctx, 'db' | 'organizationId'>,
  { sinceMs, ...match }: { userId: string; kind: string; link?: string; sinceMs: number },
): boolean => of(scope, notifications).find(match, gt(notifications.createdAtMs, sinceMs)) !== null

/** Returns the notification as its recipient sees it, or `null` if it no longer exists. */
export function findNotification(
  scope: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): NotificationView | null {
  const row = of(scope, notifications).find({ id })
  return row && notificationView(scope, row)
}
