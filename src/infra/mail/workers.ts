import { MINUTE_MS } from '../../lib/clock'
import { printable } from '../../lib/printable'
import type { Ctx } from '../ctx'
import { work, type Outcome } from '../jobs/work'
import { SendMail } from './jobs'
import { htmlOf } from './html'
import { openMail, type LinkMail, type QueuedMail } from './link-mail'
import { canMail } from './queue'
import { mailTrouble, openSmtp } from './smtp'

/** A mail that could not be sent is shown among the failed jobs. */
const sendMail = work(
  SendMail,
  (ctx, { sealed, expiresAtMs }) => send(ctx, { mail: openMail(ctx, sealed), expiresAtMs }),
  { timeoutMs: MINUTE_MS },
)

export const mailWorkers = [sendMail]

async function send(
  ctx: Ctx,
  { mail, expiresAtMs }: { mail: QueuedMail; expiresAtMs: number },
): Promise<Outcome> {
  if (!canMail(ctx)) return { giveUp: 'no mail server is configured any more' }
  if (expiresAtMs <= ctx.clock.nowMs())
    return { giveUp: 'the link expired before the email could be sent' }
  const smtp = await openSmtp(ctx.settings)
  try {
    const { subject, before, after } = textOf(mail)
    const text = `${before}\n\n${mail.link}\n${after === null ? '' : `\n${after}\n\n`}`
    const html = mail.logo && htmlOf({ ...mail, logo: mail.logo, subject, before, after })
    await smtp.send({ to: mail.to, subject, text, ...(html === undefined ? {} : { html }) })
    return undefined
  } catch (error) {
    const { isFinal, reason } = mailTrouble(error)
    if (isFinal) return { giveUp: reason }
    throw new Error(reason, { cause: null })
  } finally {
    smtp.close()
  }
}

const TEXTS: Record<
  LinkMail['kind'],
  (mail: LinkMail) => { subject: string; lead: string; tail: string }
> = {
  password_reset: () => ({
    subject: 'Reset your password',
    lead: 'We received a request to reset your password. Set a new one here:',
    tail: 'If you did not request this, ignore this email. Your password has not changed.',
  }),
  invitation: ({ organizationName = 'an organization' }) => ({
    subject: `Invitation to ${organizationName}`,
    lead: `You are invited to join ${organizationName}. Accept the invitation here:`,
    tail: 'If you were not expecting this invitation, ignore this email.',
  }),
}

const END = new Intl.DateTimeFormat('en-GB', {
  ...{ dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' },
})

/** What a mail says before and after its link. */
function textOf(mail: QueuedMail): { subject: string; before: string; after: string | null } {
  if (mail.kind === 'notice') return { subject: mail.subject, before: mail.text, after: null }
  const name = mail.organizationName?.replace(/\s+/g, ' ')
  const { subject, lead, tail } = TEXTS[mail.kind](
    name === undefined ? mail : { ...mail, organizationName: printable(name) },
  )
  return {
    subject,
    before: lead,
    after: `The link can be used once, until ${END.format(mail.expiresAtMs)} (UTC).\n${tail}`,
  }
}
