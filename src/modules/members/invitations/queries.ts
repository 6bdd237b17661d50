import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  sql,
  sum,
  type SQL,
} from 'drizzle-orm'

import { DAY_MS, isoTime, isoTimeOrNull } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import { inOrderOf, numberedPage, stretchOf, type Page } from '../../../lib/page'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { mailStates } from '../../../infra/mail/queue'
import { findTexts, madeAt } from '../../../infra/text-blocks'
import { through } from '../../../infra/db/index-hint'
import { findRoleRow } from '../../roles/queries'
import { roles } from '../../roles/table'
import { users } from '../../users/table'
import type { InvitationState, InvitationView } from '../model'
import { invitationCounts, invitations, invitationTexts } from '../table'

/** An invitation as its row holds it. */
export type InvitationRow = typeof invitations.$inferSelect

/** What the mail of an invitation is about. */
export const mailOf = (row: Pick<InvitationRow, 'id'>): string => `invitation/${row.id}`

/** The condition that an invitation can still be accepted. */
export const isPending = (nowMs: number): SQL | undefined =>
  and(
    isNull(invitations.acceptedAtMs),
    isNull(invitations.revokedAtMs),
    gt(invitations.expiresAtMs, nowMs),
  )

/** What an invitation is at a time. */
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

/** Which invitations are listed. */
interface InvitationQuery {
  page: number
  limit: number
  status?: InvitationState | undefined
  search?: string | undefined
}

/** The indices of the list. */
const NEWEST_FIRST = through(invitations, 'invitations_recent')
const BY_STATE = through(invitations, 'invitations_state')

/**
 * So many invitations are put in order as they are found; more are read in the order of an index.
 */
const FEW = 1_000

/**
 * Invitations, newest first. How many are in a state is kept by triggers; few of them are found by
 * their state. Texts are searched in blocks, and all else is found in an index in the order of the
 * list.
 */
export function listInvitations(ctx: Ctx, query: InvitationQuery): Page<InvitationView> {
  const { source, filter, total } = wayTo(ctx, query)
  const stretch = stretchOf(total, query)
  const inOrder = stretch.isFromEnd ? asc : desc
  const ids = ctx.db.orm
    .select({ id: sql<string>`${invitations.id}` })
    .from(source)
    .where(filter)
    .orderBy(inOrder(invitations.createdAtMs), inOrder(invitations.id))
    .limit(stretch.limit)
    .offset(stretch.offset)
    .all()
    .map(({ id }) => id)
  return numberedPage(viewsOf(ctx, inOrderOf(stretch, ids)), total, query)
}

/** Which invitations are asked for, the index that finds them, and how many they are. */
function wayTo(ctx: Ctx, query: InvitationQuery): { source: SQL; filter: SQL; total: number } {
  const nowMs = ctx.clock.nowMs()
  const text = query.search?.trim().toLowerCase() ?? ''
  const filter = inOrganization(
    ctx,
    invitations,
    query.status === undefined ? undefined : isIn(query.status, nowMs),
  )
  if (text === '') {
    const total = countIn(ctx, query.status, nowMs)
    return {
      source: query.status !== undefined && total <= FEW ? BY_STATE : NEWEST_FIRST,
      filter,
      total,
    }
  }
  const searched = inOrganization(
    ctx,
    invitations,
    filter,
    sql`instr(${invitations.email}, ${text}) > 0`,
  )
  const { count: hits, timesMs } = findTexts(ctx, invitationTexts, text, {
    isFewOnly: query.status !== undefined,
  })
  const few =
    timesMs === null
      ? searched
      : inOrganization(ctx, invitations, searched, madeAt(invitations.createdAtMs, timesMs))
  const isCounted = timesMs === null && query.status === undefined
  return {
    source: NEWEST_FIRST,
    filter: few,
    total: isCounted ? hits : countWhere(ctx, NEWEST_FIRST, few),
  }
}

const countWhere = (ctx: Ctx, source: SQL, filter: SQL): number =>
  ctx.db.orm.select({ rows: count() }).from(source).where(filter).get()?.rows ?? 0

/**
 * How many invitations are in a state: of those that are open, days are counted and of today's each
 * one is looked at.
 */
function countIn(ctx: Ctx, state: InvitationState | undefined, nowMs: number): number {
  const counted = (...conditions: (SQL | undefined)[]): number =>
    ctx.db.orm
      .select({ rows: sum(invitationCounts.invitations).mapWith(Number) })
      .from(invitationCounts)
      .where(inOrganization(ctx, invitationCounts, ...conditions))
      .get()?.rows ?? 0
  if (state === undefined) return counted()
  if (state === 'accepted' || state === 'revoked') return counted(eq(invitationCounts.state, state))
  const today = Math.floor(nowMs / DAY_MS)
  const isOpen = eq(invitationCounts.state, 'open')
  const expiredToday = inOrganization(
    ctx,
    invitations,
    isIn('expired', nowMs),
    gte(invitations.expiresAtMs, today * DAY_MS),
  )
  const expired =
    counted(isOpen, lt(invitationCounts.day, today)) + countWhere(ctx, BY_STATE, expiredToday)
  return state === 'expired' ? expired : counted(isOpen) - expired
}

/** The invitations with these ids, in their order. */
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
 * Invitations as the API answers them; whose role was deleted shows the default role, which it now
 * gives.
 */
function views(ctx: Ctx, rows: InvitationRow[]): InvitationView[] {
  if (rows.length === 0) return []
  const fallback = findRoleRow(ctx, eq(roles.isDefault, true))
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

/** An invitation as the API answers it. Throws NotFoundError. */
export function getView(ctx: Ctx, id: string): InvitationView {
  const [view] = viewsOf(ctx, [id])
  if (!view) throw new NotFoundError('Invitation')
  return view
}
