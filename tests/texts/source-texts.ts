import { type Node, parseSync, Visitor } from 'oxc-parser'
import type { Source } from '../support/sources'

/** A text of the source: where it stands, and its words with `{expression}` for what is put in. */
export interface Text {
  path: string
  line: number
  words: string
}

/** Two words at least, the first of which has a letter. */
const LOOKS_LIKE_WORDS = /[A-Za-z]\S*\s+\S*[A-Za-z]/
const SQL =
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|DROP|PRAGMA|ALTER|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|ATTACH|DETACH|VACUUM|EXPLAIN|WHERE|ORDER BY|AND|FROM|JOIN|LEFT JOIN|INDEXED BY|NOT INDEXED)\b[^a-z]*[\s(]/
const MARKUP = /^\s*(?:<[a-z!/]|[.#]?[a-z-]+\s*\{)|[{;]\s*$/

type Expression = Extract<Node, { type: string }>

/** The words of a string, a template or a sum of both; `undefined` for anything else. */
function wordsOf(node: Expression, code: string): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type === 'TemplateLiteral')
    return node.quasis
      .map((quasi, at) => {
        const put = node.expressions[at]
        const text = quasi.value.cooked ?? quasi.value.raw
        return put === undefined ? text : `${text}{${shorten(code.slice(put.start, put.end))}}`
      })
      .join('')
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined
  const [left, right] = [wordsOf(node.left, code), wordsOf(node.right, code)]
  if (left === undefined && right === undefined) return undefined
  const put = (side: Expression): string => `{${shorten(code.slice(side.start, side.end))}}`
  return (left ?? put(node.left)) + (right ?? put(node.right))
}

const shorten = (code: string): string => {
  const flat = code.replaceAll(/\s+/g, ' ')
  return flat.length > 40 ? `${flat.slice(0, 39)}…` : flat
}

/**
 * Every text of a source file that reads like words: strings, templates and sums of them with two
 * words at least. Leaves out SQL, markup, types and the names of imports.
 */
export function textsOf(source: Source): Text[] {
  const found: (Text & { start: number; end: number })[] = []
  const skipped: { start: number; end: number }[] = []
  const add = (node: Expression): void => {
    const words = wordsOf(node, source.text)
    if (words === undefined) return
    const line = source.text.slice(0, node.start).split('\n').length
    found.push({ path: source.path, line, words, start: node.start, end: node.end })
  }
  const skip = (node: { start: number; end: number }): void => {
    skipped.push({ start: node.start, end: node.end })
  }
  new Visitor({
    BinaryExpression: add,
    TemplateLiteral: add,
    Literal: add,
    TaggedTemplateExpression: ({ quasi }) => skip(quasi),
    TSLiteralType: skip,
    ImportDeclaration: skip,
  }).visit(parseSync(source.path, source.text).program)
  return withoutParts(found)
    .filter(({ start, end }) => !skipped.some((part) => part.start <= start && end <= part.end))
    .filter(({ words }) => LOOKS_LIKE_WORDS.test(words) && !SQL.test(words) && !MARKUP.test(words))
    .map(({ path, line, words }) => ({ path, line, words: words.replaceAll(/\s+/g, ' ').trim() }))
}

/** Without the texts that are a part of a longer one. */
function withoutParts<T extends { start: number; end: number }>(texts: T[]): T[] {
  const sorted = texts.toSorted((a, b) => a.start - b.start || b.end - a.end)
  let end = -1
  return sorted.filter((text) => {
    if (text.end <= end) return false
    end = text.end
    return true
  })
}
