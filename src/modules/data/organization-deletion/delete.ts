import { and, count, eq, ne } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { ConflictError, InvalidError, NotFoundError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { disconnectAllIn } from '../../channel/accounts/delete'
import { recordAudit } from '../../organization/audit/record'
import { requireFreshLogin } from '../../organization/auth/fresh-login'
import { findAdmins } from '../../organization/memberships/admins'
import type { OrganizationView } from '../../organization/organizations/model'
import { isOnLegalHold } from '../../organization/organizations/retention/service'
import {
  ctxOfOrganization,
  findOrganization,
  getOrganization,
  organizationView,
  setOrganizationStateIn,
  type OrganizationRow,
  requireNotMoving,
} from '../../organization/organizations/service'
import { organizations } from '../../organization/organizations/table'
import type { Deletion } from './model'
import { startErasureIn } from './start'

/** How long an organization can be restored. */
const RESTORABLE_MS = 30 * DAY_MS

/**
 * Deletes an organization: disconnects its numbers now and erases it after 30 days, or at once.
 * Throws NotFoundError, ForbiddenError `fresh_login_required`, InvalidError, and ConflictError
 * `last_organization`, `other_admins`, `legal_hold`, `organization_deleting` or `moved`.
 */
export function deleteOrganization(ctx: Ctx, id: string, wish: Deletion): OrganizationView | null {
  if (ctx.actor.isSuperAdmin && findOrganization(ctx, id)?.state === 'moved')
    return eraseMoved(ctx, id, wish)
  const there = ctxOfOrganization(ctx, id)
  requireFreshLogin(ctx)
  return transact(ctx.db, (tx) => {
    requireNotMoving(ctx, id)
    const row = getOrganization(there)
    requireConfirmed(row, wish.confirm)
    requireDeletable(tx, there, row)
    const isAtOnce = wish.erase_now === true
    if (row.state === 'deleting' && !isAtOnce)
      throw new ConflictError('This organization is already being deleted.', {
        code: 'organization_deleting',
      })
    disconnectAllIn(tx, there)
    recordAudit(tx, ctx, {
      action: 'deleted',
      resourceType: 'organization',
      resourceId: id,
      resourceName: null, // the entry may be in another organization, where it stays
    })
    if (isAtOnce) {
      startErasureIn(tx, ctx, id)
      return null
    }
    const deletesAtMs = ctx.clock.nowMs() + RESTORABLE_MS
    setOrganizationStateIn(tx, id, { state: 'deleting', deletesAtMs })
    return organizationView({ ...row, state: 'deleting', deletesAtMs })
  })
}

/** Erases the copy of an organization that has moved to another server, before its time is over. */
function eraseMoved(ctx: Ctx, id: string, wish: Deletion): null {
  requireFreshLogin(ctx)
  return transact(ctx.db, (tx) => {
    const row = getOrganization({ ...ctx, organizationId: id })
    requireConfirmed(row, wish.confirm)
    if (row.state !== 'moved') throw new NotFoundError('Organization')
    if (wish.erase_now !== true)
      throw new ConflictError(
        `This organization has moved to ${row.movedTo}, and its copy is erased soon. Send \`erase_now\` to erase it now.`,
        { code: 'moved', details: { address: row.movedTo } },
      )
    recordAudit(tx, ctx, {
      action: 'deleted',
      resourceType: 'organization',
      resourceId: id,
      resourceName: null,
    })
    startErasureIn(tx, ctx, id)
    return null
  })
}

/**
 * Restores an organization that is being deleted. Its numbers must be connected again. Throws
 * NotFoundError, ForbiddenError `fresh_login_required` and ConflictError `not_deleting`.
 */
export function restoreOrganization(ctx: Ctx, id: string): OrganizationView {
  const there = ctxOfOrganization(ctx, id)
  requireFreshLogin(ctx)
  return transact(ctx.db, (tx) => {
    const row = getOrganization(there)
    if (row.state !== 'deleting')
      throw new ConflictError('This organization is not being deleted.', { code: 'not_deleting' })
    setOrganizationStateIn(tx, id, { state: 'active', deletesAtMs: null })
    recordAudit(tx, there, {
      action: 'restored',
      resourceType: 'organization',
      resourceId: id,
      resourceName: row.name,
    })
    return organizationView({ ...row, state: 'active', deletesAtMs: null })
  })
}

function requireConfirmed({ slug }: OrganizationRow, confirm: string): void {
  if (confirm !== slug)
    throw new InvalidError('`confirm` must be the slug of the organization.', {
      code: 'invalid_input',
      errors: [{ path: 'body.confirm', message: 'must be the slug of the organization' }],
    })
}

function requireDeletable(tx: Tx, ctx: Ctx, { id }: OrganizationRow): void {
  const others = tx
    .select({ rows: count() })
    .from(organizations)
    .where(and(ne(organizations.id, id), eq(organizations.state, 'active')))
    .get()
  if ((others?.rows ?? 0) === 0)
    throw new ConflictError(
      'This is the last organization of the installation. Create another one first.',
      { code: 'last_organization' },
    )
  if (isOnLegalHold(ctx))
    throw new ConflictError(
      'The organization is on legal hold, so nothing may be erased. End the legal hold first.',
      { code: 'legal_hold' },
    )
  if (!ctx.actor.isSuperAdmin && findAdmins(ctx).some((userId) => userId !== ctx.actor.userId))
    throw new ConflictError(
      'The organization has other admins. Only its last admin or a super admin can delete it.',
      { code: 'other_admins' },
    )
}
