import {
  ConflictError,
  ForbiddenError,
  NotFoundError,
  UnauthorizedError,
} from '../../../lib/errors'
import { normalEmail } from '../../../lib/fields'
import type { Deps, RequestOrigin } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { differences, recordAudit } from '../../audit/record'
import { identityOf, personCtx, requireEnabled } from '../../auth/authenticate'
import {
  prepareSession,
  type AuthParts,
  type PreparedSession,
  type TokenPair,
} from '../../auth/issue-tokens'
import { requireSecondFactor } from '../../auth/second-factor'
import { verifyPassword, recordFailedSignInIn } from '../../auth/sign-in'
import { getOrganization, requireOpenOrganization } from '../../organizations/service'
import { requireUncommonPassword } from '../../users/password'
import { createUserIn, findUser, findUserByEmail, recordLoginIn } from '../../users/service'
import { chosenRole } from '../queries'
import { joinIn } from '../add'
import {
  invitationInvalid,
  requireInvitedEmail,
  requireMayJoin,
  requireOpenInvitation,
  markInvitationAcceptedIn,
} from '../invitations/accept'
import type { RegisteredUser, Registration } from './model'

/** A validated registration. */
interface Applicant extends RequestOrigin {
  email: string
  password: string
  fullName: string
  organizationId: string
  token: string | null
  code: string | undefined
}

type Registered = { user: RegisteredUser } & TokenPair

/**
 * Joins an existing organization (spec 4.1) with a new account, or with the password of the account
 * that has this email. Checks in order: the form, the rate limit, the organization, its
 * registration policy, the invitation, the account. Throws InvalidError, RateLimitedError,
 * NotFoundError, ForbiddenError `invitation_required`, `registration_closed`,
 * `invitation_email_mismatch` or `membership_suspended`, ConflictError `email_taken` or
 * `already_member`, and UnauthorizedError like a sign-in.
 */
export async function register(
  deps: Deps,
  parts: AuthParts,
  input: Omit<Registration, 'use_cookie'> & RequestOrigin,
): Promise<Registered> {
  const applicant: Applicant = {
    ipAddress: input.ipAddress,
    userAgent: input.userAgent,
    requestId: input.requestId,
    email: normalEmail(input.email),
    password: input.password,
    fullName: input.full_name.trim(),
    organizationId: input.organization_id,
    token: input.invitation_token ?? null,
    code: input.code,
  }
  await requireUncommonPassword(deps.settings, input.password, 'body.password')
  deps.throttle.checkClaimant({ account: applicant.email, address: applicant.ipAddress })
  requireOpenOrganization(deps, applicant.organizationId)
  requirePolicy(deps, applicant)
  if (applicant.token !== null) await requireInvitation(deps, applicant, applicant.token)
  const known = findUserByEmail(deps, applicant.email)
  // The email may have been registered by another request in the meantime.
  return (
    (known ? null : await registerNew(deps, parts, applicant)) ??
    (await registerKnown(deps, parts, applicant))
  )
}

/**
 * Checks the organization's current registration policy. Throws ForbiddenError
 * `registration_closed` or `invitation_required`.
 */
function requirePolicy(deps: Deps, { organizationId, token }: Applicant): void {
  const { registrationPolicy } = getOrganization({ ...deps, organizationId })
  if (registrationPolicy === 'closed')
    throw new ForbiddenError('This organization does not accept registrations.', {
      code: 'registration_closed',
    })
  const isOpen = registrationPolicy === 'open' && deps.settings.hasOpenRegistration
  if (!isOpen && token === null)
    throw new ForbiddenError('This organization requires an invitation.', {
      code: 'invitation_required',
    })
}

async function requireInvitation(deps: Deps, applicant: Applicant, token: string): Promise<void> {
  const row = await requireOpenInvitation(deps, token, applicant.ipAddress)
  if (row.organizationId !== applicant.organizationId) throw invitationInvalid()
  requireInvitedEmail(row, applicant.email)
}

/** Creates account and membership. Returns `null` if the email was taken in the meantime. */
async function registerNew(
  deps: Deps,
  parts: AuthParts,
  applicant: Applicant,
): Promise<Registered | null> {
  const passwordHash = await parts.hasher.hash(applicant.password, applicant)
  const id = deps.ids.next()
  const opening = await prepareSession(deps, parts, { ...applicant, userId: id })
  const isCreated = transact(deps.db, (tx) => {
    if (findUserByEmail(deps, applicant.email)) return false
    createUserIn(tx, deps, {
      id,
      email: applicant.email,
      passwordHash,
      fullName: applicant.fullName,
      homeOrganizationId: applicant.organizationId,
      isSuperAdmin: false,
      mustChangePassword: false,
    })
    enterIn(tx, deps, applicant, { userId: id, isNew: true })
    opening.storeIn(tx)
    return true
  })
  return isCreated ? answer(deps, id, applicant, opening) : null
}

/** Adds the owner of an existing account, who must sign in with its password. */
async function registerKnown(
  deps: Deps,
  parts: AuthParts,
  applicant: Applicant,
): Promise<Registered> {
  const { email, ipAddress, organizationId } = applicant
  const user = await verifyPassword(deps, parts, {
    email,
    password: applicant.password,
    origin: applicant,
  })
  if (!user)
    throw new ConflictError(
      'An account with this email already exists. Sign in, or join with the password of that ' +
        'account.',
      {
        code: 'email_taken',
      },
    )
  const failedIn = (tx: Tx): void => recordFailedSignInIn(tx, deps, user, applicant)
  await requireSecondFactor(deps, user, { code: applicant.code, address: ipAddress, failedIn })
  requireEnabled(user)
  requireMayJoin(personCtx(deps, user, { organizationId, origin: applicant }), user.id)
  const opening = await prepareSession(deps, parts, { ...applicant, userId: user.id })
  transact(deps.db, (tx) => {
    const now = findUser(deps, user.id)
    if (!now || now.isDisabled || now.passwordHash !== user.passwordHash)
      throw new UnauthorizedError('The account was changed in the meantime. Try again.', {
        code: 'account_disabled',
      })
    requireMayJoin(personCtx(deps, now, { organizationId, origin: applicant }), now.id)
    enterIn(tx, deps, applicant, { userId: now.id, isNew: false })
    opening.storeIn(tx)
    return true
  })
  return answer(deps, user.id, applicant, opening)
}

/**
 * Creates the membership, by invitation or with the default role, in the caller's transaction.
 * Checks the registration policy again, because it may have changed.
 */
function enterIn(
  tx: Tx,
  deps: Deps,
  applicant: Applicant,
  { userId, isNew }: { userId: string; isNew: boolean },
): void {
  const user = findUser(deps, userId)
  if (!user) throw new NotFoundError('User')
  const ctx = personCtx(deps, user, { organizationId: applicant.organizationId, origin: applicant })
  requirePolicy(deps, applicant)
  const role =
    applicant.token === null
      ? chosenRole(ctx, undefined)
      : markInvitationAcceptedIn(tx, ctx, applicant.token, user)
  const fact = { resourceType: 'user', resourceId: userId, resourceName: user.fullName }
  const account = {
    email: user.email,
    full_name: user.fullName,
    role: role.name,
    is_active: true,
    is_super_admin: false,
  }
  if (isNew) recordAudit(tx, ctx, { ...fact, action: 'created', changes: differences({}, account) })
  joinIn(tx, ctx, user, { role, isOwnWish: true })
  recordLoginIn(tx, deps, userId, null)
  deps.throttle.admitIn(tx, { account: user.email, address: applicant.ipAddress })
  recordAudit(tx, ctx, { ...fact, action: 'signed_in' })
}

async function answer(
  deps: Deps,
  userId: string,
  { organizationId }: Applicant,
  opening: PreparedSession,
): Promise<Registered> {
  const user = findUser(deps, userId)
  if (!user) throw new NotFoundError('User')
  const identity = identityOf(deps, user, organizationId)
  const { id, email, fullName } = user
  return {
    user: {
      id,
      email,
      full_name: fullName,
      organization_id: organizationId,
      role: { id: identity.role.id, name: identity.role.name },
    },
    ...(await opening.pair(identity)),
  }
}
