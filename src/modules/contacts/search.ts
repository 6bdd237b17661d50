import { inArray, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { likeText } from '../../lib/page'
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

/**
 * The condition that a contact is found by what somebody typed: each word begins a word of its names, or all of it is a number in any
 * form, from its beginning or to its end. Callers who see masked numbers find those by their last four digits only. `column` is the
 * contact's id in the query.
 */
export function foundBy(ctx: Pick<Ctx, 'db' | 'organizationId' | 'actor'>, column: SQLiteColumn, typed: string): SQL {
  const isMasked = masksNumbers(ctx)
  const words = typed.match(/[^\s]+/gu)?.slice(0, MOST_WORDS) ?? []
  const named = words.filter(hasWord)
  const own = sql`${contactWords.organizationId} = ${ctx.organizationId}`
  if (named.length === 0)
    return inArray(
      column,
      sql`(select contact_id from ${contactWords} where ${own} and ${contactWords.words} like ${likeText(typed.trim())} escape '\\')`,
    )
  const whole = NUMBER.test(typed) ? byNumber(ctx, typed, isMasked) : null
  const each = named.map((word) => orDigits(`words : ${prefix(word)}`, NUMBER.test(word) ? byNumber(ctx, word, isMasked) : null))
  const match = `scope : ${scopeWord(ctx.organizationId)} AND (${orDigits(`(${each.join(' AND ')})`, whole)})`
  return inArray(
    column,
    sql`(select contact_id from ${contactWords} where ${own} and "row" in (select rowid from contact_search where contact_search match ${match}))`,
  )
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
