import { foldText } from '../../../lib/fold-text'

/**
 * One thing a text must hold: a word, or words in a row, folded; with `isOpen` the last of them may
 * go on.
 */
interface Term {
  words: string[]
  isOpen: boolean
}

/**
 * A word that every text sought has, as the full-text index takes it; `start` is what the word
 * begins with when that is longer than what the index lists.
 */
export interface Sign {
  match: string
  start: string | null
}

/**
 * Texts that fit equally well: the signs all of them have, and whether a folded text is one of
 * them.
 */
export interface Fitting {
  signs: Sign[]
  fits: (words: string) => boolean
}

/** What somebody searches. `best` is what fits best, `rest` what fits but is not among the best. */
export interface SearchQuery {
  best: Fitting
  rest: Fitting | null
  terms: Term[]
}

/** Words of a search beyond these are not looked at. */
const MAX_TERMS = 12

/**
 * Of the words of a search so many, the longest, are asked of the index; the texts are compared
 * with all of them.
 */
const MAX_SIGNS = 4

/** The index lists words by their first two and three letters. */
const LISTED_LETTERS = 3

const WORD = /[\p{L}\p{N}\p{M}]+/gu
const PARTS = /"([^"]*)"?|(\S+)/gu

/**
 * Reads what somebody typed (messages contract 6): all words are required, `"words in a row"` and
 * `word*` mean what they seem to, anything else is text. A word that is still being typed, the last
 * one, may go on. `null` when there is no word in it. Words as they stand, one after the other, fit
 * best.
 */
export function readSearch(typed: string): SearchQuery | null {
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
    rest: { signs: all.signs, fits: (text) => all.fits(text) && !best.fits(text) },
    terms: kept,
  }
}

function allOf(terms: Term[]): Fitting {
  const patterns = terms.map(patternOf)
  const signs = new Map(terms.flatMap(signsOf).map((sign) => [sign.match, sign]))
  const longest = [...signs.values()]
    .toSorted((a, b) => b.match.length - a.match.length)
    .slice(0, MAX_SIGNS)
  return { signs: longest, fits: (text) => patterns.every((pattern) => pattern.test(text)) }
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

function signsOf({ words, isOpen }: Term): Sign[] {
  return words.flatMap((word, nth) => {
    const parts = word.match(INDEXED) ?? []
    return parts.flatMap((part, at): Sign[] => {
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

/** Characters shown before the first place found and in all. */
const SHOWN_BEFORE = 40
const SHOWN = 160

/**
 * The part of a text in which the search is found, and where in it: `[start, end)` in UTF-16 units,
 * as JavaScript counts.
 */
export interface Snippet {
  snippet: string
  ranges: number[][]
}

/** A word of a text, folded, and where it stands. */
interface Token {
  word: string
  start: number
  end: number
}

const tokensOf = (text: string): Token[] =>
  [...text.matchAll(WORD)].map((match) => ({
    word: foldText(match[0]),
    start: match.index,
    end: match.index + match[0].length,
  }))

/** From which words on a text says what is searched. */
function placesOf(tokens: Token[], { words, isOpen }: Term): number[] {
  const isHere = (at: number): boolean =>
    words.every((word, offset) => {
      const token = tokens[at + offset]?.word ?? ''
      return isOpen && offset === words.length - 1 ? token.startsWith(word) : token === word
    })
  return Array.from(
    { length: Math.max(0, tokens.length - words.length + 1) },
    (_, at) => at,
  ).filter(isHere)
}

/** Whether a text holds all that is searched. */
export function holdsAll(text: string, terms: Term[]): boolean {
  const tokens = tokensOf(text)
  return terms.every((term) => placesOf(tokens, term).length > 0)
}

/** Cuts a text to what was searched and says which words of it were meant. */
export function snippetOf(text: string, terms: Term[]): Snippet {
  const tokens = tokensOf(text)
  const found = new Set<number>()
  for (const term of terms)
    for (const at of placesOf(tokens, term))
      for (let offset = 0; offset < term.words.length; offset += 1) found.add(at + offset)
  const places = tokens.filter((_token, index) => found.has(index))
  const from = boundary(tokens, Math.max(0, (places[0]?.start ?? 0) - SHOWN_BEFORE))
  const to = endOf(text, from + SHOWN)
  const lead = from > 0 ? '…' : ''
  const shift = lead.length - from
  return {
    snippet: `${lead}${text.slice(from, to)}${to < text.length ? '…' : ''}`,
    ranges: places
      .filter(({ end }) => end <= to)
      .map(({ start, end }): [number, number] => [start + shift, end + shift]),
  }
}

/**
 * The beginning of the first word at or after a place, so that no word is cut in front; the
 * beginning of the text stays.
 */
const boundary = (tokens: { start: number }[], at: number): number =>
  at === 0 ? 0 : (tokens.find(({ start }) => start >= at)?.start ?? at)

/** A place no character lies across. */
const endOf = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return at < text.length && code >= 0xdc00 && code <= 0xdfff ? at - 1 : Math.min(at, text.length)
}
