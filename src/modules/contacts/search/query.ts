import { and, eq, inArray, or, sql, type SQL } from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { fold } from '../../../lib/fold-text'
import { numberVariants, parsePhone, type CountryCode } from '../../../lib/phone'
import type { Candidates } from '../../../infra/bounded-list'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { getOrganization } from '../../organizations/service'
import { contactsByAllWords, contactsByIds, contactsByWords, eitherOf } from './candidates'
import { WORD } from './index-contact'
import { contactIdentities, contacts, contactWords } from '../table'
import { masksNumbers } from '../visibility'

/** Words of a search beyond these are not looked at. */
const MAX_WORDS = 10

/** Of a masked number so many last digits are shown, and can be found. */
const SHOWN_DIGITS = 4

/** So many digits may be a whole number. */
const WHOLE_NUMBER = 7

const NUMBER = /^[\d\s+().*-]{2,40}$/

/** What a search by name or number means. */
export interface Found {
  /**
   * The condition that a contact is among those found. `column` is the contact's id in the query.
   */
  matches: (column: SQLiteColumn) => SQL
  /** Contacts among which all those found are; `null` where any may be. */
  candidates: Candidates | null
}

type Scope = Pick<Ctx, 'db' | 'organizationId' | 'actor'>

/**
 * Reads what somebody typed to find contacts: each word begins a word of a contact's names, or
 * digits are a part of its number. Callers who see masked numbers find them by their last four
 * digits only. Deleted contacts have no words and are not found.
 */
export function findContacts(ctx: Scope, typed: string): Found {
  const text = fold(typed)
  if (!WORD.test(text)) return byOtherSigns(ctx, text)
  const { condition, candidates } = NUMBER.test(text) ? byNumber(ctx, text) : byWords(ctx, text)
  return {
    matches: (column) =>
      sql`exists (select 1 from ${contactWords} where ${inOrganization(ctx, contactWords, eq(contactWords.contactId, column), condition)})`,
    candidates,
  }
}

interface Meaning {
  /** On the words of a contact. */
  condition: SQL
  candidates: Candidates
}

const wordsIn = (text: string): string[] =>
  (text.match(new RegExp(WORD, 'gu')) ?? []).slice(0, MAX_WORDS)

const holdsWord = (word: string): SQL => sql`instr(${contactWords.words}, ${` ${word}`}) > 0`
const holdsWords = (words: string[]): SQL => and(...words.map(holdsWord)) ?? sql`0`

/** Words, some of which may be numbers. */
function byWords(ctx: Scope, text: string): Meaning {
  const parts = text.split(/\s+/u).slice(0, MAX_WORDS)
  const named = parts.filter((part) => !NUMBER.test(part)).flatMap(wordsIn)
  const numbered = parts
    .filter((part) => NUMBER.test(part) && wordsIn(part).length > 0)
    .map((part) => or(holdsWords(wordsIn(part)), holdsDigits(ctx, part) ?? undefined) ?? sql`0`)
  const candidates = contactsByAllWords(ctx, named) ?? contactsByIds([])
  return { condition: and(holdsWords(named), ...numbered) ?? sql`0`, candidates }
}

/** A number in any form, or a name that looks like one. */
function byNumber(ctx: Scope, text: string): Meaning {
  const words = wordsIn(text)
  const digits = holdsDigits(ctx, text)
  const byWord = contactsByAllWords(ctx, words) ?? contactsByIds([])
  if (digits === null) return { condition: holdsWords(words), candidates: byWord }
  const whole = contactsWithNumber(ctx, text)
  const byDigits = whole.length > 0 ? contactsByIds(whole) : contactsByWords(ctx, digits)
  return {
    condition: or(holdsWords(words), digits) ?? digits,
    candidates: eitherOf(byWord, byDigits),
  }
}

/**
 * The digits typed, as they may stand in a number: with and without what is dialled before it, and
 * in every spelling of the same number.
 */
function formsOf(ctx: Scope, typed: string): string[] {
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
 * The condition that digits stand anywhere in a number of a contact, or at its end for callers who
 * see no more; `null` when nothing may be found by them.
 */
function holdsDigits(ctx: Scope, typed: string): SQL | null {
  if (!masksNumbers(ctx)) {
    const forms = formsOf(ctx, typed)
    return forms.length === 0
      ? null
      : (or(...forms.map((form) => sql`instr(${contactWords.digits}, ${form}) > 0`)) ?? null)
  }
  const digits = typed.replace(/\D/g, '')
  if (digits.length < 2 || digits.length > SHOWN_DIGITS) return null
  return sql`instr(${contactWords.digits}, ${`${digits} `}) > 0`
}

/**
 * Ids of the contacts that have exactly this number; digits in the middle of other numbers are not
 * looked for then.
 */
function contactsWithNumber(ctx: Scope, typed: string): string[] {
  const forms = masksNumbers(ctx)
    ? []
    : formsOf(ctx, typed).filter((form) => form.length >= WHOLE_NUMBER)
  if (forms.length === 0) return []
  return ctx.db.orm
    .select({ id: contactIdentities.contactId })
    .from(contactIdentities)
    .where(
      inOrganization(
        ctx,
        contactIdentities,
        and(eq(contactIdentities.kind, 'phone'), inArray(contactIdentities.value, forms)),
      ),
    )
    .all()
    .map(({ id }) => id)
}

/**
 * Signs that are neither letters nor digits stand in no index: they are looked for in the names
 * themselves.
 */
function byOtherSigns(ctx: Scope, text: string): Found {
  const named = alias(contacts, 'named')
  const names = sql`coalesce(${named.name}, '') || char(10) || coalesce(${named.profileName}, '') || char(10) || coalesce(${named.username}, '')`
  const holds = (column: SQLiteColumn): SQL | undefined =>
    and(eq(named.id, column), sql`instr(${names}, ${text}) > 0`)
  return {
    matches: (column) =>
      sql`exists (select 1 from ${contacts} as ${sql.identifier('named')} where ${inOrganization(ctx, named, holds(column))})`,
    candidates: null,
  }
}
