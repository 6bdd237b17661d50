import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { comparedWord, consentSettingsOf } from './settings'
import { newestFact, appendConsentIn } from './ledger'

/**
 * Records an opt-out or opt-in if the text is one of the organization's keywords. Returns `null` for
 * any other text, else the reply to send: `null` if a later keyword counts. Runs inside the message's
 * transaction, before anything else handles the message (inbound contract 10).
 */
export function consentKeywordIn(
  tx: Tx,
  ctx: Ctx,
  incoming: {
    contactId: string
    text: string
    messageId: string
    atMs: number
    /** The only state that counts; by default both. */
    only?: 'opted_out' | 'opted_in'
  },
): { reply: string | null } | null {
  const text = comparedWord(incoming.text)
  if (text === '' || text.length > 100) return null
  const settings = consentSettingsOf(ctx)
  const isOne = (words: string[]): boolean => words.some((word) => comparedWord(word) === text)
  const state = isOne(settings.opt_out_keywords)
    ? 'opted_out'
    : isOne(settings.opt_in_keywords)
      ? 'opted_in'
      : null
  if (state === null || state !== (incoming.only ?? state)) return null
  const { contactId, messageId, atMs } = incoming
  appendConsentIn(tx, ctx, { contactId, state, source: 'keyword', messageId, atMs })
  if (newestFact(ctx.db).get({ organizationId: ctx.organizationId, contactId })?.state !== state)
    return { reply: null }
  return { reply: state === 'opted_out' ? settings.opt_out_reply : settings.opt_in_reply }
}
