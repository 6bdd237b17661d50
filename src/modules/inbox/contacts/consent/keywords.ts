import { languageAmong, languageOfCountry } from '../../../../lib/by-language'
import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { runHooks } from '../../../../infra/transaction-hooks'
import { organizationLanguage } from '../../../organization/memberships/founder'
import { botContact } from '../texts/bot-contact'
import { ConsentWordSaid } from '../events'
import { renderSettingText } from '../texts/render-text'
import { findContact } from '../service'
import type { ConsentSettings } from './model'
import { OUR_WORDS } from './our-words'
import { comparedWord, consentSettingsOf, isAmbiguous, languageOfWord } from './settings'
import { newestFact, appendConsentIn } from './ledger'

type Consent = 'opted_out' | 'opted_in'

/**
 * Records an opt-out or opt-in if the text is one of the organization's keywords. Returns `null` for
 * any other text, and for a word that answers a question of the bot; else the reply to send: `null`
 * if there is none or a later keyword counts. Runs inside the message's transaction, before anything
 * else handles the message (inbound contract 10).
 */
export function consentKeywordIn(
  tx: Tx,
  ctx: Ctx,
  incoming: {
    contactId: string
    accountId: string
    text: string
    messageId: string
    atMs: number
    /** The only state that counts; by default both. */
    only?: Consent
    /** Whether it may answer a question of the bot. */
    mayAnswer: boolean
  },
): { reply: string | null } | null {
  const word = comparedWord(incoming.text)
  if (word === '' || word.length > 100) return null
  const settings = consentSettingsOf(ctx)
  const state = meanings(settings).get(word)
  if (state === undefined || state !== (incoming.only ?? state)) return null
  if (incoming.mayAnswer && isAnswerIn(tx, ctx, incoming, word)) return null
  const { contactId, messageId, atMs } = incoming
  appendConsentIn(tx, ctx, { contactId, state, source: 'keyword', messageId, atMs })
  if (newestFact(ctx.db).get({ organizationId: ctx.organizationId, contactId })?.state !== state)
    return { reply: null }
  return { reply: replyTo(ctx, contactId, { settings, state, word, text: incoming.text }) }
}

/** Returns what the keywords of these settings mean, by the keyword as it is compared. */
export const meanings = (
  settings: Pick<ConsentSettings, 'opt_out_keywords' | 'opt_in_keywords'>,
): ReadonlyMap<string, Consent> =>
  new Map([
    ...settings.opt_in_keywords.map((word) => [comparedWord(word), 'opted_in'] as const),
    ...settings.opt_out_keywords.map((word) => [comparedWord(word), 'opted_out'] as const),
  ])

/** Whether a word answers a question that is open: it is offered there, or it is ambiguous. */
function isAnswerIn(
  tx: Tx,
  ctx: Ctx,
  { contactId, accountId, text }: { contactId: string; accountId: string; text: string },
  word: string,
): boolean {
  const question = { isOpen: false, isOffered: false }
  runHooks(tx, ctx, ConsentWordSaid, { contactId, accountId, text, question })
  return question.isOffered || (question.isOpen && isAmbiguous(word))
}

/**
 * Returns the organization's own reply, or ours in the customer's language; `null` for none. Ours is
 * also sent in place of an own reply that cannot be rendered.
 */
function replyTo(
  ctx: Ctx,
  contactId: string,
  {
    settings,
    state,
    word,
    text,
  }: { settings: ConsentSettings; state: Consent; word: string; text: string },
): string | null {
  const own = state === 'opted_out' ? settings.opt_out_reply : settings.opt_in_reply
  if (own === '') return null
  const contact = findContact(ctx, contactId)
  const told = own !== null && contact ? renderSettingText(ctx, contact, own, text) : null
  if (told !== null) return told
  const language = languageAmong(OUR_WORDS, [
    contact?.language ?? null,
    languageOfWord(word),
    botContact(ctx, contact).language,
    languageOfCountry(contact?.country ?? null),
    organizationLanguage(ctx),
  ])
  const ours = OUR_WORDS[language]
  if (!ours) return null
  if (state === 'opted_in') return ours.in
  const [back] = settings.opt_in_keywords
  return back === undefined ? ours.out : `${ours.out} ${ours.back.replace('{word}', () => back)}`
}
