import { and, gte, inArray, lt, notInArray, sql } from 'drizzle-orm'

import { foldText } from '../../../../lib/fold-text'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { findContact } from '../service'
import { indexContactIn, WORD } from './index-contact'
import { digitVariants, MAX_CHARACTER, MIN_WHOLE_NUMBER, NUMBER } from './query'
import { contactTerms, contactWords } from './table'

/** A word that so many contacts have names nobody. */
const MANY = 1_000

/**
 * Returns a function that reports whether a search is for this person: it has a whole number of the
 * person, or words of the names that no other contact has together. Call it before the person is
 * erased, in the same transaction.
 */
export function personFinderIn(tx: Tx, ctx: Ctx, contactIds: string[]): (typed: string) => boolean {
  // Deleted and merged contacts are in no index. Their erasure takes them out again.
  for (const row of contactIds.map((id) => findContact(ctx, id)))
    if (row) indexContactIn(tx, ctx, row)
  const own = tx
    .select({ words: contactWords.words, digits: contactWords.digits })
    .from(contactWords)
    .where(inOrganization(ctx, contactWords, inArray(contactWords.contactId, contactIds)))
    .all()
  const hasWord = (word: string): boolean => own.some(({ words }) => words.includes(` ${word}`))
  const hasDigits = (typed: string): boolean =>
    digitVariants(ctx, typed)
      .filter((form) => form.length >= MIN_WHOLE_NUMBER)
      .some((form) => own.some(({ digits }) => digits.includes(form)))
  return (typed) => {
    const text = foldText(typed)
    const parts = NUMBER.test(text) ? [text] : text.split(/\s+/u)
    if (parts.some((part) => NUMBER.test(part) && hasDigits(part))) return true
    const words = text.match(new RegExp(WORD, 'gu')) ?? []
    return words.length > 0 && words.every(hasWord) && !isSharedIn(tx, ctx, words, contactIds)
  }
}

/** Reports whether another contact has all these words, or a word is of very many. */
function isSharedIn(tx: Tx, ctx: Ctx, words: string[], contactIds: string[]): boolean {
  const [longest = ''] = words.toSorted((a, b) => b.length - a.length)
  const others = tx
    .selectDistinct({ contactId: contactTerms.contactId })
    .from(contactTerms)
    .where(
      inOrganization(
        ctx,
        contactTerms,
        and(
          gte(contactTerms.term, longest),
          lt(contactTerms.term, longest + MAX_CHARACTER),
          notInArray(contactTerms.contactId, contactIds),
        ),
      ),
    )
    .limit(MANY)
    .all()
    .map(({ contactId }) => contactId)
  if (others.length === 0 || others.length === MANY) return others.length > 0
  const hasAll = words.map((word) => sql`instr(${contactWords.words}, ${` ${word}`}) > 0`)
  return (
    tx
      .select({ contactId: contactWords.contactId })
      .from(contactWords)
      .where(
        inOrganization(ctx, contactWords, and(inArray(contactWords.contactId, others), ...hasAll)),
      )
      .limit(1)
      .get() !== undefined
  )
}
