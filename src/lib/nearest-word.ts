/**
 * Counts the single-character edits between two words. An edit is an insertion, a deletion, a
 * replacement, or a swap of two neighbors (optimal string alignment distance).
 */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwap =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const at = (line: number[], index: number): number => line[index] ?? Infinity
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, column - 2) + 1 : Infinity,
      )
    }
    beforeLast = last
    last = current
  }
  return last[b.length] ?? Infinity
}

const MIN_LENGTH_FOR_TWO_EDITS = 8
const MAX_LENGTH = 64

/**
 * Returns the known word that is a likely misspelling of `word`: one edit away, or two in words of
 * eight characters and more. `null` if there is none.
 */
export function nearestWord(word: string, known: Iterable<string>): string | null {
  if (word.length > MAX_LENGTH) return null
  let nearest: string | null = null
  let fewestEdits = (word.length < MIN_LENGTH_FOR_TWO_EDITS ? 1 : 2) + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) >= fewestEdits) continue
    const edits = editsBetween(word, candidate)
    if (edits >= fewestEdits) continue
    fewestEdits = edits
    nearest = candidate
  }
  return nearest
}
