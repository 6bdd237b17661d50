import type { Ctx } from '../ctx'
import type { Tx } from '../db/transact'
import { enqueue } from '../jobs/enqueue'
import { statesByKey } from '../jobs/inspect'
import { SendMail } from './jobs'
import { sealMail, type LinkMail } from './link-mail'

/** Whether a mail server is configured. Without one, people pass links on themselves. */
export const canMail = (ctx: Pick<Ctx, 'settings'>): boolean => ctx.settings.smtpUrl !== null

/**
 * Has a link mailed, in the transaction of what made the link: both happen or neither. Address and
 * link wait encrypted. Returns whether there is a mail server to hand it to. `about` names what the
 * mail is about, of which there is one mail: by it one can ask later what became of it.
 */
export function queueMail(tx: Tx, ctx: Ctx, mail: LinkMail, about?: string): boolean {
  if (!canMail(ctx)) return false
  enqueue(tx, ctx, SendMail, {
    args: {
      sealed: sealMail(ctx, mail),
      expiresAtMs: mail.expiresAtMs,
    },
    ...(about === undefined ? {} : { uniqueKey: keyOf(about) }),
  })
  return true
}

const keyOf = (about: string): string => `mail/${about}`

/**
 * What became of a mail: it waits for its first or next attempt, the mail server took it, or it was
 * given up.
 */
export type MailState = 'queued' | 'sent' | 'failed'

/**
 * What became of mails of the organization, by what they are about. One that was never written down
 * is missing, as is one that the mail server took more than a day ago; one that was given up is
 * known for a month.
 */
export function mailStates(ctx: Ctx, abouts: string[]): Map<string, MailState> {
  const states = statesByKey(ctx, { kind: SendMail.name, keys: abouts.map(keyOf) })
  return new Map(
    abouts.flatMap((about): [string, MailState][] => {
      const state = states.get(keyOf(about))
      if (state === undefined) return []
      if (state === 'completed') return [[about, 'sent']]
      return [[about, state === 'discarded' || state === 'cancelled' ? 'failed' : 'queued']]
    }),
  )
}
