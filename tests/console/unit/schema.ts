import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The parts of a JSON schema that the document uses. */
interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  format?: string
  examples?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
}
type Values = Record<string, unknown>

const DOCUMENT = join(import.meta.dir, '../../contract/openapi.json')
const { schemas } = (
  JSON.parse(readFileSync(DOCUMENT, 'utf8')) as {
    components: { schemas: Record<string, Schema> }
  }
).components

/** Returns a schema of the API's document by its name. */
export function schemaOf(name: string): Schema {
  const schema = schemas[name]
  if (!schema) throw new Error(`the document has no schema ${name}`)
  return schema
}

const resolve = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : resolve(schemaOf(schema.$ref.split('/').at(-1) ?? ''))

const isNull = (schema: Schema): boolean => schema.type === 'null'

/** What examples are like: with every field, or only with what is required, empty where possible. */
interface Wanted {
  kind: 'full' | 'least'
  /** Values by the names of their fields. */
  known: Values
}

/** Returns a value that fits a schema. `name` is the field that holds it. */
export function exampleOf(schema: Schema, wanted: Wanted, name = ''): unknown {
  const { anyOf, oneOf, allOf, type, items } = resolve(schema)
  const isFull = wanted.kind === 'full'
  if (Array.isArray(type)) {
    const found = type.find((one) => (one === 'null') !== isFull)
    return exampleOf({ ...resolve(schema), type: found ?? type[0] ?? 'null' }, wanted, name)
  }
  if (anyOf) {
    const found = anyOf.find((one) => isNull(one) !== isFull) ?? anyOf[0]
    return found && exampleOf(found, wanted, name)
  }
  if (oneOf?.[0]) return exampleOf(oneOf[0], wanted, name)
  if (allOf) {
    const parts = allOf.map((part) => exampleOf(part, wanted, name))
    return Object.assign({}, ...parts) as unknown
  }
  if (type === 'null') return null
  if (type === 'array') return isFull && items ? [exampleOf(items, wanted, name)] : []
  if (type === 'object') return objectOf(resolve(schema), wanted)
  return scalarOf(resolve(schema), wanted, name)
}

function objectOf({ properties, required = [], examples }: Schema, wanted: Wanted): unknown {
  if (!properties) return examples?.[0] ?? {}
  const names = wanted.kind === 'full' ? Object.keys(properties) : required
  return Object.fromEntries(
    names.map((name) => [name, exampleOf(properties[name] ?? {}, wanted, name)]),
  )
}

function scalarOf(schema: Schema, { known }: Wanted, name: string): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.type === 'boolean') return true
  if (schema.type === 'integer' || schema.type === 'number') return 1
  if (schema.format === 'uuid') return known[name] ?? '00000000-0000-4000-8000-000000000000'
  return schema.format === 'date-time' ? '2026-11-21T09:30:05.000Z' : 'text'
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

/** Returns where a value does not fit a schema. Unknown fields are allowed. */
export function problemsOf(schema: Schema, value: unknown, path = ''): string[] {
  const { anyOf, oneOf, allOf, type, properties, required, items, ...rest } = resolve(schema)
  const alternatives = anyOf ?? oneOf
  if (alternatives) {
    const found = alternatives.map((one) => problemsOf(one, value, path))
    const [least = []] = found.toSorted((one, other) => one.length - other.length)
    return least
  }
  if (allOf) return allOf.flatMap((part) => problemsOf(part, value, path))
  const wanted = [type ?? []].flat().map((one) => (one === 'integer' ? 'number' : one))
  const here = path === '' ? 'it' : path
  if (wanted.length > 0 && !wanted.includes(typeOf(value)))
    return [`${here} is ${typeOf(value)}, not ${wanted.join(' or ')}`]
  const words = rest.const === undefined ? rest.enum : [rest.const]
  if (words && !words.includes(value)) return [`${here} is ${String(value)}`]
  if (Array.isArray(value) && items)
    return value.flatMap((one, index) => problemsOf(items, one, `${path}[${index}]`))
  if (typeOf(value) !== 'object' || !properties) return []
  const fields = value as Values
  return [
    ...(required ?? [])
      .filter((name) => !(name in fields))
      .map((name) => `${path}.${name} missing`),
    ...Object.entries(properties ?? {}).flatMap(([name, one]) =>
      name in fields ? problemsOf(one, fields[name], `${path}.${name}`) : [],
    ),
  ]
}
