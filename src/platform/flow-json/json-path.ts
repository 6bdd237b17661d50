import { findNodeAtLocation, parseTree, printParseErrorCode, type ParseError } from 'jsonc-parser'

/** Path to a value in a JSON document: property names and indexes. */
export type JsonPath = readonly (string | number)[]

/** A problem of a document: its path, and its line in the text, from 1. */
export interface Problem {
  path: JsonPath
  message: string
  line: number
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

/**
 * Returns a function that gives the line of a path in a JSON text. For a missing path it is the
 * line of the nearest existing parent.
 */
export function lineLookup(text: string): (path: JsonPath) => number {
  const root = parseTree(text)
  return (path) => {
    for (let length = path.length; root && length >= 0; length -= 1) {
      const node = findNodeAtLocation(root, path.slice(0, length))
      // the line of a property is that of its name
      if (node)
        return lineAt(text, node.parent?.type === 'property' ? node.parent.offset : node.offset)
    }
    return 1
  }
}

/** Returns the syntax error of a JSON text, or `null` if it is valid. */
export function jsonProblem(text: string): Problem | null {
  const errors: ParseError[] = []
  parseTree(text, errors, { allowTrailingComma: false, disallowComments: true })
  const [first] = errors
  if (!first) return null
  const syntaxError = printParseErrorCode(first.error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return {
    path: [],
    message: `must be valid JSON: ${syntaxError}`,
    line: lineAt(text, first.offset),
  }
}
