import { randomBytes } from 'node:crypto'

import { fieldSentence, InvalidError, type FieldProblem } from '../../../lib/errors'
import { freeObjectProblems } from '../../../lib/free-object'
import type { Ctx } from '../../../infra/ctx'
import type { EndpointRule, FlowChanges } from '../model'
import { OPERATORS, unknownPlaceholders } from '../rules'
import type { FlowRow, StoredConfig } from '../view'

type Json = Record<string, unknown>

const AT = 'body.endpoint_config'
const ACTIONS = ['INIT', 'BACK', 'data_exchange', 'navigate'] as const
const MAX_RULES = 100
const MAX_CONDITIONS = 20
const MAX_HEADERS = 20
const MAX_URL_LENGTH = 2_048
const MAX_RULES_BYTES = { bytes: 256 * 1024, levels: 12 }
const END = 'SUCCESS'

/** What a form's endpoint is to be, as columns of its row; and the secret, where this made one. */
export interface EndpointColumns {
  columns: Pick<
    FlowRow,
    'endpointMode' | 'endpointConfig' | 'endpointSecretSealed' | 'endpointHeadersSealed'
  >
  /** Shown once, in the answer that made it. */
  secret: string | null
}

/** Where a form lies that is sealed for, and what it had before. */
type Place = Pick<FlowRow, 'id'> & Partial<FlowRow>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const placeOf = (ctx: Pick<Ctx, 'organizationId'>, flowId: string, column: string): string =>
  `${ctx.organizationId}/flows/${column}/${flowId}`

/** Encrypts a secret of a form for its place. */
const sealForFlow = (
  ctx: Pick<Ctx, 'vault' | 'organizationId'>,
  flowId: string,
  column: 'secret' | 'headers',
  plain: string,
): string => ctx.vault.seal(plain, placeOf(ctx, flowId, column))

/** A secret of a form in clear, for one call; `null` when it has none. */
export const openOfFlow = (
  ctx: Pick<Ctx, 'vault' | 'organizationId'>,
  row: FlowRow,
  column: 'secret' | 'headers',
): string | null => {
  const sealed = column === 'secret' ? row.endpointSecretSealed : row.endpointHeadersSealed
  return sealed === null ? null : ctx.vault.open(sealed, placeOf(ctx, row.id, column))
}

/** The secrets of a form, encrypted with the present key. */
export const resealOfFlow = (
  ctx: Pick<Ctx, 'vault' | 'organizationId'>,
  { id, endpointSecretSealed: secret, endpointHeadersSealed: headers }: FlowRow,
): Pick<FlowRow, 'endpointSecretSealed' | 'endpointHeadersSealed'> => ({
  endpointSecretSealed:
    secret === null ? null : ctx.vault.reseal(secret, placeOf(ctx, id, 'secret')),
  endpointHeadersSealed:
    headers === null ? null : ctx.vault.reseal(headers, placeOf(ctx, id, 'headers')),
})

/**
 * Reads who is to answer what a form asks. What is not sent stays as it was. Throws InvalidError
 * `invalid_input` with every field that is wrong, and `url_refused` for an address this server
 * would not ask.
 */
export function readEndpoint(
  ctx: Ctx,
  place: Place,
  input: FlowChanges,
  screens: readonly string[] | null,
): EndpointColumns {
  const mode = input.endpoint_mode ?? place.endpointMode ?? 'none'
  const given = input.endpoint_config
  const isOther = mode !== (place.endpointMode ?? 'none')
  if (mode === 'none') {
    if (
      given !== undefined &&
      given !== null &&
      !(isObject(given) && Object.keys(given).length === 0)
    )
      throw invalid([{ path: AT, message: 'requires endpoint_mode rules or http' }])
    return {
      columns: {
        endpointMode: mode,
        endpointConfig: '{}',
        endpointSecretSealed: null,
        endpointHeadersSealed: null,
      },
      secret: null,
    }
  }
  if (given === undefined && !isOther) return { columns: columnsOf(place), secret: null }
  if (mode === 'rules') {
    readRules(given, screens)
    const endpointConfig = JSON.stringify({ rules: given } satisfies StoredConfig)
    return {
      columns: {
        endpointMode: mode,
        endpointConfig,
        endpointSecretSealed: null,
        endpointHeadersSealed: null,
      },
      secret: null,
    }
  }
  return readHttp(ctx, place, given)
}

const columnsOf = (row: Partial<FlowRow>): EndpointColumns['columns'] => ({
  endpointMode: row.endpointMode ?? 'none',
  endpointConfig: row.endpointConfig ?? '{}',
  endpointSecretSealed: row.endpointSecretSealed ?? null,
  endpointHeadersSealed: row.endpointHeadersSealed ?? null,
})

function invalid(errors: FieldProblem[]): InvalidError {
  const [first] = errors
  return new InvalidError(fieldSentence(first?.path, first?.message), {
    code: 'invalid_input',
    errors: errors.slice(0, 20),
  })
}

/**
 * The rules of an endpoint: a list, or an object with a list. Screens are looked for among
 * `screens`, where those are known. Throws InvalidError that names every field that is wrong.
 */
export function readRules(given: unknown, screens: readonly string[] | null): EndpointRule[] {
  const list = isObject(given) ? given['rules'] : given
  const at = isObject(given) ? `${AT}.rules` : AT
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_RULES)
    throw invalid([{ path: at, message: `must be a list of 1 to ${MAX_RULES} rules` }])
  const errors = freeObjectProblems({ rules: list as unknown[] }, AT, MAX_RULES_BYTES)
  const note = (path: string, message: string): void => void errors.push({ path, message })
  const rules = list.map((rule: unknown, index) =>
    readRule(rule, `${at}.${index}`, { screens, note }),
  )
  if (errors.length > 0) throw invalid(errors)
  return rules
}

interface Reading {
  screens: readonly string[] | null
  note: (path: string, message: string) => void
}

function readRule(rule: unknown, path: string, { screens, note }: Reading): EndpointRule {
  const given = isObject(rule) ? rule : {}
  if (!isObject(rule)) note(path, 'must be an object')
  const {
    action = null,
    screen = null,
    next_screen: next,
    when,
    data = {},
    set_attributes = {},
  } = given
  if (action !== null && !ACTIONS.some((known) => known === action))
    note(`${path}.action`, `must be one of ${ACTIONS.join(', ')}`)
  const isScreen = (value: unknown): boolean =>
    typeof value === 'string' && (screens === null || screens.includes(value))
  if (screen !== null && !isScreen(screen)) note(`${path}.screen`, 'is not a screen of this flow')
  if (!isScreen(next) && next !== END)
    note(`${path}.next_screen`, `must be a screen of this flow, or ${END}`)
  for (const [name, value] of [
    ['data', data],
    ['set_attributes', set_attributes],
  ] as const) {
    if (!isObject(value)) note(`${path}.${name}`, 'must be an object')
    for (const placeholder of unknownPlaceholders(value))
      note(`${path}.${name}`, `has {{${placeholder}}}, which stands for nothing`)
  }
  return {
    action: typeof action === 'string' ? action : null,
    screen: typeof screen === 'string' ? screen : null,
    when: readConditions(when, `${path}.when`, note),
    next_screen: typeof next === 'string' ? next : '',
    data: isObject(data) ? data : {},
    set_attributes: isObject(set_attributes) ? set_attributes : {},
  }
}

/** Conditions: a list of `{field, op, value}`, or an object of fields and the values they have. */
function readConditions(when: unknown, path: string, note: Reading['note']): EndpointRule['when'] {
  if (when === undefined || when === null) return []
  if (isObject(when))
    return Object.entries(when).map(([field, value]) => ({ field, op: 'eq', value }))
  if (!Array.isArray(when) || when.length > MAX_CONDITIONS) {
    note(path, `must be a list of up to ${MAX_CONDITIONS} conditions`)
    return []
  }
  return when.map((condition: unknown, index) => {
    const { field, op = 'eq', value = null } = isObject(condition) ? condition : {}
    if (typeof field !== 'string' || field === '') note(`${path}.${index}.field`, 'is required')
    if (typeof op !== 'string' || !Object.hasOwn(OPERATORS, op))
      note(`${path}.${index}.op`, `must be one of ${Object.keys(OPERATORS).join(', ')}`)
    return { field: String(field), op: String(op), value }
  })
}

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const HEADER_VALUE = /^[\x20-\x7e]{0,1024}$/
const RESERVED_HEADER =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-.*|user-agent|accept-encoding|webhook-.*)$/i
const HIDDEN_VALUE = '***'
const SECRET = /^whsec_[A-Za-z0-9+/]+={0,2}$/

/** An address of the customer's: signed requests go there (webhooks contract 3 and 5). */
function readHttp(ctx: Ctx, place: Place, given: unknown): EndpointColumns {
  const config = isObject(given) ? given : {}
  const held =
    place.endpointMode === 'http' ? (JSON.parse(place.endpointConfig ?? '{}') as StoredConfig) : {}
  const heldHeaders =
    place.endpointMode === 'http' && place.endpointHeadersSealed
      ? openOfFlow(ctx, place as FlowRow, 'headers')
      : null
  const errors: FieldProblem[] = isObject(given)
    ? []
    : [{ path: AT, message: 'must be an object with `url`' }]
  const named = config['url'] ?? held.url
  const url = typeof named === 'string' ? named : ''
  if (url === '' || url.length > MAX_URL_LENGTH)
    errors.push({ path: `${AT}.url`, message: 'must be a URL' })
  const headers = readHeaders(
    config['headers'],
    JSON.parse(heldHeaders ?? '{}') as Record<string, string>,
    errors,
  )
  const own = config['secret']
  if (own !== undefined && !isGoodSecret(own))
    errors.push({ path: `${AT}.secret`, message: 'must be whsec_ and base64 of 24 to 64 bytes' })
  if (errors.length > 0) throw invalid(errors)
  requireAskable(ctx, url)
  const isFirst = place.endpointMode !== 'http' || !place.endpointSecretSealed
  const secret =
    typeof own === 'string' ? own : isFirst ? `whsec_${randomBytes(32).toString('base64')}` : null
  return {
    columns: {
      endpointMode: 'http',
      endpointConfig: JSON.stringify({ url, headers: Object.keys(headers) } satisfies StoredConfig),
      endpointSecretSealed:
        secret === null
          ? (place.endpointSecretSealed ?? null)
          : sealForFlow(ctx, place.id, 'secret', secret),
      endpointHeadersSealed:
        Object.keys(headers).length === 0
          ? null
          : sealForFlow(ctx, place.id, 'headers', JSON.stringify(headers)),
    },
    secret,
  }
}

function isGoodSecret(secret: unknown): boolean {
  if (typeof secret !== 'string' || !SECRET.test(secret)) return false
  const { length } = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return length >= 24 && length <= 64
}

/** Throws InvalidError `url_refused`. */
function requireAskable(ctx: Ctx, url: string): void {
  const isPlain = /^http:/i.test(url)
  const reason =
    ctx.fetchGuarded.refusalOf(url) ??
    (isPlain && !ctx.fetchGuarded.isExcepted(url) ? 'must begin with https://' : null)
  if (reason === null) return
  const message = reason.startsWith('must') ? reason : `is not allowed: it ${reason}`
  throw new InvalidError(`${AT}.url: ${message}.`, {
    code: 'url_refused',
    errors: [{ path: `${AT}.url`, message }],
  })
}

/** Headers that go with each request; a hidden value keeps the one that is held. */
function readHeaders(
  given: unknown,
  held: Record<string, string>,
  errors: FieldProblem[],
): Record<string, string> {
  if (given === undefined) return held
  const at = `${AT}.headers`
  if (!isObject(given) || Object.keys(given).length > MAX_HEADERS) {
    errors.push({ path: at, message: `must be an object with up to ${MAX_HEADERS} headers` })
    return {}
  }
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const kept = value === HIDDEN_VALUE ? held[name] : value
      if (!HEADER_NAME.test(name) || RESERVED_HEADER.test(name))
        errors.push({ path: `${at}.${name}`, message: 'is not a header that can be set' })
      else if (typeof kept !== 'string' || !HEADER_VALUE.test(kept))
        errors.push({
          path: `${at}.${name}`,
          message: 'must be a string of up to 1024 visible characters',
        })
      return [name, String(kept)]
    }),
  )
}
