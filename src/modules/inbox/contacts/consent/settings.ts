import { eq } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import { foldText } from '../../../../lib/fold-text'
import { withoutInvisible } from '../../../../lib/typed-text'
import { fieldSentence, InvalidError, type FieldProblem } from '../../../../lib/errors'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import { transact } from '../../../../infra/db/transact'
import { asRule } from '../../../../infra/liquid/liquid'
import { differences, recordAudit } from '../../../organization/audit/record'
import type { ConsentSettings, ConsentSettingsChanges, ConsentSettingsView } from './model'
import { OUR_WORDS } from './our-words'
import { consentSettings } from './table'

const ALL_WORDS = Object.values(OUR_WORDS)

/** Default keywords and replies: the opt-out words of all languages, confirmed in our words. */
const USUAL: ConsentSettings = {
  opt_out_keywords: [
    ...new Set(ALL_WORDS.flatMap(({ clear, ambiguous }) => [...clear, ...ambiguous])),
  ],
  opt_in_keywords: ['START', 'SUBSCRIBE'],
  opt_out_reply: null,
  opt_in_reply: null,
}

const ofOrganization = compiled((orm) =>
  orm.select().from(consentSettings).where(inOrganization(anyScope, consentSettings)).prepare(),
)

/** Returns the organization's opt-out and opt-in keywords and their replies. */
export const consentSettingsOf = (ctx: Pick<Ctx, 'db' | 'organizationId'>): ConsentSettings =>
  settingsIn(rowOf(ctx))

/** Returns the keywords and replies as the API shows them, with the time of their last change. */
export function consentSettingsView(ctx: Pick<Ctx, 'db' | 'organizationId'>): ConsentSettingsView {
  const row = rowOf(ctx)
  return { ...settingsIn(row), updated_at: isoTime(row?.updatedAtMs ?? 0) }
}

type Row = typeof consentSettings.$inferSelect

const rowOf = ({ db, organizationId }: Pick<Ctx, 'db' | 'organizationId'>): Row | undefined =>
  ofOrganization(db).get({ organizationId })

function settingsIn(row: Row | undefined): ConsentSettings {
  if (!row) return USUAL
  return {
    opt_out_keywords: JSON.parse(row.optOutKeywords) as string[],
    opt_in_keywords: JSON.parse(row.optInKeywords) as string[],
    opt_out_reply: row.optOutReply,
    opt_in_reply: row.optInReply,
  }
}

/**
 * Updates the keywords; omitted fields stay unchanged. Throws InvalidError for blank keywords, for
 * a keyword in both lists, and for replies that are no templates.
 */
export function updateConsentSettings(
  ctx: Ctx,
  changes: ConsentSettingsChanges,
): ConsentSettingsView {
  return transact(ctx.db, (tx) => {
    const before = consentSettingsOf(ctx)
    const after = { ...before, ...changes, ...keywordsOf(ctx, changes, before) }
    const row = {
      optOutKeywords: JSON.stringify(after.opt_out_keywords),
      optInKeywords: JSON.stringify(after.opt_in_keywords),
      optOutReply: after.opt_out_reply,
      optInReply: after.opt_in_reply,
      updatedAtMs: ctx.clock.nowMs(),
    }
    tx.insert(consentSettings)
      .values({ organizationId: ctx.organizationId, ...row })
      .onConflictDoUpdate({
        target: consentSettings.organizationId,
        set: row,
        setWhere: eq(consentSettings.organizationId, ctx.organizationId),
      })
      .run()
    const changed = differences(before, after)
    if (changed.length > 0)
      recordAudit(tx, ctx, {
        action: 'updated',
        resourceType: 'consent_settings',
        resourceId: null,
        resourceName: null,
        changes: changed,
      })
    return consentSettingsView(ctx)
  })
}

/** Punctuation, symbols and spaces, which do not tell words apart. */
const BETWEEN_WORDS = /[\p{P}\p{S}\s]+/gu

/**
 * Returns a keyword, or a message that may be one, as they are compared: without case, accents,
 * punctuation and symbols, unless it is nothing else.
 */
export function comparedWord(text: string): string {
  const folded = foldText(withoutInvisible(text))
  return folded.replaceAll(BETWEEN_WORDS, ' ').trim() || folded
}

const AMBIGUOUS = new Set(ALL_WORDS.flatMap(({ ambiguous }) => ambiguous).map(comparedWord))

/** Whether a word that was compared may also answer a question. */
export const isAmbiguous = (word: string): boolean => AMBIGUOUS.has(word)

/** The words of each language, as they are compared. */
const BY_LANGUAGE = Object.entries(OUR_WORDS).map(([language, { clear, ambiguous }]) => ({
  language,
  words: new Set([...clear, ...ambiguous].map(comparedWord)),
}))

/** Returns the language of an opt-out word that only one language has, else `null`. */
export function languageOfWord(word: string): string | null {
  const found = BY_LANGUAGE.filter(({ words }) => words.has(word))
  // STOP is understood everywhere, and says nothing about the language.
  const [only] = found.length === 1 && found[0]?.language !== 'en' ? found : []
  return only?.language ?? null
}

/** The replies, which are templates. */
export const REPLIES = ['opt_out_reply', 'opt_in_reply'] as const

/** Returns the keywords of both lists, trimmed and without duplicates. */
function keywordsOf(
  ctx: Pick<Ctx, 'liquid'>,
  changes: ConsentSettingsChanges,
  before: ConsentSettings,
): Pick<ConsentSettings, 'opt_out_keywords' | 'opt_in_keywords'> {
  const problems: FieldProblem[] = []
  const listOf = (field: 'opt_out_keywords' | 'opt_in_keywords'): string[] => {
    const words = (changes[field] ?? before[field]).map((word) => word.trim())
    for (const [index, word] of words.entries())
      if (comparedWord(word) === '')
        problems.push({ path: `body.${field}.${index}`, message: 'must not be blank' })
    return [...new Map(words.map((word) => [comparedWord(word), word])).values()]
  }
  const lists = {
    opt_out_keywords: listOf('opt_out_keywords'),
    opt_in_keywords: listOf('opt_in_keywords'),
  }
  const out = new Set(lists.opt_out_keywords.map(comparedWord))
  const both = lists.opt_in_keywords.findIndex((word) => out.has(comparedWord(word)))
  if (both >= 0)
    problems.push({ path: `body.opt_in_keywords.${both}`, message: 'is also an opt-out keyword' })
  for (const field of REPLIES) {
    const problem = ctx.liquid.templateProblem(changes[field] ?? '')
    if (problem !== null) problems.push({ path: `body.${field}`, message: asRule(problem) })
  }
  const [first] = problems
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), {
      code: 'invalid_input',
      errors: problems,
    })
  return lists
}
