import {
  ConflictError,
  ForbiddenError,
  NotFoundError,
  UnauthorizedError,
} from '../../../../lib/errors'
import { siteOf } from '../../../../lib/address'
import { normalEmail } from '../../../../lib/fields'
import type { Ctx, Deps, RequestOrigin } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
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
import { findAdmins } from '../../memberships/admins'
import { notifyIn } from '../../notifications/service'
import {
  findOrganization,
  getOrganization,
  requireOpenOrganization,
} from '../../organizations/service'
import { requireUncommonPassword } from '../../users/password'
import {
  createUserIn,
  findUser,
  findUserByEmail,
  recordLoginIn,
  type UserRow,
} from '../../users/service'
import { chosenRole } from '../queries'
import { joinIn } from '../add'
import { wasRemovedLately } from '../removals'
import {
  invitationInvalid,
  requireInvitedEmail,
  requireMayJoin,
  requirePendingInvitation,
  markInvitationAcceptedIn,
} from '../invitations/accept'
import type { RegisteredUser, Registration } from './model'
import { noticeText } from '../../notifications/catalog'

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
 * that has this email. Checks in order: the form, the rate limit, the invitation, the password and
 * second factor of an account with this email, and only then the organization and its registration
 * policy, so that nobody learns by wrong input which organizations exist. An unknown one counts as a
 * failure. Throws InvalidError, RateLimitedError, NotFoundError, ForbiddenError `invitation_required`, `registration_closed`,
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
  deps.throttle.check(UNKNOWN_ORGANIZATIONS, siteOf(applicant.ipAddress))
  if (applicant.token !== null) await requireInvitation(deps, applicant, applicant.token)
  const known = findUserByEmail(deps, applicant.email)
  const owner = known && (await requireOwner(deps, parts, applicant))
  await requireKnownOrganization(deps, applicant)
  requireOpenOrganization(deps, applicant.organizationId)
  requirePolicy(deps, applicant)
  if (owner) return registerKnown(deps, parts, applicant, owner)
  // The email may have been registered by another request in the meantime.
  return (
    (await registerNew(deps, parts, applicant)) ??
    (await registerKnown(deps, parts, applicant, await requireOwner(deps, parts, applicant)))
  )
}

/** Counts unknown organizations over all addresses of a site. */
const UNKNOWN_ORGANIZATIONS = 'organization:site'

/** Counts an unknown organization as a failure of the address and of its site. */
async function requireKnownOrganization(
  deps: Deps,
  { organizationId, ipAddress: address }: Applicant,
): Promise<void> {
  const isKnown = await deps.throttle.prove(
    { account: null, address },
    async () => findOrganization(deps, organizationId) !== null,
  )
  if (isKnown) return
  deps.throttle.fail(UNKNOWN_ORGANIZATIONS, siteOf(address))
  throw new NotFoundError('Organization')
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
  if (!isOpen && token === null) throw invitationRequired()
}

const invitationRequired = (): ForbiddenError =>
  new ForbiddenError('This organization requires an invitation.', { code: 'invitation_required' })

async function requireInvitation(deps: Deps, applicant: Applicant, token: string): Promise<void> {
  const row = await requirePendingInvitation(deps, token, applicant.ipAddress)
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

/** Returns the owner of an existing account, who must sign in with its password. */
async function requireOwner(deps: Deps, parts: AuthParts, applicant: Applicant): Promise<UserRow> {
  const { email, ipAddress } = applicant
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
  return user
}

/** Adds the owner of an existing account. */
async function registerKnown(
  deps: Deps,
  parts: AuthParts,
  applicant: Applicant,
  user: UserRow,
): Promise<Registered> {
  const { organizationId } = applicant
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
  const isInvited = applicant.token !== null
  if (!isInvited && wasRemovedLately(ctx, userId)) throw invitationRequired()
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
  joinIn(tx, ctx, user, { role, isOwnWish: true, isConfirmed: isInvited })
  if (!isInvited) tellAdminsIn(tx, ctx, user)
  recordLoginIn(tx, deps, userId, null)
  deps.throttle.admitIn(tx, { account: user.email, address: applicant.ipAddress })
  recordAudit(tx, ctx, { ...fact, action: 'signed_in' })
}

/** Tells the admins that a person joined whom nobody invited. */
function tellAdminsIn(tx: Tx, ctx: Ctx, { id, fullName, email }: UserRow): void {
  for (const userId of findAdmins(ctx))
    if (userId !== id)
      notifyIn(tx, ctx, {
        userId,
        kind: 'member_registered',
        severity: 'warning',
        title: `${fullName} joined without an invitation`,
        text: noticeText('member_registered', { name: fullName, email }),
        body:
          `${email} joined with the ID of the organization and sees no customers until you confirm the ` +
          'person. Remove the person if you do not know this address.',
        link: '/settings/people',
      })
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
