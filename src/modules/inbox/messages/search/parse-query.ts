import { foldText } from '../../../../lib/fold-text'

/** One required word or phrase, folded. With `isOpen` the last word may continue. */
export interface Term {
  words: string[]
  isOpen: boolean
}

/**
 * A term that every match contains, as an FTS5 query. `start` is the full prefix if it is longer
 * than the index lists.
 */
export interface IndexTerm {
  match: string
  start: string | null
}

/** Matches of equal rank: index terms they all contain, and a test of the folded text. */
export interface Matcher {
  indexTerms: IndexTerm[]
  matches: (words: string) => boolean
}

/** A parsed search. `best` are exact phrase matches, `rest` all other matches. */
export interface SearchQuery {
  best: Matcher
  rest: Matcher | null
  terms: Term[]
}

/** Maximum number of words in a search. */
const MAX_TERMS = 12

/**
 * Maximum number of terms looked up in the index, the longest first; texts are compared with all
 * words.
 */
const MAX_INDEX_TERMS = 4

/** The index has prefix lists of two and three letters. */
const LISTED_LETTERS = 3

export const WORD = /[\p{L}\p{N}\p{M}]+/gu
const PARTS = /"([^"]*)"?|(\S+)/gu

/**
 * Parses a search (messages contract 6): all words are required, `"a phrase"` and `word*` are
 * supported, and the last word may be unfinished. Returns `null` without any word. The exact phrase
 * ranks first.
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
    rest: {
      indexTerms: all.indexTerms,
      matches: (text) => all.matches(text) && !best.matches(text),
    },
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

/** Words hold only letters, digits and marks, so they need no escaping in a pattern. */
const patternOf = ({ words, isOpen }: Term): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}\\p{M}])${words.join('[^\\p{L}\\p{N}\\p{M}]+')}${isOpen ? '' : '(?![\\p{L}\\p{N}\\p{M}])'}`,
    'u',
  )

/** Words as the index splits them: unknown marks separate words. */
const INDEXED = /[\p{L}\p{N}\p{Co}]+/gu

function indexTermsOf({ words, isOpen }: Term): IndexTerm[] {
  return words.flatMap((word, nth) => {
    const parts = word.match(INDEXED) ?? []
    return parts.flatMap((part, at): IndexTerm[] => {
      const mayGoOn =
        isOpen && nth === words.length - 1 && at === parts.length - 1 && word.endsWith(part)
      if (!mayGoOn) return [{ match: `"${part}"`, start: null }]
      const letters = [...part]
      const isListed = letters.length <= LISTED_LETTERS
      // There is no prefix list for a single letter.
      return letters.length < 2
        ? []
        : [
            {
              match: `"${letters.slice(0, LISTED_LETTERS).join('')}"*`,
              start: isListed ? null : part,
            },
          ]
    })
  })
}
