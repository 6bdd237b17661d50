/** Longest part of a context, characters. */
const MAX_CHUNK = 1_500

/** Where a text may be cut, best first: between paragraphs, lines, sentences and words. */
const SEPARATORS = ['\n\n', '\n', '. ', ' ']

/** A cut earlier than this share of a chunk leaves it too short to be useful. */
const MIN_SHARE = 0.5

/**
 * Cuts a text into parts of at most 1,500 characters, at the end of a paragraph, line, sentence or
 * word where there is one. Yields one part at a time. No part is blank.
 */
export function* splitText(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = endOfChunk(text, from)
    const part = text.slice(from, end).trim()
    if (part !== '') yield part
    from = end
  }
}

function endOfChunk(text: string, from: number): number {
  const limit = from + MAX_CHUNK
  if (limit >= text.length) return text.length
  for (const separator of SEPARATORS) {
    const at = text.lastIndexOf(separator, limit - separator.length)
    if (at >= from + MAX_CHUNK * MIN_SHARE) return at + separator.length
  }
  // A surrogate pair stays together.
  return /[\uD800-\uDBFF]/.test(text[limit - 1] ?? '') ? limit - 1 : limit
}
