import { DEFAULT_GRAPH_VERSION } from '../../lib/graph-versions'
import { dateOf, idOf, momentOf, numberOf } from './example-values'
import { nameOfOwner, wordOf } from './example-words'

/** A JSON schema, as far as examples need it. */
type Schema = Record<string, unknown>

/** Example values by format. */
const OF_FORMAT: Record<string, (name: string, owner: string) => string> = {
  uuid: idOf,
  'date-time': momentOf,
  date: dateOf,
  email: (name, owner) => wordOf('email', owner) ?? name,
  uri: (name, owner) => wordOf(name, owner) ?? 'https://shop.example.com/',
}

/** Example values for fields with a pattern; the first one that matches is used. */
const FOR_PATTERNS = ['203040506070809', '123456', DEFAULT_GRAPH_VERSION, 'news', 'users:read']

/** Flags that are seldom set. */
const SELDOM_SET =
  /^(blocked|platform_blocked|is_super_admin|must_change_password|has_pin|has_more|retryable|is_system|truncated|rebuilding|sla_breached|ai_generated|requested|override_callback)$/

/** Optional facts that most resources do not have. */
const SELDOM_THERE =
  /^(error|error_code|last_error|failed_at|revoked_at|edited_at|closed_at|blocked_at|snoozed_until|paused_until|pause_reason|eta_at|deleted_at|disabled_at|archived_at|next_cursor|reason|referral|campaign_id|resend_of|repeat_of|moved_to|(?:refused|restricted|failing|away)_since|restricted_until|forced_at|sla_breached_at|escalated_at|last_failure_at|break_started_at|participant|trace_id|recommendation|free_reason|end_reason)$/

const MAX_LIST_LENGTH = 1

const titleOf = ({ title }: Schema): string => (typeof title === 'string' ? title : '')

/**
 * Returns an example of a schema: its own example if it has one, otherwise one composed of its
 * parts. `name` is the field name, `owner` the name of the schema that it belongs to, followed by
 * the fields that lead to it, such as `Campaign.send_window`. The result is always valid against the
 * schema.
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
  const words = (schema['enum'] ?? []) as unknown[]
  const [word] = words
  if (word !== undefined) return words.find((one) => one === wordOf(name, owner)) ?? word
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
      return ofObject(schema, titleOf(schema) || (name === '' ? owner : `${owner}.${name}`))
    case 'array':
      return Array.from(
        { length: Math.max(MAX_LIST_LENGTH, Number(schema['minItems'] ?? 0)) },
        () => exampleOf((schema['items'] ?? {}) as Schema, name, owner),
      )
    case 'string':
      return ofString(schema, name, owner)
    case 'integer':
    case 'number':
      return numberOf(name, schema)
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
  const ofFormat = OF_FORMAT[String(format)]
  if (ofFormat) return ofFormat(name, owner)
  if (typeof pattern === 'string')
    return (
      [wordOf(name, owner), ...FOR_PATTERNS].find(
        (word) => word !== undefined && new RegExp(pattern, 'u').test(word),
      ) ?? ''
    )
  const word = name === 'name' ? nameOfOwner(owner) : (wordOf(name, owner) ?? 'text')
  return word
    .padEnd(Number(schema['minLength'] ?? 0), '.')
    .slice(0, Number(schema['maxLength'] ?? Infinity))
}
