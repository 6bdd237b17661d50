import type { OpenApiDocument } from '../openapi/document'

/** A JSON object. */
type Json = Record<string, unknown>

/** Returns a text of the document; empty if there is none. */
export const said = (part: unknown): string => (typeof part === 'string' ? part : '')

/** A field of a body or a response, as a row of a table. */
export interface SchemaField {
  /** The names that lead to it: `items[].contact.name`. */
  path: string
  type: string
  isRequired: boolean
  /** Markdown. */
  description: string
}

/** One shape that a body can have, such as that of a text message. */
export interface Shape {
  /** Empty if there is only one shape. */
  title: string
  fields: SchemaField[]
}

/** How deep objects in objects are written out. */
const MAX_DEPTH = 4
/** Rows of one table. What is deeper in a large body is described by the document. */
const MAX_FIELDS = 250

/** Returns what a reference leads to, or the object itself. */
export function resolved(document: OpenApiDocument, part: unknown): Json {
  let found = (part ?? {}) as Json
  for (let hops = 0; typeof found['$ref'] === 'string' && hops < 5; hops += 1) {
    const [, , kind = '', name = ''] = found['$ref'].split('/')
    const { $ref: _, ...rest } = found
    const components = document.components as Record<string, Record<string, Json>>
    found = { ...components[kind]?.[name], ...rest }
  }
  return found
}

/** All parts of an `allOf` in one schema. */
function joined(document: OpenApiDocument, part: unknown): Json {
  const { allOf, ...schema } = resolved(document, part)
  if (!Array.isArray(allOf)) return schema
  const parts = [...allOf, schema].map((each) => joined(document, each))
  return Object.assign({}, ...parts, {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as Json,
    required: parts.flatMap(({ required }) => (required ?? []) as string[]),
  }) as Json
}

const choicesOf = (document: OpenApiDocument, schema: Json): Json[] =>
  ((schema['oneOf'] ?? schema['anyOf'] ?? []) as Json[]).map((one) => joined(document, one))

/** Returns the type of a schema in words. */
export function typeOf(document: OpenApiDocument, part: unknown): string {
  const schema = joined(document, part)
  if ('const' in schema) return JSON.stringify(schema['const'])
  const choices = choicesOf(document, schema)
  if (choices.length > 0)
    return [...new Set(choices.map((one) => typeOf(document, one)))].slice(0, 4).join(' or ')
  const types = [schema['type'] ?? 'any'].flat() as string[]
  return types
    .map((type) => {
      if (type === 'array') return `list of ${typeOf(document, schema['items'])}`
      const format = schema['format']
      return type === 'string' && typeof format === 'string' ? `string (${format})` : type
    })
    .join(' or ')
}

const code = (value: unknown): string =>
  `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

/** Returns the limits of a schema as sentences. */
export function limitsOf(schema: Json): string {
  const { enum: words, default: fallback } = schema
  const limit = (name: string): string | null =>
    typeof schema[name] === 'number' ? schema[name].toLocaleString('en') : null
  const [least, most] = [limit('minimum'), limit('maximum')]
  const [shortest, longest, items] = [limit('minLength'), limit('maxLength'), limit('maxItems')]
  const range =
    least !== null && most !== null
      ? `From ${least} to ${most}.`
      : least !== null
        ? `At least ${least}.`
        : most === null
          ? ''
          : `At most ${most}.`
  const sentences = [
    Array.isArray(words)
      ? `One of ${words
          .filter((word) => word !== null)
          .map(code)
          .join(', ')}.`
      : '',
    range,
    shortest === null || shortest === '1' ? '' : `At least ${shortest} characters.`,
    longest === null ? '' : `Up to ${longest} characters.`,
    items === null ? '' : `Up to ${items} items.`,
    fallback === undefined ? '' : `Defaults to ${code(fallback)}.`,
  ]
  const written = said(schema['description'])
  return [written, ...sentences.filter((one) => one !== '' && !written.includes(one))]
    .filter((one) => one !== '')
    .join(' ')
}

/** The object in a schema that has fields of its own: the items of a list, the object beside null. */
function insideOf(document: OpenApiDocument, schema: Json): { inner: Json; suffix: string } | null {
  if (schema['items'] !== undefined) {
    const items = joined(document, schema['items'])
    const deeper = insideOf(document, items)
    return deeper === null ? null : { inner: deeper.inner, suffix: `[]${deeper.suffix}` }
  }
  if (schema['properties'] !== undefined) return { inner: schema, suffix: '' }
  const objects = choicesOf(document, schema).filter((one) => one['properties'] !== undefined)
  const [only] = objects
  return only && objects.length === 1 ? { inner: only, suffix: '' } : null
}

function fieldsOf(document: OpenApiDocument, schema: Json, prefix = '', depth = 1): SchemaField[] {
  const required = new Set((schema['required'] ?? []) as string[])
  return Object.entries((schema['properties'] ?? {}) as Json).flatMap(([name, part]) => {
    const field = joined(document, part)
    const path = `${prefix}${name}`
    const row: SchemaField = {
      path,
      type: typeOf(document, part),
      isRequired: required.has(name),
      description: limitsOf(field),
    }
    const inside = depth < MAX_DEPTH ? insideOf(document, field) : null
    return inside === null
      ? [row]
      : [row, ...fieldsOf(document, inside.inner, `${path}${inside.suffix}.`, depth + 1)]
  })
}

/** Returns the shapes of a schema with their fields; none if it has no fields. */
export function shapesOf(document: OpenApiDocument, part: unknown): Shape[] {
  const schema = joined(document, part)
  const inside = insideOf(document, schema)
  const choices = choicesOf(document, schema).filter(({ properties }) => properties !== undefined)
  const shapes =
    inside === null
      ? choices.map((one) => ({ title: said(one['title']), schema: one }))
      : [{ title: '', schema: inside.inner }]
  return shapes
    .map(({ title, schema: one }) => ({
      title,
      fields: fieldsOf(document, one).slice(0, MAX_FIELDS),
    }))
    .filter(({ fields }) => fields.length > 0)
}
