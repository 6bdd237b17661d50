import { inArray, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { fold } from '../../lib/fold'
import { numberVariants, parsePhone, type CountryCode } from '../../lib/phone'
import type { Ctx } from '../../infra/ctx'
import { getOrganization } from '../organizations/service'
import { backwards, scopeWord } from './indexing'
import { contactWords } from './table'
import { masksNumbers } from './visibility'

/** Words of a search beyond these are not looked at. */
const MOST_WORDS = 10

/** Of a masked number so many last digits are shown, and can be found. */
const SHOWN_DIGITS = 4

const NUMBER = /^[\d\s+().*-]{2,40}$/

/** With more contacts found than this a list is read in its own order and each row asked, instead of all of them being looked up and sorted. */
const FEW_FOUND = 2_000

/** What a search by name or number came to. */
export interface Found {
  /** The condition that a contact is among those found. `column` is the contact's id in the query. */
  among: (column: SQLiteColumn) => SQL
  /** Whether they are so few that looking each up and sorting them is quicker than reading a list in its own order. */
  areFew: boolean
  /** How many they are, whoever sees them; `null` when only looking at them would tell. */
  count: () => number | null
}

/**
 * Finds contacts by what somebody typed: each word begins a word of its names, or all of it is a number in any form, from its beginning
 * or to its end. Callers who see masked numbers find those by their last four digits only. Deleted contacts are not found.
 */
export function findContacts(ctx: Pick<Ctx, 'db' | 'organizationId' | 'actor'>, typed: string): Found {
  // With the sign SQLite does not read all contacts of the organization where it could look up a few.
  const own = sql`+${contactWords.organizationId} = ${ctx.organizationId}`
  const from = sql`select contact_id from ${contactWords} where ${own}`
  const match = matchOf(ctx, typed)
  if (match === null) {
    const holding = sql`(${from} and instr(${contactWords.words}, ${fold(typed)}) > 0)`
    return { among: (column) => inArray(column, holding), areFew: false, count: () => null }
  }
  const few = placesOfFew(ctx, match)
  if (few !== null) {
    const looked = sql`(${from} and "row" in (select value from json_each(${JSON.stringify(few)})))`
    return { among: (column) => inArray(column, looked), areFew: true, count: () => few.length }
  }
  const rows = sql`(select rowid from contact_search where contact_search match ${match})`
  const placeOf = sql`select "row" from ${contactWords} where ${contactWords.organizationId} = ${ctx.organizationId}`
  return {
    among: (column) => sql`(${placeOf} and ${contactWords.contactId} = ${column}) in ${rows}`,
    areFew: false,
    count: () => countAll(ctx, match),
  }
}

/** The places of the contacts found, when they are few. */
function placesOfFew(ctx: Pick<Ctx, 'db'>, match: string): number[] | null {
  const rows = ctx.db.orm.values<[number]>(sql`select rowid from contact_search where contact_search match ${match} limit ${FEW_FOUND + 1}`)
  return rows.length > FEW_FOUND ? null : rows.map(([place]) => place)
}

const countAll = (ctx: Pick<Ctx, 'db'>, match: string): number =>
  ctx.db.orm.values<[number]>(sql`select count(*) from contact_search where contact_search match ${match}`)[0]?.[0] ?? 0

/** What was typed in the index's query language; `null` when there is no word in it. */
function matchOf(ctx: Pick<Ctx, 'db' | 'organizationId' | 'actor'>, typed: string): string | null {
  const isMasked = masksNumbers(ctx)
  const text = fold(typed)
  const words = text.match(/[^\s]+/gu)?.slice(0, MOST_WORDS) ?? []
  const named = words.filter(hasWord)
  if (named.length === 0) return null
  const whole = NUMBER.test(text) ? byNumber(ctx, text, isMasked) : null
  const each = named.map((word) => orDigits(`words : ${prefix(word)}`, NUMBER.test(word) ? byNumber(ctx, word, isMasked) : null))
  return `scope : ${scopeWord(ctx.organizationId)} AND (${orDigits(`(${each.join(' AND ')})`, whole)})`
}

const hasWord = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** A word as the index's query language takes it: whatever it holds is text, and it may go on. */
const prefix = (word: string): string => `"${word.replaceAll('"', ' ').replaceAll('\0', ' ')}"*`

const orDigits = (names: string, digits: string | null): string => (digits === null ? names : `(${names} OR ${digits})`)

/** What finds a number somebody typed, in the index's query language; `null` when nothing may. */
function byNumber(ctx: Pick<Ctx, 'db' | 'organizationId'>, typed: string, isMasked: boolean): string | null {
  const digits = typed.replace(/\D/g, '')
  if (digits.length < 2 || digits.length > 20) return null
  if (isMasked) return digits.length > SHOWN_DIGITS ? null : `digits : ${prefix(backwards(digits))}`
  const withoutZeros = digits.replace(/^0{1,2}/, '')
  const country = getOrganization(ctx).defaultCountry
  const parsed = typed.includes('*') ? null : parsePhone(typed, country === null ? undefined : (country as CountryCode))
  const forms = [
    digits,
    backwards(digits),
    ...(withoutZeros !== digits && withoutZeros.length >= 3 ? [withoutZeros, backwards(withoutZeros)] : []),
    ...(parsed === null ? [] : numberVariants(parsed)),
  ]
  return `digits : (${[...new Set(forms)].map(prefix).join(' OR ')})`
}
