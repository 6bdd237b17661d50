import { and, eq, inArray, or, sql, type SQL } from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { foldText } from '../../../../lib/fold-text'
import { numberVariants, parsePhone, type CountryCode } from '../../../../lib/phone'
import { inOrganization } from '../../../../infra/ctx'
import { isFew, type IdSource } from '../../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { getOrganization } from '../../../organization/organizations/service'
import { contactIdentities, contacts } from '../table'
import { masksNumbers } from '../sight/visibility'
import { WORD } from './index-contact'
import { contactTerms, contactWords } from './table'

/** Further words of a search are ignored. */
const MAX_WORDS = 10

/** Number of last digits that stay visible and searchable in a masked number. */
const VISIBLE_DIGITS = 4

/** Minimum length of a complete number, in digits. */
export const MIN_WHOLE_NUMBER = 7

/** A text that is typed like a number. */
export const NUMBER = /^[\d\s+().*-]{2,40}$/

/** Sorts above every character of a word. */
export const MAX_CHARACTER = '\u{10FFFF}'

/** A parsed search by name or number. */
export interface Search {
  /**
   * Returns the condition that a contact matches the search. `column` is the contact's ID in the
   * query.
   */
  matches: (column: SQLiteColumn) => SQL
  /** A set of contacts that contains every match. */
  source: IdSource
}

type Scope = Pick<ReadCtx, 'db' | 'organizationId' | 'actor'>

/**
 * Parses a search text. Each word must begin a word of the contact's names, or its digits must be
 * part of a number. Callers with masked numbers find contacts only by the last four digits. Deleted
 * contacts are never found.
 */
export function findContacts(ctx: Scope, typed: string): Search {
  const text = foldText(typed)
  if (!WORD.test(text)) return bySymbols(ctx, text)
  const { condition, source } = NUMBER.test(text) ? byNumber(ctx, text) : byWords(ctx, text)
  return {
    matches: (column) =>
      sql`exists (select 1 from ${contactWords} where ${inOrganization(ctx, contactWords, eq(contactWords.contactId, column), condition)})`,
    source,
  }
}

interface IndexSearch {
  /** Condition on the rows of `contact_words`. */
  condition: SQL
  source: IdSource
}

const wordsIn = (text: string): string[] =>
  (text.match(new RegExp(WORD, 'gu')) ?? []).slice(0, MAX_WORDS)

const holdsWord = (word: string): SQL => sql`instr(${contactWords.words}, ${` ${word}`}) > 0`
const holdsWords = (words: string[]): SQL => and(...words.map(holdsWord)) ?? sql`0`

/** Matches a text of words, some of which may be numbers. */
function byWords(ctx: Scope, text: string): IndexSearch {
  const tokens = text.split(/\s+/u).slice(0, MAX_WORDS)
  const named = tokens.filter((token) => !NUMBER.test(token)).flatMap(wordsIn)
  const numbered = tokens
    .filter((token) => NUMBER.test(token) && wordsIn(token).length > 0)
    .map((token) => or(holdsWords(wordsIn(token)), holdsDigits(ctx, token) ?? undefined) ?? sql`0`)
  const condition = and(holdsWords(named), ...numbered) ?? sql`0`
  const byName = contactsByWords(ctx, named)
  // Reading the search index with the digits takes less than looking up all who have a common name.
  const isFrequent = numbered.length > 0 && !byName.isFew
  return { condition, source: isFrequent ? scanWords(ctx, condition) : byName }
}

/** Matches a number in any format, or a name that looks like one. */
function byNumber(ctx: Scope, text: string): IndexSearch {
  const words = wordsIn(text)
  const digits = holdsDigits(ctx, text)
  const byWord = contactsByWords(ctx, words)
  if (digits === null) return { condition: holdsWords(words), source: byWord }
  const condition = or(holdsWords(words), digits) ?? digits
  const whole = contactsWithNumber(ctx, text)
  return {
    condition,
    source: whole
      ? { ids: sql`${whole} union all ${byWord.ids}`, isFew: byWord.isFew }
      : scanWords(ctx, condition),
  }
}

/** Returns the contacts with the first of these word prefixes that few have, else with the first. */
function contactsByWords(ctx: Scope, words: string[]): IdSource {
  const sources = words.map(
    (word) =>
      sql`select ${contactTerms.contactId} from ${contactTerms} where ${inOrganization(ctx, contactTerms, sql`${contactTerms.term} >= ${word} and ${contactTerms.term} < ${word + MAX_CHARACTER}`)}`,
  )
  const few = sources.find((ids) => isFew(ctx, ids))
  return {
    ids: few ?? sources[0] ?? sql`select null where 0`,
    isFew: few !== undefined || words.length === 0,
  }
}

/** Returns the contacts whose words or digits match a condition: no index holds parts of numbers. */
const scanWords = (ctx: Scope, condition: SQL): IdSource => ({
  ids: sql`select ${contactWords.contactId} from ${contactWords} where ${inOrganization(ctx, contactWords, condition)}`,
  isFew: false,
  isScan: true,
})

/**
 * Returns the digits to search for: with and without the dialing prefix, and in every spelling of
 * the same number.
 */
export function digitVariants(
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  typed: string,
): string[] {
  const digits = typed.replace(/\D/g, '')
  if (digits.length < 2 || digits.length > 20) return []
  const withoutZeros = digits.replace(/^0{1,2}/, '')
  const country = getOrganization(ctx).defaultCountry
  const parsed = typed.includes('*')
    ? null
    : parsePhone(typed, country === null ? undefined : (country as CountryCode))
  return [
    ...new Set([
      digits,
      ...(withoutZeros.length >= 3 ? [withoutZeros] : []),
      ...(parsed === null ? [] : numberVariants(parsed)),
    ]),
  ]
}

/**
 * Returns the condition that a number contains the digits, or ends with them if the caller sees
 * masked numbers. Returns `null` if the digits must not match anything.
 */
function holdsDigits(ctx: Scope, typed: string): SQL | null {
  if (!masksNumbers(ctx)) {
    const forms = digitVariants(ctx, typed)
    return forms.length === 0
      ? null
      : (or(...forms.map((form) => sql`instr(${contactWords.digits}, ${form}) > 0`)) ?? null)
  }
  const digits = typed.replace(/\D/g, '')
  if (digits.length < 2 || digits.length > VISIBLE_DIGITS) return null
  return sql`instr(${contactWords.digits}, ${`${digits} `}) > 0`
}

/**
 * Selects the contacts with exactly this number; `null` if there are none. Digits inside other
 * numbers do not match.
 */
function contactsWithNumber(ctx: Scope, typed: string): SQL | null {
  const forms = masksNumbers(ctx)
    ? []
    : digitVariants(ctx, typed).filter((form) => form.length >= MIN_WHOLE_NUMBER)
  if (forms.length === 0) return null
  const ids = sql`select ${contactIdentities.contactId} from ${contactIdentities} where ${inOrganization(ctx, contactIdentities, and(eq(contactIdentities.kind, 'phone'), inArray(contactIdentities.value, forms)))}`
  return ctx.db.orm.get(ids) === undefined ? null : ids
}

/**
 * Matches symbols that are neither letters nor digits. No index holds them, so the names themselves
 * are searched.
 */
function bySymbols(ctx: Scope, text: string): Search {
  const named = alias(contacts, 'named')
  const names = sql`coalesce(${named.name}, '') || char(10) || coalesce(${named.profileName}, '') || char(10) || coalesce(${named.username}, '')`
  const holders = (condition?: SQL): SQL =>
    sql`select ${named.id} from ${contacts} as ${sql.identifier('named')} where ${inOrganization(ctx, named, condition, sql`instr(${names}, ${text}) > 0`)}`
  return {
    matches: (column) => sql`exists (${holders(eq(named.id, column))})`,
    source: { ids: holders(), isFew: false, isScan: true },
  }
}
