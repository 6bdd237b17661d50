import { Type } from '@sinclair/typebox'

import { systemCtx, type Deps } from '../../infra/ctx'
import { defineTransactionJob } from '../../infra/jobs/define'
import { placeOfArgs } from '../../infra/jobs/reencrypt'
import { queueMail } from '../../infra/mail/queue'
import { HOUR_MS } from '../../lib/clock'
import { findUserByEmail } from '../users/service'
import { newResetLinkIn } from './password-reset/links'

const NAME = 'auth.mail-reset-link'
/** The e-mail waits encrypted in the place it waits in. */
const PLACE = placeOfArgs(NAME)

/** How long a mailed link works. */
const MAILED_LINK_MS = HOUR_MS

/** An e-mail address as the job below takes it. */
export const sealEmail = (deps: Pick<Deps, 'vault'>, email: string): string =>
  deps.vault.seal(email, PLACE)

/**
 * Makes a link for a new password and has it mailed, if the e-mail is of an account that can sign
 * in.
 */
export const mailResetLink = defineTransactionJob({
  name: NAME,
  lane: 'default',
  priority: 'high', // somebody waits for it
  args: Type.Object({ sealed: Type.String() }),
  isKept: false,
  run(tx, ctx, { sealed }) {
    const user = findUserByEmail(ctx, ctx.vault.open(sealed, PLACE))
    if (!user || user.isDisabled) return
    const { url, expiresAtMs } = newResetLinkIn(tx, ctx, {
      userId: user.id,
      livesMs: MAILED_LINK_MS,
    })
    queueMail(tx, systemCtx(ctx, ctx.organizationId), {
      to: user.email,
      kind: 'password_reset',
      link: url,
      expiresAtMs,
    })
  },
})
