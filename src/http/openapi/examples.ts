import { DEFAULT_GRAPH_VERSION } from '../../lib/graph-versions'

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

/** Example values by field name. */
const OF_NAME: Record<string, string> = {
  email: 'ana@example.com',
  name: 'Ana Sol',
  full_name: 'Ana Sol',
  display_name: 'Ana Sol',
  profile_name: 'Ana Sol',
  phone_number: '15550100001',
  wa_id: '15550100001',
  display_phone_number: '+1 555-010-0001',
  verified_name: 'Acme Corp',
  timezone: 'Europe/Berlin',
  date_format: 'YYYY-MM-DD',
  preview: 'Hello!',
  message: 'Done.',
  username: 'ana.sol',
  color: '#2f81f7',
  slug: 'acme-corp-k3v9x2ab',
  token: 'eyJhbGciOi…',
  access_token: 'eyJhbGciOi…',
  refresh_token: 'eyJhbGciOi…',
  permissions: 'contacts:read',
  country: 'US',
  language: 'en',
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

/**
 * Returns an example of a schema: its own example if it has one, otherwise one composed of its
 * parts. `name` is the field name. The result is always valid against the schema.
 */
export function exampleOf(schema: Schema, name = ''): unknown {
  const [own] = (schema['examples'] ?? []) as unknown[]
  if (own !== undefined) return own
  if ('const' in schema) return schema['const']
  if ('default' in schema) return schema['default']
  const [word] = (schema['enum'] ?? []) as unknown[]
  if (word !== undefined) return word
  const variants = (schema['anyOf'] ?? schema['oneOf'] ?? []) as Schema[]
  const isNullable = variants.some(({ type }) => type === 'null')
  if (isNullable && SELDOM_THERE.test(name)) return null
  const variant = variants.find(({ type }) => type !== 'null') ?? variants[0]
  if (variant) return exampleOf(variant, name)
  const parts = (schema['allOf'] ?? []) as Schema[]
  if (parts.length > 0)
    return Object.assign({}, ...parts.map((part) => exampleOf(part, name))) as unknown
  return ofType(schema, name)
}

function ofType(schema: Schema, name: string): unknown {
  switch (schema['type']) {
    case 'object':
      return ofObject(schema)
    case 'array':
      return Array.from(
        { length: Math.max(MAX_LIST_LENGTH, Number(schema['minItems'] ?? 0)) },
        () => exampleOf((schema['items'] ?? {}) as Schema, name),
      )
    case 'string':
      return ofString(schema, name)
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

const ofObject = (schema: Schema): unknown =>
  Object.fromEntries(
    Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).map(([key, value]) => [
      key,
      exampleOf(value, key),
    ]),
  )

function ofString(schema: Schema, name: string): string {
  const { format, pattern } = schema
  if (typeof format === 'string' && OF_FORMAT[format] !== undefined) return OF_FORMAT[format]
  if (typeof pattern === 'string')
    return FOR_PATTERNS.find((word) => new RegExp(pattern, 'u').test(word)) ?? ''
  const word = OF_NAME[name] ?? 'text'
  return word
    .padEnd(Number(schema['minLength'] ?? 0), '.')
    .slice(0, Number(schema['maxLength'] ?? Infinity))
}
