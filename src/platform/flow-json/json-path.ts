import { findNodeAtLocation, parseTree, printParseErrorCode, type ParseError } from 'jsonc-parser'

/** Where something lies in a JSON document: the names and numbers that lead to it. */
export type Place = readonly (string | number)[]

/** Something wrong with a document: where, and in which line of its text, from 1. */
export interface Problem {
  place: Place
  message: string
  line: number
}

const lineAt = (written: string, offset: number): number =>
  written.slice(0, offset).split('\n').length

/**
 * Tells the line of a place in a JSON text; of one that is not there, that of what is around it.
 */
export function linesOf(written: string): (place: Place) => number {
  const root = parseTree(written)
  return (place) => {
    for (let length = place.length; root && length >= 0; length -= 1) {
      const node = findNodeAtLocation(root, place.slice(0, length))
      // A member's own line is that of its name.
      if (node)
        return lineAt(written, node.parent?.type === 'property' ? node.parent.offset : node.offset)
    }
    return 1
  }
}

/** What keeps a text from being JSON; `null` when it is. */
export function jsonProblem(written: string): Problem | null {
  const errors: ParseError[] = []
  parseTree(written, errors, { allowTrailingComma: false, disallowComments: true })
  const [first] = errors
  if (!first) return null
  const said = printParseErrorCode(first.error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return { place: [], message: `must be JSON: ${said}`, line: lineAt(written, first.offset) }
}
