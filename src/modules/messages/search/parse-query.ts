import { foldText } from '../../../lib/fold-text'

/**
 * One thing a text must hold: a word, or words in a row, folded; with `isOpen` the last of them may
 * go on.
 */
export interface Term {
  words: string[]
  isOpen: boolean
}

/**
 * A word that every text sought has, as the full-text index takes it; `start` is what the word
 * begins with when that is longer than what the index lists.
 */
export interface IndexTerm {
  match: string
  start: string | null
}

/**
 * Texts that fit equally well: the signs all of them have, and whether a folded text is one of
 * them.
 */
export interface Matcher {
  indexTerms: IndexTerm[]
  matches: (words: string) => boolean
}

/** What somebody searches. `best` is what fits best, `rest` what fits but is not among the best. */
export interface SearchQuery {
  best: Matcher
  rest: Matcher | null
  terms: Term[]
}

/** Words of a search beyond these are not looked at. */
const MAX_TERMS = 12

/**
 * Of the words of a search so many, the longest, are asked of the index; the texts are compared
 * with all of them.
 */
const MAX_INDEX_TERMS = 4

/** The index lists words by their first two and three letters. */
const LISTED_LETTERS = 3

export const WORD = /[\p{L}\p{N}\p{M}]+/gu
const PARTS = /"([^"]*)"?|(\S+)/gu

/**
 * Reads what somebody typed (messages contract 6): all words are required, `"words in a row"` and
 * `word*` mean what they seem to, anything else is text. A word that is still being typed, the last
 * one, may go on. `null` when there is no word in it. Words as they stand, one after the other, fit
 * best.
 */
export function parseSearch(typed: string): SearchQuery | null {
  const terms: Term[] = []
  for (const [all, quoted, bare] of typed.matchAll(PARTS)) {
    const words = foldText(quoted ?? bare ?? '').match(WORD) ?? []
    if (words.length > 0) terms.push({ words, isOpen: quoted === undefined && all.endsWith('*') })
  }
  const kept = terms.slice(0, MAX_TERMS)
  const last = kept.at(-1)
  if (!last) return null
  const isPlain = !/["*]/.test(typed)
  if (!isPlain) return { best: allOf(kept), rest: null, terms: kept }
  const inRow: Term = { words: kept.flatMap(({ words }) => words), isOpen: false }
  const best = allOf([inRow])
  last.isOpen = true
  const all = allOf(kept)
  return {
    best,
    rest: { indexTerms: all.indexTerms, matches: (text) => all.matches(text) && !best.matches(text) },
    terms: kept,
  }
}

function allOf(terms: Term[]): Matcher {
  const patterns = terms.map(patternOf)
  const indexTerms = new Map(terms.flatMap(indexTermsOf).map((sign) => [sign.match, sign]))
  const longest = [...indexTerms.values()]
    .toSorted((a, b) => b.match.length - a.match.length)
    .slice(0, MAX_INDEX_TERMS)
  return { indexTerms: longest, matches: (text) => patterns.every((pattern) => pattern.test(text)) }
}

/**
 * Words hold letters, digits and marks only, so none of their characters means anything in a
 * pattern.
 */
const patternOf = ({ words, isOpen }: Term): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}\\p{M}])${words.join('[^\\p{L}\\p{N}\\p{M}]+')}${isOpen ? '' : '(?![\\p{L}\\p{N}\\p{M}])'}`,
    'u',
  )

/** What the index takes for words: marks it does not know divide them. */
const INDEXED = /[\p{L}\p{N}\p{Co}]+/gu

function indexTermsOf({ words, isOpen }: Term): IndexTerm[] {
  return words.flatMap((word, nth) => {
    const parts = word.match(INDEXED) ?? []
    return parts.flatMap((part, at): IndexTerm[] => {
      const mayGoOn =
        isOpen && nth === words.length - 1 && at === parts.length - 1 && word.endsWith(part)
      if (!mayGoOn) return [{ match: `words : "${part}"`, start: null }]
      const letters = [...part]
      const isListed = letters.length <= LISTED_LETTERS
      // What begins with one letter stands in no list of the index.
      return letters.length < 2
        ? []
        : [
            {
              match: `words : "${letters.slice(0, LISTED_LETTERS).join('')}"*`,
              start: isListed ? null : part,
            },
          ]
    })
  })
}
