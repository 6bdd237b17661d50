import { randomBytes } from 'node:crypto'

import type { FieldProblem } from '../../../../lib/errors'
import { readHeaders } from '../../../../lib/outgoing-headers'
import type { Ctx } from '../../../../infra/ctx'
import { requireAllowedUrl } from '../../../../infra/require-allowed-url'
import type { FlowRow, StoredConfig } from '../view'
import { AT, type EndpointColumns, type ConfigPlace, isObject, invalid } from './config-shape'
import { encryptFlowSecret, decryptFlowSecret } from './secrets'

const MAX_URL_LENGTH = 2_048

/** Headers that the signature of a request sets. */
const OWN_HEADERS = /^content-type$/i

const SECRET = /^whsec_[A-Za-z0-9+/]+={0,2}$/

/** Validates a customer endpoint, which receives signed requests (webhooks contract 3 and 5). */
export function readHttp(ctx: Ctx, place: ConfigPlace, given: unknown): EndpointColumns {
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
  const headers = readHeaders((path, message) => void errors.push({ path, message }), {
    path: `${AT}.headers`,
    given: config['headers'],
    url,
    held: {
      url: held.url ?? '',
      values: JSON.parse(heldHeaders ?? '{}') as Record<string, string>,
    },
    reserved: OWN_HEADERS,
  })
  const own = config['secret']
  if (own !== undefined && !isGoodSecret(own))
    errors.push({ path: `${AT}.secret`, message: 'must be whsec_ and base64 of 24 to 64 bytes' })
  if (errors.length > 0) throw invalid(errors)
  requireAllowedUrl(ctx, `${AT}.url`, url)
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
