import { foldText } from '../../../../lib/fold-text'
import { type Term, WORD } from './parse-query'

/** Characters of a snippet before the first match, and in total. */
const SHOWN_BEFORE = 40
const SHOWN = 160

/** The matching part of a text, and the matches as `[start, end)` in UTF-16 units. */
export interface Snippet {
  snippet: string
  ranges: number[][]
}

/** A folded word of a text with its position. */
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

/** Indexes of the words at which a term matches. */
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

/** Whether a text contains all terms. */
export function containsAll(text: string, terms: Term[]): boolean {
  const tokens = tokensOf(text)
  return terms.every((term) => placesOf(tokens, term).length > 0)
}

/** Returns the snippet of a text around its first match. */
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

/** Start of the first word at or after an index, so that no word is cut. */
const boundary = (tokens: { start: number }[], at: number): number =>
  at === 0 ? 0 : (tokens.find(({ start }) => start >= at)?.start ?? at)

/** The index, moved so that no surrogate pair is cut. */
const endOf = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return at < text.length && code >= 0xdc00 && code <= 0xdfff ? at - 1 : Math.min(at, text.length)
}
