import type { Ctx } from './ctx'
import type { Tx } from './db'
import { enqueue } from './jobs/enqueue'
import { MAIL_PLACE, sendMailJob, type LinkMail } from './jobs/mail'

/** Whether mail can be sent at all; otherwise links are handed over by people. */
export const canMail = (ctx: Pick<Ctx, 'settings'>): boolean => ctx.settings.smtpUrl !== null

/**
 * Has a link mailed, in the transaction of what made the link: both happen or neither. Address and link wait encrypted. Returns
 * whether there is a mail server to hand it to.
 */
export function queueMail(tx: Tx, ctx: Ctx, mail: LinkMail): boolean {
  if (!canMail(ctx)) return false
  enqueue(tx, ctx, sendMailJob, { args: { sealed: ctx.vault.seal(JSON.stringify(mail), MAIL_PLACE), expiresAtMs: mail.expiresAtMs } })
  return true
}
