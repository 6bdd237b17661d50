import { webUrl } from './web-url'
import { parseCidrs } from './address'
import { parseExceptions } from './egress'
import { isEmail, isName, nameRule, passwordProblem } from './fields'
import { nearestWord } from './nearest-word'

/** The strongest setting of `PASSWORD_MEMORY_MIB`. */
export const MAX_PASSWORD_MEMORY_MIB = 256

/** Where a value comes from: `file` is a file with the value, `env_file` one of `--env-file`. */
export const SETTING_SOURCES = ['environment', 'file', 'env_file', 'default'] as const
export type SettingSource = (typeof SETTING_SOURCES)[number]

/** Schema of one environment variable. `shown` is the default as the documentation shows it. */
export interface VariableFacts {
  type?: string
  description?: string
  default?: string | number
  enum?: string[]
  minimum?: number
  maximum?: number
  minLength?: number
  pattern?: string
  url?: boolean
  smtp?: boolean
  proxy?: boolean
  key?: boolean
  cidrs?: boolean
  origins?: boolean
  exceptions?: boolean
  hosts?: boolean
  listener?: boolean
  email?: boolean
  password?: boolean
  displayName?: boolean
  /** Whether an empty value differs from an unset one. */
  mayBeEmpty?: boolean
  secret?: boolean
  shown?: string
}

/**
 * Parses a root key of at least 32 bytes, written as hex or base64. Returns `null` if invalid or
 * too short.
 */
export function readKey(text: string): Buffer | null {
  // A recovery sheet has the key in groups.
  const trimmed = text.replaceAll(/\s/g, '')
  const isHex = /^[0-9a-fA-F]+$/.test(trimmed) && trimmed.length % 2 === 0
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(trimmed)
  const key = isHex ? Buffer.from(trimmed, 'hex') : isBase64 ? Buffer.from(trimmed, 'base64') : null
  return key && key.length >= 32 ? key : null
}

/** Returns what is wrong with the value of a setting, in the form "must …", or `null`. */
export function problemOf(facts: VariableFacts, value: string | number): string | null {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) return 'must be a whole number'
    if (value < (facts.minimum ?? -Infinity) || value > (facts.maximum ?? Infinity))
      return `must be between ${facts.minimum} and ${facts.maximum}`
    return null
  }
  if (facts.enum && !facts.enum.includes(value)) return `must be one of ${facts.enum.join(', ')}`
  if (facts.minLength !== undefined && value.length < facts.minLength)
    return `must have at least ${facts.minLength} characters`
  if (facts.pattern !== undefined && !new RegExp(facts.pattern).test(value))
    return `must match ${facts.pattern}`
  if (facts.url && webUrl(value) === null) return 'must be an http or https URL'
  if (facts.smtp && !/^smtps?:$/.test(URL.parse(value)?.protocol ?? ''))
    return 'must be an smtp:// or smtps:// URL'
  if (facts.proxy && URL.parse(value)?.protocol !== 'http:') return 'must be an http:// URL'
  if (facts.key && !readKey(value)) return 'must be at least 32 bytes as base64 or hex'
  if (facts.cidrs && parseCidrs(value) === null) return 'must be a list of addresses or CIDR ranges'
  if (facts.exceptions && parseExceptions(value) === null)
    return 'must be a list of addresses, CIDR ranges or host:port'
  if (facts.hosts && !listOf(value).every(isHost)) return 'must be a list of host names'
  if (facts.listener && value !== '' && readListener(value) === null)
    return 'must be host:port, or empty'
  if (facts.email && !isEmail(value)) return 'must be an email address'
  if (facts.displayName && !isName(value)) return nameRule()
  if (facts.password) return passwordProblem(value)
  if (facts.origins && !listOf(value).every(isOrigin))
    return 'must be a list of exact origins such as https://app.example.com; * is not allowed'
  return null
}

/** Splits a comma-separated list and trims its items. */
export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

const isHost = (text: string): boolean => /^[A-Za-z0-9.-]+(:\d{1,5})?$/.test(text)

/** Parses `host:port`, with IPv6 addresses in brackets. Returns `null` if invalid. */
export function readListener(value: string): { host: string; port: number } | null {
  const [, host, port] = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(value) ?? []
  if (host === undefined || Number(port) > 65_535) return null
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

const isOrigin = (text: string): boolean =>
  webUrl(text) !== null && !text.includes('*') && new URL(text).origin === text

const PREFIX = 'SWITCHBOARD_'

/**
 * Whether Kubernetes set a variable, for a service whose name begins with that of the product
 * (Kubernetes, Accessing the Service, Environment variables).
 */
const isOfKubernetes = (name: string, value: string): boolean =>
  /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/.test(name) ||
  /^(?:tcp|udp|sctp):\/\//.test(value)

const sortedWords = (name: string): string => name.split('_').toSorted().join('_')

/** Returns the known name that is likely meant: with a few other letters, or its words in another order. */
const meantBy = (name: string, known: ReadonlySet<string>): string | null =>
  nearestWord(name, known) ??
  known.values().find((other) => sortedWords(other) === sortedWords(name)) ??
  null

/**
 * Returns a warning for each variable whose name is close to a known one, or that begins with the
 * name of the product, which settings do not have.
 */
export function misspelledSettings(
  variables: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): string[] {
  const known = new Set(names.flatMap((name) => [name, `${name}_FILE`]))
  return Object.keys(variables)
    .filter((name) => !known.has(name) && /^[A-Z_0-9]+$/i.test(name))
    .toSorted()
    .flatMap((name) => {
      const upper = name.toUpperCase()
      const isOurs = upper.startsWith(PREFIX) && !isOfKubernetes(upper, variables[name] ?? '')
      const nearest = meantBy(isOurs ? upper.slice(PREFIX.length) : upper, known)
      if (nearest === null && !isOurs) return []
      const hint = nearest === null ? '' : ` Did you mean ${nearest}?`
      return [`${name} is not a setting and is ignored.${hint}`]
    })
}
