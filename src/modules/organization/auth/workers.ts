import { HOUR_MS } from '../../../lib/clock'
import { systemCtx } from '../../../infra/ctx'
import { workInTransaction } from '../../../infra/jobs/work'
import { queueMail } from '../../../infra/mail/queue'
import { findOnlyLook } from '../organizations/logo'
import { findUserByEmail } from '../users/service'
import { MailResetLink } from './jobs'
import { newResetLinkIn } from './password-reset/links'
import { openEmail } from './password-reset/seal-email'

/** Lifetime of a link sent by email. */
const MAILED_LINK_MS = HOUR_MS

export const authWorkers = [
  workInTransaction(
    MailResetLink,
    (tx, ctx, { sealed }) => {
      const user = findUserByEmail(ctx, openEmail(ctx, sealed))
      if (!user || user.isDisabled) return
      const { url, expiresAtMs } = newResetLinkIn(tx, ctx, {
        userId: user.id,
        livesMs: MAILED_LINK_MS,
      })
      const look = findOnlyLook(ctx)
      queueMail(tx, systemCtx(ctx, ctx.organizationId), {
        to: user.email,
        kind: 'password_reset',
        link: url,
        expiresAtMs,
        ...(look && { logo: { url: ctx.settings.baseUrl + look.logoUrl, alt: look.name } }),
      })
    },
    { isKept: false },
  ),
]
