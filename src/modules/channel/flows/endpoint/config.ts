import type { Ctx } from '../../../../infra/ctx'
import type { FlowChanges } from '../model'
import type { FlowRow, StoredConfig } from '../view'
import { AT, type EndpointColumns, type ConfigPlace, isObject, invalid } from './config-shape'
import { readRules } from './read-rules'
import { readHttp } from './read-http'

/**
 * Validates the endpoint of a Flow. Omitted values stay as they are. Throws InvalidError
 * `invalid_input` with every invalid field, and `url_refused` for a URL this server does not call.
 */
export function readEndpoint(
  ctx: Ctx,
  place: ConfigPlace,
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
