import { DEFAULT_GRAPH_VERSION } from '../../lib/graph-versions'
import { nameOfOwner, OF_NAME } from './example-words'

/** A JSON schema, as far as examples need it. */
type Schema = Record<string, unknown>

/** Example values by format. */
const OF_FORMAT: Record<string, string> = {
  uuid: '019a52b0-1c00-7000-8000-000000000001',
  'date-time': '2026-11-21T09:30:00.000Z',
  date: '2026-11-21',
  email: 'ana@example.com',
  uri: 'https://example.com/',
}

/** Example values for fields with a pattern; the first one that matches is used. */
const FOR_PATTERNS = ['301000000000001', '123456', DEFAULT_GRAPH_VERSION, 'word', 'users:read']

/** Flags that are seldom set. */
const SELDOM_SET =
  /^(blocked|is_super_admin|must_change_password|has_pin|has_more|retryable|is_system)$/

/** Optional facts that most resources do not have. */
const SELDOM_THERE =
  /^(error|last_error|failed_at|revoked_at|edited_at|closed_at|blocked_at|snoozed_until|paused_until|deleted_at|next_cursor|reason|referral|campaign_id|resend_of|repeat_of)$/

const MAX_LIST_LENGTH = 1

const titleOf = ({ title }: Schema): string => (typeof title === 'string' ? title : '')

/**
 * Returns an example of a schema: its own example if it has one, otherwise one composed of its
 * parts. `name` is the field name, `owner` the name of the schema that it belongs to. The result is
 * always valid against the schema.
 */
export function exampleOf(schema: Schema, name = '', owner = ''): unknown {
  const [own] = (schema['examples'] ?? []) as unknown[]
  if (own !== undefined) return own
  if ('const' in schema) return schema['const']
  if ('default' in schema) return schema['default']
  const variants = (schema['anyOf'] ?? schema['oneOf'] ?? []) as Schema[]
  const types = [schema['type']].flat()
  const isNullable = types.includes('null') || variants.some(({ type }) => type === 'null')
  if (isNullable && SELDOM_THERE.test(name)) return null
  const [word] = (schema['enum'] ?? []) as unknown[]
  if (word !== undefined) return word
  const variant = variants.find(({ type }) => type !== 'null') ?? variants[0]
  if (variant) return exampleOf(variant, name, owner)
  const parts = (schema['allOf'] ?? []) as Schema[]
  if (parts.length > 0)
    return Object.assign(
      {},
      ...parts.map((part) => exampleOf(part, name, titleOf(schema) || owner)),
    ) as unknown
  const [type] = types
  return ofType({ ...schema, type }, name, titleOf(schema) || owner)
}

function ofType(schema: Schema, name: string, owner: string): unknown {
  switch (schema['type']) {
    case 'object':
      return ofObject(schema, owner)
    case 'array':
      return Array.from(
        { length: Math.max(MAX_LIST_LENGTH, Number(schema['minItems'] ?? 0)) },
        () => exampleOf((schema['items'] ?? {}) as Schema, name, owner),
      )
    case 'string':
      return ofString(schema, name, owner)
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 1
    case 'boolean':
      return !SELDOM_SET.test(name)
    case 'null':
      return null
    default:
      return {}
  }
}

const ofObject = (schema: Schema, owner: string): unknown =>
  Object.fromEntries(
    Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).map(([key, value]) => [
      key,
      exampleOf(value, key, owner),
    ]),
  )

function ofString(schema: Schema, name: string, owner: string): string {
  const { format, pattern } = schema
  if (typeof format === 'string' && OF_FORMAT[format] !== undefined) return OF_FORMAT[format]
  if (typeof pattern === 'string')
    return FOR_PATTERNS.find((word) => new RegExp(pattern, 'u').test(word)) ?? ''
  const word = name === 'name' ? nameOfOwner(owner) : (OF_NAME[name] ?? 'text')
  return word
    .padEnd(Number(schema['minLength'] ?? 0), '.')
    .slice(0, Number(schema['maxLength'] ?? Infinity))
}
