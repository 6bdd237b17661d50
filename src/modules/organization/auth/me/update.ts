import {
  fieldSentence,
  ConflictError,
  InvalidError,
  NotFoundError,
  type FieldProblem,
} from '../../../../lib/errors'
import { normalEmail } from '../../../../lib/fields'
import type { Ctx } from '../../../../infra/ctx'
import { isUniqueViolation } from '../../../../infra/db/errors'
import { transact, type Tx } from '../../../../infra/db/transact'
import { differences, HIDDEN, recordAudit } from '../../audit/record'
import { updateMembershipIn } from '../../memberships/service'
import { requireUncommonPassword } from '../../users/password'
import { findUserByEmail, updateUserIn, type UserRow } from '../../users/service'
import { reauthorizedCtx } from '../delegated-ctx'
import type { AuthParts } from '../issue-tokens'
import { dropResetLinksIn } from '../password-reset/links'
import { endSessionsOfUserIn } from '../sessions'
import type { MeChanges } from './model'
import { callerOf } from './queries'
import { activeMembershipsOf, membershipsOf } from '../../memberships/find'
import { publishMemberIn } from '../../memberships/publish'

const refusal = (code: string, problem: FieldProblem): InvalidError =>
  new InvalidError(fieldSentence(problem.path, problem.message), { code, errors: [problem] })

/**
 * Requires the caller's current password. Failures count like failed sign-ins. Throws InvalidError
 * `wrong_password` and RateLimitedError.
 */
export async function requireCurrentPassword(
  ctx: Ctx,
  parts: AuthParts,
  user: UserRow,
  password: string | undefined,
): Promise<void> {
  const path = 'body.current_password'
  if (password === undefined)
    throw refusal('invalid_input', { path, message: 'is required for this change' })
  const claimant = { account: user.email, address: ctx.origin?.ipAddress ?? '' }
  if (
    !(await ctx.throttle.prove(claimant, (waiting) =>
      parts.hasher.verify(password, () => user.passwordHash, {
        organizationId: ctx.organizationId,
        ...waiting,
      }),
    ))
  )
    throw refusal('wrong_password', { path, message: 'is not your current password' })
}

/**
 * Checks a caller whose password was verified again, in the transaction of the change. The
 * verification takes time, and a parallel change may have replaced the password meanwhile. Returns
 * the current scope and user. Throws UnauthorizedError if the session or the membership has ended,
 * and InvalidError `wrong_password`.
 */
export function recheckCaller(ctx: Ctx, proven: UserRow): { now: Ctx; user: UserRow } {
  const now = reauthorizedCtx(ctx)
  const user = callerOf(now)
  if (user.passwordHash !== proven.passwordHash)
    throw refusal('wrong_password', {
      path: 'body.current_password',
      message: 'is not your current password',
    })
  return { now, user }
}

const emailTaken = (): ConflictError =>
  new ConflictError('Another account has this email.', { code: 'email_taken' })

/** The fields of a user that the audit log compares. */
const shown = (user: UserRow, defaultOrganizationId: string | null): Record<string, unknown> => ({
  full_name: user.fullName,
  email: user.email,
  default_organization_id: defaultOrganizationId,
})

/**
 * Updates the caller's name, email (requires the password) and default organization. Omitted fields
 * stay unchanged. Throws InvalidError, also `wrong_password`, NotFoundError for an organization the
 * caller does not belong to, ConflictError `email_taken`, RateLimitedError, and UnauthorizedError
 * if the session has ended meanwhile.
 */
export async function updateMe(
  ctx: Ctx,
  parts: AuthParts,
  user: UserRow,
  changes: MeChanges,
): Promise<void> {
  const email = changes.email === undefined ? undefined : normalEmail(changes.email)
  const needsProof = email !== undefined && email !== user.email
  if (needsProof) await requireCurrentPassword(ctx, parts, user, changes.current_password)
  try {
    transact(ctx.db, (tx) => {
      const { now, user: before } = needsProof
        ? recheckCaller(ctx, user)
        : { now: ctx, user: callerOf(ctx) }
      changeMeIn(tx, now, before, {
        fullName: changes.full_name?.trim(),
        email,
        defaultOrganizationId: changes.default_organization_id,
      })
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw emailTaken()
    throw error
  }
}

/** Changes to the caller's own user; `undefined` fields stay unchanged. */
interface WantedMe {
  fullName: string | undefined
  email: string | undefined
  defaultOrganizationId: string | undefined
}

function changeMeIn(
  tx: Tx,
  ctx: Ctx,
  before: UserRow,
  { fullName, email, defaultOrganizationId: chosenId }: WantedMe,
): void {
  const memberships = activeMembershipsOf(ctx, before.id)
  if (
    chosenId !== undefined &&
    !memberships.some(({ organizationId }) => organizationId === chosenId)
  )
    throw new NotFoundError('Organization')
  const isNewEmail = email !== undefined && email !== before.email
  if (isNewEmail && findUserByEmail(ctx, email) !== null) throw emailTaken()
  updateUserIn(tx, ctx, before.id, {
    ...(fullName === undefined ? {} : { fullName }),
    ...(email === undefined ? {} : { email }),
  })
  if (chosenId !== undefined) chooseDefaultIn(tx, ctx, before.id, chosenId)
  if (isNewEmail) dropResetLinksIn(tx, before.id)
  const after = callerOf(ctx)
  const former = memberships.find(({ isDefault }) => isDefault)?.organizationId ?? null
  const changed = differences(shown(before, former), shown(after, chosenId ?? former))
  if (changed.length === 0) return
  if (after.fullName !== before.fullName) publishNameIn(tx, ctx, after)
  recordAudit(tx, ctx, {
    action: 'updated',
    resourceType: 'user',
    resourceId: before.id,
    resourceName: after.fullName,
    changes: changed,
  })
}

/** Publishes a new name in every organization of the person. */
function publishNameIn(tx: Tx, ctx: Ctx, user: UserRow): void {
  for (const { organizationId } of membershipsOf(ctx, user.id))
    publishMemberIn(tx, { ...ctx, organizationId }, user.id, 'updated')
}

function chooseDefaultIn(tx: Tx, ctx: Ctx, userId: string, chosenId: string): void {
  for (const { organizationId, isDefault } of membershipsOf(ctx, userId))
    if (isDefault !== (organizationId === chosenId))
      updateMembershipIn(tx, { ...ctx, organizationId }, userId, {
        isDefault: organizationId === chosenId,
      })
}

/**
 * Changes the caller's password. Ends all other sessions and revokes password reset links. Throws
 * InvalidError `wrong_password`, `password_too_common` or `same_password`, RateLimitedError, and
 * UnauthorizedError if the session has ended meanwhile.
 */
export async function changePassword(
  ctx: Ctx,
  parts: AuthParts,
  user: UserRow,
  input: { current_password: string; new_password: string },
): Promise<void> {
  await requireUncommonPassword(ctx.settings, input.new_password, 'body.new_password')
  await requireCurrentPassword(ctx, parts, user, input.current_password)
  if (input.new_password.normalize('NFC') === input.current_password.normalize('NFC'))
    throw refusal('same_password', {
      path: 'body.new_password',
      message: 'must differ from the current password',
    })
  const passwordHash = await parts.hasher.hash(input.new_password, ctx)
  transact(ctx.db, (tx) => {
    const { now, user: before } = recheckCaller(ctx, user)
    updateUserIn(tx, now, user.id, { passwordHash, mustChangePassword: false })
    dropResetLinksIn(tx, user.id)
    endSessionsOfUserIn(tx, now, user.id, {
      reason: 'password_changed',
      except: ctx.actor.sessionId,
    })
    recordAudit(tx, now, {
      action: 'password_changed',
      resourceType: 'user',
      resourceId: user.id,
      resourceName: before.fullName,
      changes: [{ field: 'password', old_value: HIDDEN, new_value: HIDDEN }],
    })
  })
}
