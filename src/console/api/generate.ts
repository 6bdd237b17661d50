/**
 * Writes what clients know about the API, as `tests/contract/openapi.json` describes it:
 *
 * - `types.gen.ts`: for each operation its query, its body and the `data` of its response; for each
 *   named schema a type of the same name. And the names of the texts that people write about a
 *   contact.
 * - `operations.gen.ts` of the client package: the route of each operation by its name.
 */
import { join } from 'node:path'

/** A JSON Schema, as far as it is read. */
export interface Schema {
  $ref?: string
  description?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  type?: string | string[]
  format?: string
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  patternProperties?: Record<string, Schema>
}
interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  schema?: Schema
}
type Content = Record<string, { schema?: Schema }>
interface Response {
  $ref?: string
  content?: Content
}
/** One operation. */
export interface Operation {
  operationId?: string
  summary?: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content?: Content }
  responses?: Record<string, Response>
}
/** The parts of an OpenAPI document that are read. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> }
}

const ROOT = join(import.meta.dir, '../../..')
const DOCUMENT = join(ROOT, 'tests/contract/openapi.json')
const TARGET = join(import.meta.dir, 'types.gen.ts')
const OPERATIONS = join(ROOT, 'src/clients/typescript/operations.gen.ts')
/** What arrives by the socket and at webhook endpoints, which no operation names. */
const EVENTS = ['ServerFrame', 'WebhookEvent']

/** The names that types refer to, and whether fields carry their descriptions. */
class Names extends Set<string> {
  constructor(readonly isDescribed: boolean) {
    super()
  }
}

const keyOf = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
const lastWord = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)
const literal = (value: unknown): string => JSON.stringify(value) ?? 'undefined'
const unionOf = (parts: string[]): string => [...new Set(parts)].join(' | ')

/** Returns the type of a schema. Adds the names it refers to. */
function typeOf(schema: Schema | undefined, names: Names): string {
  if (!schema || Object.keys(schema).length === 0) return 'unknown'
  if (schema.$ref !== undefined) {
    names.add(lastWord(schema.$ref))
    return lastWord(schema.$ref)
  }
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return unionOf(schema.enum.map(literal))
  const options = schema.anyOf ?? schema.oneOf
  if (options) return unionOf(options.map((one) => typeOf(one, names)))
  if (schema.allOf) return schema.allOf.map((one) => `(${typeOf(one, names)})`).join(' & ')
  if (Array.isArray(schema.type))
    return unionOf(schema.type.map((type) => typeOf({ ...schema, type }, names)))
  return plainTypeOf(schema, names)
}

function plainTypeOf(schema: Schema, names: Names): string {
  switch (schema.type) {
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array': {
      const item = typeOf(schema.items, names)
      return /[|&]/.test(item) ? `(${item})[]` : `${item}[]`
    }
    default:
      return objectOf(schema, names)
  }
}

const docOf = (text = ''): string =>
  text === '' ? '' : `/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ')} */ `

function objectOf(schema: Schema, names: Names): string {
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) {
    const rest = schema.additionalProperties ?? Object.values(schema.patternProperties ?? {})[0]
    return `Record<string, ${typeof rest === 'object' ? typeOf(rest, names) : 'unknown'}>`
  }
  const required = new Set(schema.required)
  const texts = fields.map(([name, one]) => {
    const about = names.isDescribed ? docOf(one.description) : ''
    return `${about}${keyOf(name)}${required.has(name) ? '' : '?'}: ${typeOf(one, names)}`
  })
  return `{ ${texts.join('; ')} }`
}

/** Returns one line: the query, body and response of an operation. */
function operationOf(
  { components }: ApiDocument,
  [route, { parameters = [], requestBody, responses = {} }]: [string, Operation],
  names: Names,
): string {
  const query = parameters
    .map((one) =>
      one.$ref === undefined ? one : (components.parameters[lastWord(one.$ref)] ?? one),
    )
    .filter((one) => one.in === 'query')
    .map(({ name, required, schema }) => {
      return `${keyOf(name)}${required === true ? '' : '?'}: ${typeOf(schema, names)}`
    })
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const datas = good.map(([, { content }]) => dataOf(components.schemas, content, names))
  const body = requestBody?.content?.['application/json']?.schema
  const form = requestBody?.content?.['multipart/form-data']?.schema
  const formText = form ? ` form: ${typeOf(form, names)};` : ''
  return `  ${JSON.stringify(route)}: { query: ${query.length === 0 ? 'undefined' : `{ ${query.join('; ')} }`}; body: ${body ? typeOf(body, names) : 'undefined'};${formText} data: ${unionOf(datas) || 'undefined'} }`
}

/** Returns the type of `data` in the envelope of a response. */
function dataOf(
  schemas: Record<string, Schema>,
  content: Content | undefined,
  names: Names,
): string {
  const schema = content?.['application/json']?.schema
  const envelope = schema?.$ref === undefined ? schema : schemas[lastWord(schema.$ref)]
  return typeOf(envelope?.properties?.['data'], names)
}

/** Returns the fields of the body that changes a contact that are texts, but no ids. */
const contactTextsOf = ({ components: { schemas } }: ApiDocument): string[] =>
  Object.entries(schemas['ContactChanges']?.properties ?? {})
    .filter(([, { type, format }]) => type?.includes('string') && format !== 'uuid')
    .map(([field]) => field)

/** Returns the states of campaigns or of their recipients, in their order. */
const statesOf = (
  { components: { schemas } }: ApiDocument,
  name: 'Campaign' | 'CampaignRecipient',
): unknown[] => schemas[name]?.properties?.['status']?.enum ?? []

/** Returns each operation below `/api/` with its method and path. */
export const operationsIn = (document: ApiDocument): [route: string, operation: Operation][] =>
  Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    )

/** Returns the text of `types.gen.ts` for an API document; fields are described if wanted. */
export function typesOf(document: ApiDocument, isDescribed = false): string {
  const names = new Names(isDescribed)
  const operations = operationsIn(document).map((one) => operationOf(document, one, names))
  for (const name of EVENTS) if (name in document.components.schemas) names.add(name)
  const types: string[] = []
  // a set that grows while it is walked: types name further types
  for (const name of names)
    types.push(`export type ${name} = ${typeOf(document.components.schemas[name], names)}`)
  return `// Generated from the OpenAPI document by generate.ts. Do not edit.
${types.toSorted().join('\n')}

export interface Operations {
${operations.join('\n')}
}

export const CONTACT_TEXTS = [${contactTextsOf(document).map(literal).join(', ')}] as const
export const CAMPAIGN_STATES = [${statesOf(document, 'Campaign').map(literal).join(', ')}] as const
export const RECIPIENT_STATES = [${statesOf(document, 'CampaignRecipient').map(literal).join(', ')}] as const
`
}

/** Whether an operation takes an `Idempotency-Key`. */
export const takesKey = ({ parameters = [] }: Operation): boolean =>
  parameters.some(({ $ref = '' }) => lastWord($ref) === 'IdempotencyKey')

/** Whether an operation always answers with a file or a page, never with the envelope. */
export const isDownload = ({ responses = {} }: Operation): boolean =>
  !Object.entries(responses).some(
    ([status, { content }]) => status.startsWith('2') && content?.['application/json'],
  )

/** Returns the text of `operations.gen.ts` for an API document. */
export function operationNamesOf(document: ApiDocument): string {
  const all = operationsIn(document)
  const namesOf = (one: (operation: Operation) => boolean): string[] =>
    all.flatMap(([, operation]) => (one(operation) ? [literal(operation.operationId)] : []))
  const lines = all.map(
    ([route, { operationId = '', summary }]) =>
      `  ${docOf(summary && `${summary}.`)}${operationId}: ${literal(route)},`,
  )
  return `// Generated from the OpenAPI document by console/api/generate.ts. Do not edit.

/** Method and path of each operation. */
export const OPERATIONS = {
${lines.join('\n')}
} as const

/** The operations that take an \`Idempotency-Key\`. */
export const KEYED: ReadonlySet<string> = new Set([
  ${namesOf(takesKey).join(',\n  ')},
])

/** The operations that answer with a file. */
export type DownloadName =
  | ${namesOf(isDownload).join('\n  | ')}
`
}

if (import.meta.main) {
  const document = (await Bun.file(DOCUMENT).json()) as ApiDocument
  await Bun.write(TARGET, typesOf(document))
  await Bun.write(OPERATIONS, operationNamesOf(document))
}
