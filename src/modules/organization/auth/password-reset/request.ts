import { InvalidError, UnavailableError } from '../../../../lib/errors'
import { normalEmail } from '../../../../lib/fields'
import {
  INSTALLATION,
  systemCtx,
  type Ctx,
  type Deps,
  type RequestOrigin,
} from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { canMail } from '../../../../infra/mail/queue'
import { recordAudit } from '../../audit/record'
import { notifyIn } from '../../notifications/service'
import { requireUncommonPassword } from '../../users/password'
import { findUser, updateUserIn } from '../../users/service'
import { personCtx } from '../authenticate'
import type { AuthParts } from '../issue-tokens'
import { MailResetLink } from '../jobs'
import { canStillReset, recordElsewhereIn } from '../admin-access/service'
import { sealEmail } from './seal-email'
import { dropResetLinksIn, findResetLink, redeemResetTokenIn } from './links'
import { endSessionsOfUserIn } from '../sessions'
import { membershipsOf } from '../../memberships/find'
import { noticeText } from '../../notifications/catalog'

/**
 * Enqueues an email with a password reset link if a user has this email. Work and duration are the
 * same for every email. Throws UnavailableError `mail_not_configured`, and RateLimitedError after
 * five requests in 15 minutes.
 */
export function requestPasswordReset(
  deps: Deps,
  input: { email: string; ipAddress: string },
): void {
  if (!canMail(deps))
    throw new UnavailableError(
      'This server cannot send email. Ask an administrator for a password reset link.',
      300,
      {
        code: 'mail_not_configured',
      },
    )
  const email = normalEmail(input.email)
  deps.throttle.check('mail:account', email)
  deps.throttle.check('mail:address', input.ipAddress)
  deps.throttle.fail('mail:account', email)
  deps.throttle.fail('mail:address', input.ipAddress)
  transact(deps.db, (tx) =>
    enqueue(tx, systemCtx(deps, INSTALLATION), MailResetLink, {
      args: { sealed: sealEmail(deps, email) },
    }),
  )
}

const resetInvalid = (): InvalidError =>
  new InvalidError('This link is invalid or has expired. Request a new one.', {
    code: 'reset_invalid',
    errors: [{ path: 'body.token', message: 'is unknown, used or expired' }],
  })

/**
 * Sets a new password with the token of a link. Ends all sessions and does not sign in. Throws
 * InvalidError `reset_invalid` or `password_too_common` (the token stays valid then), and
 * RateLimitedError.
 */
export async function resetPassword(
  deps: Deps,
  parts: AuthParts,
  input: { token: string; newPassword: string; origin: RequestOrigin },
): Promise<void> {
  const { token, newPassword, origin } = input
  await requireUncommonPassword(deps.settings, newPassword, 'body.new_password')
  const claimant = { account: null, address: origin.ipAddress }
  if (!(await deps.throttle.prove(claimant, async () => userOfGoodLink(deps, token) !== null)))
    throw resetInvalid()
  const userId = userOfGoodLink(deps, token)
  if (userId === null) throw resetInvalid()
  const passwordHash = await parts.hasher.hash(newPassword, {
    organizationId: organizationOf(deps, userId),
  })
  transact(deps.db, (tx) => {
    if (userOfGoodLink(deps, token) !== userId || !redeemResetTokenIn(tx, deps, token))
      throw resetInvalid()
    dropResetLinksIn(tx, userId)
    updateUserIn(tx, deps, userId, { passwordHash, mustChangePassword: false })
    endSessionsOfUserIn(tx, deps, userId, { reason: 'password_reset' })
    recordResetIn(tx, deps, userId, origin)
  })
}

/**
 * Returns the user of a link's token, or `null` if the token is invalid or its creator may no
 * longer create such a link.
 */
function userOfGoodLink(deps: Deps, token: string): string | null {
  const link = findResetLink(deps, token)
  if (!link) return null
  const { userId, issuer } = link
  return issuer === null || canStillReset(deps, userId, issuer) ? userId : null
}

/** Returns the organization that manages a user, otherwise the default one. */
const organizationOf = (deps: Deps, userId: string): string | null =>
  findUser(deps, userId)?.homeOrganizationId ??
  membershipsOf(deps, userId)[0]?.organizationId ??
  null

/**
 * Records the reset in the organization that manages the user, otherwise in the user's default
 * organization.
 */
function recordResetIn(tx: Tx, deps: Deps, userId: string, origin: RequestOrigin): void {
  const user = findUser(deps, userId)
  const organizationId = organizationOf(deps, userId)
  if (!user || organizationId === null) return
  const ctx: Ctx = personCtx(deps, user, { organizationId, origin })
  recordAudit(tx, ctx, {
    action: 'password_reset',
    resourceType: 'user',
    resourceId: userId,
    resourceName: user.fullName,
  })
  recordElsewhereIn(tx, ctx, 'password_reset', user)
  notifyIn(tx, ctx, {
    userId,
    kind: 'credentials_changed',
    severity: 'warning',
    title: 'Your password was changed',
    text: noticeText('password_reset'),
    body:
      'A password reset link was used. If you did not do this, contact an administrator ' +
      'immediately.',
  })
}
