import type { Phone } from './accounts'
import { isObject } from './rules'
import { seconds, type World } from './world'

/** Parses JSON text. Returns other text unchanged. */
export function jsonOr(value: unknown): unknown {
  try {
    return JSON.parse(String(value))
  } catch {
    return value
  }
}

const THROTTLED_PER_HOUR = 10

/**
 * Returns why a message with a Flow is rejected, or undefined. Accepts all if the platform has no
 * Flows.
 */
export function flowRejection(
  world: World,
  phone: Phone,
  body: unknown,
): { code: number; details: string } | undefined {
  const own = world.flows.of(phone.wabaId)
  const interactive = isObject(body) && isObject(body['interactive']) ? body['interactive'] : {}
  const action = isObject(interactive['action']) ? interactive['action'] : {}
  const parameters = isObject(action['parameters']) ? action['parameters'] : {}
  if (interactive['type'] !== 'flow' || own.length === 0) return undefined
  const flow = own.find(
    ({ id, name }) => id === parameters['flow_id'] || name === parameters['flow_name'],
  )
  if (flow === undefined) return { code: 131_009, details: 'Flow with specified ID does not exist' }
  const isDraft = parameters['mode'] === 'draft'
  if (isDraft !== (flow.status === 'DRAFT') || flow.status === 'DEPRECATED')
    return { code: 131_009, details: `Flow is in ${flow.status} state` }
  if (flow.status === 'BLOCKED') return { code: 132_068, details: 'Flow is in blocked state.' }
  const screens = isObject(jsonOr(flow.json))
    ? ((jsonOr(flow.json) as Record<string, unknown>)['screens'] as Record<string, unknown>[])
    : []
  const payload = parameters['flow_action_payload']
  if (isObject(payload) && !screens.some(({ id }) => id === payload['screen']))
    return { code: 131_009, details: 'Screen does not exist' }
  if (flow.status !== 'THROTTLED') return undefined
  flow.sent = [...flow.sent.filter((at) => at > seconds(world) - 3_600), seconds(world)]
  return flow.sent.length > THROTTLED_PER_HOUR
    ? { code: 132_069, details: 'Flow is in throttled state.' }
    : undefined
}
