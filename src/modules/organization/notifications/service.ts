import { inArray, isNull, lt, type SQL } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { inOrganization, type Ctx, type Deps } from '../../../infra/ctx'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { transact, type Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { of } from '../../../infra/scoped'
import { NotificationCreated } from './events'
import { countUnread, isOwnNotification } from './queries'
import { notifications } from './table'
import type { NotificationKind } from './model'
import type { NoticeText } from './catalog'

/** A new notification. */
export interface NewNotification {
  userId: string
  kind: NotificationKind
  severity: 'info' | 'warning' | 'critical'
  title: string
  /** Names other organizations than that of the person by `nameOfOrganization`. */
  body: string
  /** What it says, for a client with words of its own. */
  text?: NoticeText
  /** Path in the web client with more details. */
  link?: string
}

/**
 * Notifies a person in the scope's organization, in the transaction of the cause. Open sockets
 * receive it at once.
 */
export function notifyIn(tx: Tx, ctx: Ctx, { text, ...input }: NewNotification): void {
  const id = ctx.ids.next()
  of(ctx, notifications).insert(tx, {
    ...{ id, ...input, createdAtMs: ctx.clock.nowMs() },
    ...(text === undefined ? {} : { text: JSON.stringify(text) }),
  })
  emit(tx, ctx, NotificationCreated, {
    contactId: null,
    payload: { notificationId: id, userId: input.userId },
  })
}

/**
 * Marks the caller's notifications as read: those with the given IDs, or all. Ignores IDs of other
 * people's notifications. Returns the number of unread notifications left.
 */
export function markNotificationsRead(ctx: Ctx, ids: string[] | undefined): number {
  return transact(ctx.db, (tx) => {
    tx.update(notifications)
      .set({ readAtMs: ctx.clock.nowMs() })
      .where(
        inOrganization(
          ctx,
          notifications,
          isOwnNotification(ctx),
          isNull(notifications.readAtMs),
          ids === undefined ? undefined : inArray(notifications.id, ids),
        ),
      )
      .run()
    return countUnread(ctx)
  })
}

/** How long a notification is kept. */
const KEPT_MS = 90 * DAY_MS

const BATCH = 500

/** Deletes a batch of notifications older than 90 days. Returns the number deleted. */
export function pruneNotifications(deps: Deps): number {
  return transact(deps.db, (tx) => {
    const areOld = (condition: SQL): SQL | undefined =>
      inWorkingOrganizations(
        'old notifications are pruned for all organizations at once',
        notifications,
        condition,
      )
    const old = tx
      .select({ id: notifications.id })
      .from(notifications)
      .where(areOld(lt(notifications.createdAtMs, deps.clock.nowMs() - KEPT_MS)))
      .limit(BATCH)
      .all()
      .map(({ id }) => id)
    tx.delete(notifications)
      .where(areOld(inArray(notifications.id, old)))
      .run()
    return old.length
  })
}
