import { ConflictError, InvalidError, NotFoundError, type FieldProblem } from '../../../lib/errors'
import { normalEmail } from '../../../lib/fields'
import type { Ctx } from '../../../infra/ctx'
import { isUniqueViolation, transact, type Tx } from '../../../infra/db'
import { differences, HIDDEN, recordAudit } from '../../audit/service'
import { activeMembershipsOf, announceMemberIn, membershipsOf, updateMembershipIn } from '../../organizations/members/service'
import { requireUncommonPassword } from '../../users/password'
import { findUser, findUserByEmail, updateUserIn, type UserRow } from '../../users/service'
import type { AuthParts } from '../issuing'
import { dropResetLinksIn } from '../reset-links'
import { endSessionsOfUserIn } from '../sessions'
import type { MeChanges } from './model'

const refusal = (code: string, problem: FieldProblem): InvalidError =>
  new InvalidError(`${problem.path}: ${problem.message}.`, { code, errors: [problem] })

/**
 * Proves the caller by the present password; failures count like wrong passwords at login. Throws InvalidError `wrong_password` and
 * RateLimitedError.
 */
export async function requirePassword(ctx: Ctx, parts: AuthParts, user: UserRow, password: string | undefined): Promise<void> {
  const path = 'body.current_password'
  if (password === undefined) throw refusal('invalid_input', { path, message: 'is required for this change' })
  const claimant = { account: user.email, address: ctx.origin?.ipAddress ?? '' }
  if (!(await ctx.throttle.prove(claimant, (untilMs) => parts.hasher.verify(password, user.passwordHash, untilMs))))
    throw refusal('wrong_password', { path, message: 'is not the present password' })
}

/** Of two changes at the same moment the second proved itself with a password that is no longer the present one. */
function requireSamePassword(ctx: Ctx, proven: UserRow): void {
  if (findUser(ctx, proven.id)?.passwordHash !== proven.passwordHash)
    throw refusal('wrong_password', { path: 'body.current_password', message: 'is not the present password' })
}

const emailTaken = (): ConflictError => new ConflictError('Another account has this e-mail.', { code: 'email_taken' })

/** The fields of an account as they are to be stored. */
const wantedOf = (user: UserRow, changes: MeChanges): { fullName: string; email: string } => ({
  fullName: changes.full_name?.trim() ?? user.fullName,
  email: changes.email === undefined ? user.email : normalEmail(changes.email),
})

const shown = (user: UserRow, defaultOrganizationId: string | null): Record<string, unknown> => ({
  full_name: user.fullName,
  email: user.email,
  default_organization_id: defaultOrganizationId,
})

/**
 * Changes the caller's own name, e-mail (with the password) and the organization a login starts in. Throws InvalidError, also
 * `wrong_password`, NotFoundError for an organization that is not one's own, ConflictError `email_taken` and RateLimitedError.
 */
export async function updateMe(ctx: Ctx, parts: AuthParts, user: UserRow, changes: MeChanges): Promise<void> {
  const wanted = wantedOf(user, changes)
  const { default_organization_id: chosen } = changes
  const isNewEmail = wanted.email !== user.email
  if (isNewEmail) await requirePassword(ctx, parts, user, changes.current_password)
  const memberships = activeMembershipsOf(ctx, user.id)
  if (chosen !== undefined && !memberships.some(({ organizationId }) => organizationId === chosen)) throw new NotFoundError('Organization')
  const owner = isNewEmail ? findUserByEmail(ctx, wanted.email) : null
  if (owner !== null && owner.id !== user.id) throw emailTaken()
  const former = memberships.find(({ isDefault }) => isDefault)?.organizationId ?? null
  try {
    transact(ctx.db, (tx) => {
      if (isNewEmail) requireSamePassword(ctx, user)
      updateUserIn(tx, ctx, user.id, wanted)
      if (chosen !== undefined) chooseDefaultIn(tx, ctx, user.id, chosen)
      if (isNewEmail) dropResetLinksIn(tx, user.id)
      const after = findUser(ctx, user.id) ?? user
      const changed = differences(shown(user, former), shown(after, chosen ?? former))
      if (changed.length === 0) return
      if (after.fullName !== user.fullName) tellRenamedIn(tx, ctx, after)
      recordAudit(tx, ctx, { action: 'updated', resourceType: 'user', resourceId: user.id, resourceName: after.fullName, changes: changed })
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw emailTaken()
    throw error
  }
}

/** In every organization of the person those who see its people are told the new name. */
function tellRenamedIn(tx: Tx, ctx: Ctx, user: UserRow): void {
  for (const { organizationId } of membershipsOf(ctx, user.id)) announceMemberIn(tx, { ...ctx, organizationId }, user.id, 'updated')
}

function chooseDefaultIn(tx: Tx, ctx: Ctx, userId: string, chosen: string): void {
  for (const { organizationId, isDefault } of membershipsOf(ctx, userId))
    if (isDefault !== (organizationId === chosen))
      updateMembershipIn(tx, { ...ctx, organizationId }, userId, { isDefault: organizationId === chosen })
}

/**
 * Replaces the caller's own password; all other sign-ins end, as do links for choosing one. Throws InvalidError `wrong_password`,
 * `password_too_common` or `same_password`, and RateLimitedError.
 */
export async function changePassword(
  ctx: Ctx,
  parts: AuthParts,
  user: UserRow,
  input: { current_password: string; new_password: string },
): Promise<void> {
  await requireUncommonPassword(ctx.settings, input.new_password, 'body.new_password')
  await requirePassword(ctx, parts, user, input.current_password)
  if (input.new_password.normalize('NFC') === input.current_password.normalize('NFC'))
    throw refusal('same_password', { path: 'body.new_password', message: 'is the same as before' })
  const passwordHash = await parts.hasher.hash(input.new_password)
  transact(ctx.db, (tx) => {
    requireSamePassword(ctx, user)
    updateUserIn(tx, ctx, user.id, { passwordHash, mustChangePassword: false })
    dropResetLinksIn(tx, user.id)
    endSessionsOfUserIn(tx, ctx, user.id, { reason: 'password_changed', except: ctx.actor.sessionId })
    recordAudit(tx, ctx, {
      action: 'password_changed',
      resourceType: 'user',
      resourceId: user.id,
      resourceName: user.fullName,
      changes: [{ field: 'password', old_value: HIDDEN, new_value: HIDDEN }],
    })
  })
}
