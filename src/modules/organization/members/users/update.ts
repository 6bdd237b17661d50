import { ForbiddenError } from '../../../../lib/errors'
import { normalEmail } from '../../../../lib/fields'
import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { differences, HIDDEN, recordAudit } from '../../audit/record'
import {
  recordElsewhereIn,
  requireManagesCredentials,
  rejectOwnRecord,
} from '../../auth/admin-access/service'
import { dropResetLinksIn } from '../../auth/password-reset/links'
import { endSessionsOfUserIn } from '../../auth/sessions'
import { notifyIn } from '../../notifications/service'
import { PermissionsChanged } from '../../memberships/events'
import { getMemberByUser, type Member } from '../../memberships/queries'
import { requireCoversRole } from '../../roles/require-covers'
import type { RoleRow } from '../../roles/queries'
import { requireUncommonPassword, type PasswordHasher } from '../../users/password'
import {
  requireOtherSuperAdminIn,
  updateUserIn,
  type UserUpdate as AccountChanges,
  type UserRow,
} from '../../users/service'
import { publishMemberIn } from '../../memberships/publish'
import { membershipsOf } from '../../memberships/find'
import { requireOtherAdminIn } from '../../memberships/admins'
import { reportAvailabilityIn } from '../availability'
import { withCurrentRights, requireManages, requireSuperAdmin } from '../authorize'
import { changeMembershipIn } from '../update'
import type { UserChanges, UserView } from '../model'
import { chosenRole, getUser } from '../queries'
import { requireFreeEmail } from './require-free-email'
import { noticeText } from '../../notifications/catalog'

/**
 * Updates a user: role and flags of the membership in this organization, and the account if
 * this organization manages it. Changes all or nothing. Throws NotFoundError, InvalidError
 * `own_record`, ForbiddenError `escalation`, `account_managed_elsewhere` or `super_admin_required`,
 * and ConflictError `email_taken`, `last_admin` or `last_super_admin`.
 */
export async function updateUser(
  ctx: Ctx,
  hasher: PasswordHasher,
  userId: string,
  changes: UserChanges,
): Promise<UserView> {
  const email = changes.email === undefined ? undefined : normalEmail(changes.email)
  if (changes.password !== undefined)
    await requireUncommonPassword(ctx.settings, changes.password, 'body.password')
  const wanted: Wanted = { ...changes, email }
  requireAllowed(ctx, userId, wanted)
  const passwordHash =
    changes.password === undefined ? undefined : await hasher.hash(changes.password, ctx)
  return transact(ctx.db, (tx) => {
    const now = withCurrentRights(ctx, 'users:update')
    const { member, role } = requireAllowed(now, userId, wanted)
    const isMembershipChanged = changeMembershipIn(tx, now, member, {
      ...(role ? { role } : {}),
      isActive: changes.is_active,
      ...(changes.is_confirmed === true ? { isConfirmed: true } : {}),
    })
    const isAccountChanged = changeAccountIn(tx, now, member, { ...wanted, passwordHash })
    if (isAccountChanged) announceEverywhereIn(tx, now, userId)
    else if (isMembershipChanged) publishMemberIn(tx, now, userId, 'updated')
    return getUser(now, userId)
  })
}

interface Wanted extends Omit<UserChanges, 'email'> {
  email: string | undefined
}

/** Fields that nobody can change in their own record here, and the alternative. */
const FORBIDDEN_ON_ONESELF: [field: keyof UserChanges, instead: string][] = [
  ['role_id', 'is your own account; another user who manages users must change it'],
  [
    'is_active',
    'is your own account; leave the organization with DELETE ' +
      '/api/me/organizations/{organization_id}',
  ],
  ['is_confirmed', 'is your own account; another user who manages users must confirm you'],
  ['email', 'is your own account; change it with PUT /api/me'],
  ['password', 'is your own account; change it with PUT /api/me/password'],
  ['is_super_admin', 'is your own account; another super admin must change it'],
  ['account_disabled', 'is your own account; another super admin must change it'],
]

/** Validates the changes without writing anything. Throws the errors of {@link updateUser}. */
function requireAllowed(
  ctx: Ctx,
  userId: string,
  wanted: Wanted,
): { member: Member; role: RoleRow | null } {
  const member = getMemberByUser(ctx, userId)
  rejectOwnRecord(
    ctx,
    userId,
    FORBIDDEN_ON_ONESELF.flatMap(([field, message]) =>
      wanted[field] === undefined ? [] : [{ path: `body.${field}`, message }],
    ),
  )
  if (wanted.is_super_admin !== undefined || wanted.account_disabled !== undefined)
    requireSuperAdmin(ctx)
  const role = wanted.role_id === undefined ? null : chosenRole(ctx, wanted.role_id)
  requireManages(ctx, member)
  if (role) requireCoversRole(ctx, role.id)
  const mayRename =
    ctx.actor.isSuperAdmin ||
    isOneself(ctx, userId) ||
    member.user.homeOrganizationId === ctx.organizationId
  if (wanted.full_name !== undefined && !mayRename)
    throw new ForbiddenError(
      'This account is managed by another organization or by its owner. Only they can change ' +
        'it.',
      {
        code: 'account_managed_elsewhere',
      },
    )
  if (wanted.email !== undefined || wanted.password !== undefined)
    requireManagesCredentials(ctx, userId)
  if (wanted.email !== undefined) requireFreeEmail(ctx, wanted.email, userId)
  return { member, role }
}

/** Reports whether a signed-in person changes its own record. An API key is not its owner. */
const isOneself = ({ actor }: Ctx, userId: string): boolean =>
  actor.type === 'user' && actor.userId === userId

/**
 * Updates the account. Returns whether a field that others see changed. Runs inside the caller's
 * transaction.
 */
function changeAccountIn(
  tx: Tx,
  ctx: Ctx,
  { user }: Member,
  wanted: Wanted & { passwordHash: string | undefined },
): boolean {
  const after = {
    full_name: wanted.full_name?.trim() ?? user.fullName,
    email: wanted.email ?? user.email,
    is_super_admin: wanted.is_super_admin ?? user.isSuperAdmin,
    account_disabled: wanted.account_disabled ?? user.isDisabled,
  }
  const before = {
    full_name: user.fullName,
    email: user.email,
    is_super_admin: user.isSuperAdmin,
    account_disabled: user.isDisabled,
  }
  const changed = differences(before, after)
  const { passwordHash } = wanted
  if (changed.length === 0 && passwordHash === undefined) return false
  const isDisabledNow = after.account_disabled && !before.account_disabled
  if (isDisabledNow) for (const at of everywhere(ctx, user.id)) requireOtherAdminIn(tx, at, user.id)
  if (before.is_super_admin && !before.account_disabled && (isDisabledNow || !after.is_super_admin))
    requireOtherSuperAdminIn(tx, user.id)
  const set: AccountChanges = {
    fullName: after.full_name,
    email: after.email,
    isSuperAdmin: after.is_super_admin,
    isDisabled: after.account_disabled,
    ...(passwordHash === undefined ? {} : { passwordHash, mustChangePassword: true }),
  }
  updateUserIn(tx, ctx, user.id, set)
  if (changed.length > 0)
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'user',
      resourceId: user.id,
      resourceName: after.full_name,
      changes: changed,
    })
  credentialsChangedIn(tx, ctx, user, {
    newName: after.full_name,
    hasNewEmail: before.email !== after.email,
    hasNewPassword: passwordHash !== undefined,
  })
  if (before.account_disabled !== after.account_disabled)
    for (const at of everywhere(ctx, user.id))
      reportAvailabilityIn(tx, at, user.id, !after.account_disabled)
  if (isDisabledNow) endSessionsOfUserIn(tx, ctx, user.id, { reason: 'account_disabled' })
  if (before.is_super_admin !== after.is_super_admin)
    for (const at of everywhere(ctx, user.id))
      emit(tx, at, PermissionsChanged, {
        contactId: null,
        payload: { userId: user.id, reason: 'super_admin_changed' },
      })
  return changed.length > 0
}

/**
 * Records and notifies a new email or password. Ends all sessions and revokes password reset links,
 * so that a person who knows the former password or reads the former mailbox loses access.
 */
function credentialsChangedIn(
  tx: Tx,
  ctx: Ctx,
  user: UserRow,
  change: { newName: string; hasNewEmail: boolean; hasNewPassword: boolean },
): void {
  const { newName, hasNewEmail, hasNewPassword } = change
  if (!hasNewEmail && !hasNewPassword) return
  if (hasNewPassword) {
    recordAudit(tx, ctx, {
      action: 'password_changed',
      resourceType: 'user',
      resourceId: user.id,
      resourceName: newName,
      changes: [{ field: 'password', old_value: HIDDEN, new_value: HIDDEN }],
    })
    recordElsewhereIn(tx, ctx, 'password_changed', user)
  }
  if (hasNewEmail) recordElsewhereIn(tx, ctx, 'updated', user)
  endSessionsOfUserIn(tx, ctx, user.id, {
    reason: hasNewPassword ? 'password_changed' : 'email_changed',
  })
  dropResetLinksIn(tx, user.id)
  const changedText = [
    ...(hasNewEmail ? ['email address'] : []),
    ...(hasNewPassword ? ['password'] : []),
  ].join(' and ')
  notifyIn(tx, ctx, {
    userId: user.id,
    kind: 'credentials_changed',
    severity: 'warning',
    title: `Your ${changedText} was changed`,
    text: noticeText('credentials_changed', {
      what: hasNewEmail && hasNewPassword ? 'both' : hasNewEmail ? 'email' : 'password',
      ...(ctx.actor.userName === null ? {} : { by: ctx.actor.userName }),
    }),
    body: `${ctx.actor.userName ?? 'An administrator'} changed the ${changedText} of your account.`,
  })
}

/** Returns the scopes of every organization a person belongs to. */
const everywhere = (ctx: Ctx, userId: string): Ctx[] =>
  membershipsOf(ctx, userId).map(({ organizationId }) => ({ ...ctx, organizationId }))

function announceEverywhereIn(tx: Tx, ctx: Ctx, userId: string): void {
  for (const at of everywhere(ctx, userId)) publishMemberIn(tx, at, userId, 'updated')
}
