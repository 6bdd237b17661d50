import type { Ctx } from '../ctx'
import type { Tx } from '../db/transact'
import { enqueue } from '../jobs/enqueue'
import { jobStatesByKey } from '../jobs/live-jobs'
import { SendMail } from './jobs'
import { sealMail, type QueuedMail } from './link-mail'

/** Whether a mail server is configured. Without one, people share links themselves. */
export const canMail = (ctx: Pick<Ctx, 'settings'>): boolean => ctx.settings.smtpUrl !== null

/**
 * Enqueues a mail with a link, in the transaction of its cause. Address and link are
 * encrypted. Returns `false` if no mail server is configured. `about` names the subject, which has
 * at most one mail; `mailStates` finds its state by it.
 */
export function queueMail(tx: Tx, ctx: Ctx, mail: QueuedMail, about?: string): boolean {
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

/** State of a mail: waiting for an attempt, accepted by the mail server, or discarded. */
export type MailState = 'queued' | 'sent' | 'failed'

/**
 * Returns the states of mails of the organization by their subjects. Unknown mails are missing, as
 * are mails sent more than a day ago and mails discarded more than a month ago.
 */
export function mailStates(ctx: Ctx, abouts: string[]): Map<string, MailState> {
  const states = jobStatesByKey(ctx, { kind: SendMail.name, keys: abouts.map(keyOf) })
  return new Map(
    abouts.flatMap((about): [string, MailState][] => {
      const state = states.get(keyOf(about))
      if (state === undefined) return []
      if (state === 'completed') return [[about, 'sent']]
      return [[about, state === 'discarded' || state === 'cancelled' ? 'failed' : 'queued']]
    }),
  )
}
