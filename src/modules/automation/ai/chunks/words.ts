import { foldText } from '../../../../lib/fold-text'

/** Scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu

/** Terms of a question that are searched for. */
const MAX_TERMS = 32

/** Words of at least this length also match words that only begin like them. */
const MIN_PREFIX = 4

/** Share of a word that another form of it begins with: `deliveries` finds `delivery`. */
const STEM = 0.7

/**
 * Returns the words of a text for the full-text index. Scripts without spaces are cut into
 * overlapping pairs of characters, so that a question finds them without a dictionary.
 */
export const indexedWords = (text: string): string => foldText(text).replaceAll(UNSPACED, pairsOf)

function pairsOf(run: string): string {
  const signs = [...run]
  if (signs.length < 2) return ` ${run} `
  const pairs = signs.slice(1).map((sign, index) => `${signs[index]}${sign}`)
  return ` ${pairs.join(' ')} `
}

/** Returns the full-text query for any word of a question; `null` if it has no word. */
export function questionQuery(question: string): string | null {
  const words = indexedWords(question).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const terms = [...new Set(words)].slice(0, MAX_TERMS).map(termOf)
  return terms.length === 0 ? null : terms.join(' OR ')
}

/** Numbers and codes are searched for as they are. The word itself counts more than its other forms. */
function termOf(word: string): string {
  if (word.length < MIN_PREFIX || /\d/.test(word)) return `"${word}"`
  const stem = word.slice(0, Math.max(MIN_PREFIX, Math.ceil(word.length * STEM)))
  return `"${word}" OR "${stem}"*`
}
