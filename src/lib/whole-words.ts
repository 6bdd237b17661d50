/** Scripts that are written without spaces, where a word can begin anywhere. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u

const WORD_SIGN = /[\p{L}\p{M}\p{N}]/u

/**
 * Returns a text as keywords are compared: Unicode NFKC, white space collapsed and trimmed, case
 * folded.
 */
export const normalText = (text: string): string =>
  text.normalize('NFKC').replaceAll(/\s+/gu, ' ').trim().toLowerCase()

/**
 * Reports whether a text contains a phrase as whole words: no letter, mark or digit touches it.
 * Phrases in scripts without spaces match anywhere. Both are normalized with `normalText` before.
 */
export function hasWholeWords(text: string, phrase: string): boolean {
  if (phrase === '') return false
  const isAnywhere = UNSPACED.test(phrase)
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? ''
    const after = [...text.slice(at + phrase.length, at + phrase.length + 2)][0] ?? ''
    if (isAnywhere || !(WORD_SIGN.test(before) || WORD_SIGN.test(after))) return true
  }
  return false
}
