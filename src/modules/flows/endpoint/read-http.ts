import { randomBytes } from 'node:crypto'

import { InvalidError, type FieldProblem } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import type { FlowRow, StoredConfig } from '../view'
import { AT, type EndpointColumns, type Place, isObject, invalid } from './config-shape'
import { encryptFlowSecret, decryptFlowSecret } from './secrets'

const MAX_HEADERS = 20

const MAX_URL_LENGTH = 2_048

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/

const HEADER_VALUE = /^[\x20-\x7e]{0,1024}$/

const RESERVED_HEADER =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-.*|user-agent|accept-encoding|webhook-.*)$/i

const HIDDEN_VALUE = '***'

const SECRET = /^whsec_[A-Za-z0-9+/]+={0,2}$/

/** Validates a customer endpoint, which receives signed requests (webhooks contract 3 and 5). */
export function readHttp(ctx: Ctx, place: Place, given: unknown): EndpointColumns {
  const config = isObject(given) ? given : {}
  const held =
    place.endpointMode === 'http' ? (JSON.parse(place.endpointConfig ?? '{}') as StoredConfig) : {}
  const heldHeaders =
    place.endpointMode === 'http' && place.endpointHeadersSealed
      ? decryptFlowSecret(ctx, place as FlowRow, 'headers')
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
  requireAllowedUrl(ctx, url)
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
          : encryptFlowSecret(ctx, place.id, 'secret', secret),
      endpointHeadersSealed:
        Object.keys(headers).length === 0
          ? null
          : encryptFlowSecret(ctx, place.id, 'headers', JSON.stringify(headers)),
    },
    secret,
  }
}

function isGoodSecret(secret: unknown): boolean {
  if (typeof secret !== 'string' || !SECRET.test(secret)) return false
  const { length } = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return length >= 24 && length <= 64
}

/** Throws InvalidError `url_refused` for a URL this server does not call. */
function requireAllowedUrl(ctx: Ctx, url: string): void {
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

/** Returns the custom headers; a masked value keeps the stored one. */
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
