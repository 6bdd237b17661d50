import { yieldEvery } from '../../infra/event-loop'
import type { OpenApiDocument } from '../openapi/document'
import { operationsByTag } from '../openapi/tag-document'
import { textOf, type Rendered } from './markdown'
import { operationName } from './reference'

/** A JSON object. */
type Json = Record<string, unknown>

/** A place that can be found: its title, what it belongs to, page, anchor, and more words. */
export type SearchEntry = [
  title: string,
  context: string,
  name: string,
  hash: string,
  words: string,
]

/** A page whose text is searched. */
export interface Searchable extends Rendered {
  name: string
  title: string
}

/** How long pages are read before other work has its turn, milliseconds. */
const HOLD_MS = 4
const MIN_WORD = 3

/** Returns the words of a text, each once, without those in `known`. */
const wordsOf = (text: string, known = ''): string =>
  [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_:.-]+/gu) ?? [])]
    .map((word) => word.replace(/^[:.-]+|[:.-]+$/g, ''))
    .filter((word) => word.length >= MIN_WORD && !known.toLowerCase().includes(word))
    .join(' ')

/** The parts of a page between its headings. */
function sectionsOf({ name, title, html }: Searchable): SearchEntry[] {
  return html.split(/(?=<h[23] id=")/).map((part): SearchEntry => {
    const [heading, id = '', inner = ''] = /^<h[23] id="([^"]+)">(.*?)<\/h\d>/s.exec(part) ?? []
    const own = heading === undefined ? title : textOf(inner)
    const hash = heading === undefined ? '' : `#${id}`
    return [own, heading === undefined ? '' : title, name, hash, wordsOf(textOf(part), own)]
  })
}

/** The rows of tables that have an id: settings, permissions, error codes, figures. */
const rowsOf = ({ name, title, html }: Searchable): SearchEntry[] =>
  [...html.matchAll(/<tr id="([^"]+)">(.*?)<\/tr>/gs)].map(([, id = '', row = '']): SearchEntry => {
    const cells = [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => textOf(cell))
    const meaning = cells.slice(1).join(' · ')
    return [
      id,
      `${title}: ${meaning.length > 90 ? `${meaning.slice(0, 88)}…` : meaning}`,
      name,
      `#${id}`,
      '',
    ]
  })

/**
 * Returns a function that collects the names of fields and the codes of errors in a part of the
 * document, and in the components that it refers to.
 */
function collector(document: OpenApiDocument): (part: unknown) => Set<string> {
  const known = new Map<string, Set<string>>()
  const visit = (part: unknown, found: Set<string>): void => {
    if (typeof part !== 'object' || part === null) return
    for (const [key, value] of Object.entries(part)) {
      if (key === '$ref' && typeof value === 'string')
        ofComponent(value).forEach((name) => found.add(name))
      else if (key === 'example' || key === 'examples') continue
      else if (key === 'properties') for (const name of Object.keys(value as Json)) found.add(name)
      else if (key === 'parameters' && Array.isArray(value))
        for (const { name } of value as Json[]) if (typeof name === 'string') found.add(name)
      if (key === 'x-codes')
        Object.values(value as Json)
          .flat()
          .forEach((name) => found.add(String(name)))
      else visit(value, found)
    }
  }
  const ofComponent = (reference: string): Set<string> => {
    const before = known.get(reference)
    if (before) return before
    const found = new Set<string>()
    known.set(reference, found)
    const [, , kind = '', name = ''] = reference.split('/')
    // The envelope of errors has the same fields everywhere.
    if (kind !== 'responses')
      visit((document.components as Record<string, Json>)[kind]?.[name], found)
    return found
  }
  return (part) => {
    const found = new Set<string>()
    visit(part, found)
    return found
  }
}

/**
 * Returns the index of the search as a script, which also works without a server: places, and for
 * each field and error code the numbers of the operations that have it.
 */
export async function searchIndex(
  pages: Iterable<Searchable>,
  document: OpenApiDocument,
): Promise<string> {
  const yieldIfDue = yieldEvery(HOLD_MS)
  const places: SearchEntry[] = []
  for (const page of pages) {
    places.push(...sectionsOf(page), ...rowsOf(page))
    await yieldIfDue()
  }
  const collect = collector(document)
  const operations: SearchEntry[] = []
  const uses = new Map<string, number[]>()
  for (const { tag, operations: lines } of operationsByTag(document))
    for (const { id, method, path, summary, permission } of lines) {
      const name = operationName(tag, id)
      for (const word of collect(
        { ...document.paths, ...document.webhooks }[path]?.[method.toLowerCase()],
      ))
        uses.set(word, [...(uses.get(word) ?? []), operations.length])
      operations.push([
        summary,
        `${method} ${path}`,
        name,
        '',
        `${id} ${tag} ${permission}`.toLowerCase(),
      ])
      await yieldIfDue()
    }
  return `globalThis.SWITCHBOARD_SEARCH=${JSON.stringify({
    places,
    operations,
    fields: Object.fromEntries([...uses].map(([word, all]) => [word, all.join(' ')])),
  })}\n`
}
