import { withoutInvisible } from './typed-text'

/** Scripts that are written without spaces, where a word can begin anywhere. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u

const WORD_SIGN = /[\p{L}\p{M}\p{N}]/u

/**
 * Letters whose lower case is not how Unicode folds them. Whether an i has a dot depends on the
 * keyboard: `İ`, `I` and `ı` are compared as `i`.
 */
const FOLDED: Readonly<Record<string, string>> = { ß: 'ss', ς: 'σ', ı: 'i', 'i\u0307': 'i' }

const FOLDED_LETTERS = /[ßςı]|i\u0307/g

/**
 * Returns a text as words are compared: Unicode NFKC, without invisible characters, white space
 * collapsed and trimmed, and case folded unless `isCaseSensitive`.
 */
export function normalText(text: string, { isCaseSensitive = false } = {}): string {
  const normal = searchedText(withoutInvisible(text.normalize('NFKC')))
  if (isCaseSensitive) return normal
  return normal.toLowerCase().replaceAll(FOLDED_LETTERS, (letter) => FOLDED[letter] ?? letter)
}

/**
 * Returns a text as regular expressions search it: Unicode NFKC, white space collapsed and trimmed.
 * Patterns may name invisible characters.
 */
export const searchedText = (text: string): string =>
  text.normalize('NFKC').replaceAll(/\s+/gu, ' ').trim()

const ENDS = /^[\p{P}\s]+|[\p{P}\s]+$/gu

/** Returns a text without punctuation at both ends, unless it is nothing else. */
export const withoutPunctuation = (text: string): string => text.replaceAll(ENDS, '') || text

/** Returns a whole message as it is compared with a word: normalized, without punctuation around it. */
export const spoken = (text: string): string => withoutPunctuation(normalText(text))

/** Reports whether a phrase is written in a script without spaces. It matches anywhere. */
export const isUnspaced = (phrase: string): boolean => UNSPACED.test(phrase)

/** Returns the character before a place of a text, or an empty text. */
const signBefore = (text: string, at: number): string =>
  [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? ''

/** Returns the character at a place of a text, or an empty text. */
const signAfter = (text: string, at: number): string => [...text.slice(at, at + 2)][0] ?? ''

/** Reports whether no letter, mark or digit touches a part of a text. */
const standsAlone = (text: string, from: number, before: number): boolean =>
  !WORD_SIGN.test(signBefore(text, from)) && !WORD_SIGN.test(signAfter(text, before))

/**
 * Reports whether a text contains a phrase as whole words: no letter, mark or digit touches it.
 * Phrases in scripts without spaces match anywhere. Both are normalized with `normalText` before.
 */
export function hasWholeWords(text: string, phrase: string): boolean {
  if (phrase === '') return false
  const isAnywhere = isUnspaced(phrase)
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1))
    if (isAnywhere || standsAlone(text, at, at + phrase.length)) return true
  return false
}

/** Where words of a text begin and end. It looks at each place once. */
export class WordEdges {
  /** For each place: 0 not known, 1 no word sign, 2 a word sign. */
  private readonly left: Uint8Array
  private readonly right: Uint8Array

  constructor(private readonly text: string) {
    this.left = new Uint8Array(text.length + 1)
    this.right = new Uint8Array(text.length + 1)
  }

  /** Reports whether no letter, mark or digit stands before a place. */
  isLeftFree(at: number): boolean {
    if (this.left[at] === 0) this.left[at] = kindOf(signBefore(this.text, at))
    return this.left[at] === 1
  }

  /** Reports whether no letter, mark or digit stands at a place. */
  isRightFree(at: number): boolean {
    if (this.right[at] === 0) this.right[at] = kindOf(signAfter(this.text, at))
    return this.right[at] === 1
  }
}

const kindOf = (sign: string): number => (WORD_SIGN.test(sign) ? 2 : 1)
