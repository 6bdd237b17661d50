import { and, eq, inArray } from 'drizzle-orm'

import { fieldSentence, InvalidError } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { memberships } from '../../../organization/memberships/table'
import { permissionsOfRole } from '../../../organization/roles/service'
import { users } from '../../../organization/users/table'
import { scheduledReportRecipients } from './table'

/** The permission that recipients need, at the time of each email. */
const NEEDED = 'analytics:read'

/** A member who may get reports. */
export interface ReportReader {
  userId: string
  fullName: string
  email: string
}

/** Returns those of some users who are active members and hold `analytics:read` now. */
export function readersAmong(ctx: Ctx, userIds: readonly string[]): ReportReader[] {
  const mayRead = new Map<string, boolean>()
  return ctx.db.orm
    .select({
      userId: users.id,
      fullName: users.fullName,
      email: users.email,
      roleId: memberships.roleId,
    })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(
      inOrganization(
        ctx,
        memberships,
        and(
          inArray(memberships.userId, [...userIds]),
          eq(memberships.isActive, true),
          eq(users.isDisabled, false),
        ),
      ),
    )
    .all()
    .filter(({ roleId }) => {
      const may = mayRead.get(roleId) ?? permissionsOfRole(ctx, roleId).includes(NEEDED)
      mayRead.set(roleId, may)
      return may
    })
    .map(({ userId, fullName, email }) => ({ userId, fullName, email }))
}

/** Requires that all users may get reports. Throws InvalidError that names those who may not. */
export function requireReaders(ctx: Ctx, userIds: readonly string[]): void {
  const readers = new Set(readersAmong(ctx, userIds).map(({ userId }) => userId))
  const message = `is not an active member who holds \`${NEEDED}\``
  const errors = userIds.flatMap((id, nth) =>
    readers.has(id) ? [] : [{ path: `body.user_ids.${nth}`, message }],
  )
  const [first] = errors
  if (first) throw new InvalidError(fieldSentence(first.path, message), { errors })
}

/** Replaces the recipients of a scheduled report, in the caller's transaction. */
export function setRecipientsIn(
  tx: Tx,
  ctx: Ctx,
  reportId: string,
  userIds: readonly string[],
): void {
  const { organizationId } = ctx
  tx.delete(scheduledReportRecipients)
    .where(
      inOrganization(
        ctx,
        scheduledReportRecipients,
        eq(scheduledReportRecipients.reportId, reportId),
      ),
    )
    .run()
  if (userIds.length > 0)
    tx.insert(scheduledReportRecipients)
      .values(userIds.map((userId) => ({ organizationId, reportId, userId })))
      .run()
}

/** Takes a person off a scheduled report, in the caller's transaction. */
export function removeRecipientIn(
  tx: Tx,
  ctx: Ctx,
  { reportId, userId }: { reportId: string; userId: string },
): void {
  tx.delete(scheduledReportRecipients)
    .where(
      inOrganization(
        ctx,
        scheduledReportRecipients,
        and(
          eq(scheduledReportRecipients.reportId, reportId),
          eq(scheduledReportRecipients.userId, userId),
        ),
      ),
    )
    .run()
}
