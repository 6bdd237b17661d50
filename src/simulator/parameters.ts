import type { Call } from './calls'
import { isObject } from './rules'

/** Parameters with objects or lists. The platform accepts them as JSON and as JSON text. */
const OBJECTS = new Set(
  (
    'text image video audio document sticker location contacts reaction interactive template context typing_indicator block_users ' +
    'components commands prompts webhook_configuration'
  ).split(' '),
)

const NOT_PARAMETERS = new Set(['access_token', 'appsecret_proof'])

/**
 * Returns the parameters of a call as the platform reads them: query and body together, JSON texts
 * parsed, nulls dropped.
 */
export function parametersOf({
  body,
  query: written,
}: Pick<Call, 'body' | 'query'>): Record<string, unknown> {
  const query = Object.fromEntries(
    [...new URLSearchParams(written)].filter(([name]) => !NOT_PARAMETERS.has(name)),
  )
  const given =
    body instanceof FormData ? Object.fromEntries(body.entries()) : isObject(body) ? body : {}
  const named = Object.entries({ ...query, ...given }).map(
    ([name, value]) => [name, OBJECTS.has(name) ? parsed(value) : value] as const,
  )
  return withoutNulls(Object.fromEntries(named)) as Record<string, unknown>
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, withoutNulls(member)]),
  )
}

/** Reads a boolean from a query or a body. Returns undefined for anything else. */
export function flagOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  return value === 'true' ? true : value === 'false' ? false : undefined
}
