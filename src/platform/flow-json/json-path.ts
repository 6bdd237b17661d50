import { findNodeAtLocation, parseTree, printParseErrorCode, type ParseError } from 'jsonc-parser'

/** Path to a value in a JSON document: property names and indexes. */
export type Place = readonly (string | number)[]

/** A problem of a document: its path, and its line in the text, from 1. */
export interface Problem {
  place: Place
  message: string
  line: number
}

const lineAt = (written: string, offset: number): number =>
  written.slice(0, offset).split('\n').length

/**
 * Returns a function that gives the line of a path in a JSON text. For a missing path it is the
 * line of the nearest existing parent.
 */
export function linesOf(written: string): (place: Place) => number {
  const root = parseTree(written)
  return (place) => {
    for (let length = place.length; root && length >= 0; length -= 1) {
      const node = findNodeAtLocation(root, place.slice(0, length))
      // the line of a property is that of its name
      if (node)
        return lineAt(written, node.parent?.type === 'property' ? node.parent.offset : node.offset)
    }
    return 1
  }
}

/** Returns the syntax error of a JSON text, or `null` if it is valid. */
export function jsonProblem(written: string): Problem | null {
  const errors: ParseError[] = []
  parseTree(written, errors, { allowTrailingComma: false, disallowComments: true })
  const [first] = errors
  if (!first) return null
  const said = printParseErrorCode(first.error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return { place: [], message: `must be valid JSON: ${said}`, line: lineAt(written, first.offset) }
}
