import { and, count, desc, gt, inArray, isNotNull, isNull, lte, sql, type SQL } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../../../lib/clock'
import { NotFoundError } from '../../../../lib/errors'
import { numberedPage, type Page } from '../../../../lib/page'
import { inOrganization, type Ctx, type Deps } from '../../../../infra/ctx'
import { of } from '../../../../infra/scoped'
import { mailStates } from '../../../../infra/mail/queue'
import { withIndex } from '../../../../infra/db/index-hint'
import type { RoleRow } from '../../roles/queries'
import { roles } from '../../roles/table'
import { users } from '../../users/table'
import { invitations } from '../table'
import { chosenRole } from '../queries'
import type { InvitationState, InvitationView } from './model'

/** A row of the invitations table. */
export type InvitationRow = typeof invitations.$inferSelect

/** Returns the subject key of an invitation's mail in the mail queue. */
export const mailOf = (row: Pick<InvitationRow, 'id'>): string => `invitation/${row.id}`

/** Returns the condition that an invitation can still be accepted. */
export const isPending = (nowMs: number): SQL | undefined =>
  and(
    isNull(invitations.acceptedAtMs),
    isNull(invitations.revokedAtMs),
    gt(invitations.expiresAtMs, nowMs),
  )

/** Returns the state of an invitation at a given time. */
export function stateOf(row: InvitationRow, nowMs: number): InvitationState {
  if (row.acceptedAtMs !== null) return 'accepted'
  if (row.revokedAtMs !== null) return 'revoked'
  return row.expiresAtMs <= nowMs ? 'expired' : 'pending'
}

const isIn = (state: InvitationState, nowMs: number): SQL | undefined => {
  if (state === 'pending') return isPending(nowMs)
  if (state === 'accepted') return isNotNull(invitations.acceptedAtMs)
  if (state === 'revoked')
    return and(isNull(invitations.acceptedAtMs), isNotNull(invitations.revokedAtMs))
  return and(
    isNull(invitations.acceptedAtMs),
    isNull(invitations.revokedAtMs),
    lte(invitations.expiresAtMs, nowMs),
  )
}

/** Filters and page of an invitation list. */
interface InvitationQuery {
  page: number
  limit: number
  status?: InvitationState | undefined
  search?: string | undefined
}

/** The index of the list, which covers all columns of its filters, search and order. */
const NEWEST_FIRST = withIndex(invitations, 'invitations_recent')

/** Returns a page of invitations, newest first. */
export function listInvitations(ctx: Ctx, query: InvitationQuery): Page<InvitationView> {
  const text = query.search?.trim().toLowerCase() ?? ''
  const filter = inOrganization(
    ctx,
    invitations,
    query.status === undefined ? undefined : isIn(query.status, ctx.clock.nowMs()),
    text === '' ? undefined : sql`instr(${invitations.email}, ${text}) > 0`,
  )
  const total =
    ctx.db.orm.select({ rows: count() }).from(NEWEST_FIRST).where(filter).get()?.rows ?? 0
  const ids = ctx.db.orm
    .select({ id: sql`${invitations.id}`.mapWith(invitations.id) })
    .from(NEWEST_FIRST)
    .where(filter)
    .orderBy(desc(invitations.createdAtMs), desc(invitations.id))
    .limit(query.limit)
    .offset((query.page - 1) * query.limit)
    .all()
    .map(({ id }) => id)
  return numberedPage(viewsOf(ctx, ids), total, query)
}

/** Returns the invitations with these IDs, in order. */
function viewsOf(ctx: Ctx, ids: string[]): InvitationView[] {
  const rows = ctx.db.orm
    .select()
    .from(invitations)
    .where(inOrganization(ctx, invitations, inArray(invitations.id, ids)))
    .all()
  const byId = new Map(views(ctx, rows).map((view) => [view.id, view]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/**
 * Returns invitations as the API shows them. An invitation whose role was deleted shows the default
 * role, which it now assigns.
 */
function views(ctx: Ctx, rows: InvitationRow[]): InvitationView[] {
  if (rows.length === 0) return []
  const fallback = of(ctx, roles).find({ isDefault: true })
  const roleIds = [...new Set(rows.map(({ roleId }) => roleId).filter((id) => id !== null))]
  const named = ctx.db.orm
    .select({ id: roles.id, name: roles.name })
    .from(roles)
    .where(inOrganization(ctx, roles, inArray(roles.id, roleIds)))
    .all()
  const inviterIds = [...new Set(rows.map(({ invitedBy }) => invitedBy))]
  const people = ctx.db.orm
    .select({ id: users.id, full_name: users.fullName })
    .from(users)
    .where(inArray(users.id, inviterIds))
    .all()
  const mails = mailStates(ctx, rows.map(mailOf))
  return rows.map((row) => {
    const role = named.find(({ id }) => id === row.roleId) ?? fallback
    return {
      id: row.id,
      email: row.email,
      role_id: role?.id ?? '',
      role_name: role?.name ?? '',
      status: stateOf(row, ctx.clock.nowMs()),
      expires_at: isoTime(row.expiresAtMs),
      accepted_at: isoTimeOrNull(row.acceptedAtMs),
      accepted_by_user_id: row.acceptedByUserId,
      invited_by: people.find(({ id }) => id === row.invitedBy) ?? {
        id: row.invitedBy,
        full_name: '',
      },
      created_at: isoTime(row.createdAtMs),
      mail: mails.get(mailOf(row)) ?? null,
    }
  })
}

/** Returns an invitation as the API shows it. Throws NotFoundError. */
export function getInvitation(ctx: Ctx, id: string): InvitationView {
  const [view] = viewsOf(ctx, [id])
  if (!view) throw new NotFoundError('Invitation')
  return view
}

/** Returns the role of an invitation, or the default role if it was deleted in the meantime. */
export function roleOfInvitation(
  deps: Pick<Deps, 'db'>,
  row: Pick<InvitationRow, 'organizationId' | 'roleId'>,
): RoleRow {
  const at = { ...deps, organizationId: row.organizationId }
  const own = row.roleId === null ? null : of(at, roles).find({ id: row.roleId })
  return own ?? chosenRole(at, undefined)
}
