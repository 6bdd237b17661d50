/** Scripts that are written without spaces, where a word can begin anywhere. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u

const WORD_SIGN = /[\p{L}\p{M}\p{N}]/u

/** Letters whose lower case is not how Unicode folds them. */
const FOLDED = /[ßς]/g

/**
 * Returns a text as keywords are compared: Unicode NFKC, white space collapsed and trimmed, and case
 * folded unless `isCaseSensitive`.
 */
export function normalText(text: string, { isCaseSensitive = false } = {}): string {
  const normal = text.normalize('NFKC').replaceAll(/\s+/gu, ' ').trim()
  if (isCaseSensitive) return normal
  return normal.toLowerCase().replaceAll(FOLDED, (letter) => (letter === 'ß' ? 'ss' : 'σ'))
}

/** Reports whether a phrase is written in a script without spaces. It matches anywhere. */
export const isUnspaced = (phrase: string): boolean => UNSPACED.test(phrase)

/** Reports whether no letter, mark or digit touches a part of a text. */
export function standsAlone(text: string, from: number, before: number): boolean {
  const left = [...text.slice(Math.max(0, from - 2), from)].at(-1) ?? ''
  const right = [...text.slice(before, before + 2)][0] ?? ''
  return !WORD_SIGN.test(left) && !WORD_SIGN.test(right)
}

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
