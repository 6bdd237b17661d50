import { flagOf, listOf, objectOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { dialed } from '../dialed'
import type { RoutingRoles } from '../routing-roles'
import {
  type CallGraph,
  type NumberAccess,
  ofNumber,
  requireSuccess,
  unexpectedResponse,
} from './graph-request'
import { type Administration } from './administration'

/**
 * Path of the roles of a number. The platform documents the answer and its meaning; its path was not
 * readable and is not verified.
 */
const ROUTING_ROLES_PATH = '/routing_roles'

/** More roles than any number can have. */
const MAX_ROLES = 50

/** Calls about who answers the customers of a phone number. */
export function routingCalls(callGraph: CallGraph) {
  return {
    async controlThread({
      address,
      control,
      metadata,
      ...call
    }: Parameters<Administration['controlThread']>[0]) {
      const payload = {
        messaging_product: 'whatsapp',
        ...('to' in address ? { to: dialed(address.to) } : address),
        action: control.action,
        metadata,
        ...(control.action === 'pass' && control.target !== null
          ? { control_pass: { target_role: control.target } }
          : {}),
      }
      requireSuccess(await callGraph({ ...ofNumber(call), path: '/thread_control', payload }))
    },
    async getRoutingRoles(call: NumberAccess) {
      const response = await callGraph({ ...ofNumber(call), path: ROUTING_ROLES_PATH })
      return readRoles('roles' in response ? response : objectOf(listOf(response.data)[0]))
    },
  }
}

function readRoles({ roles, is_standby }: JsonObject): RoutingRoles {
  const words = listOf(roles).slice(0, MAX_ROLES).map(wordOf)
  if (!Array.isArray(roles) || words.includes(null)) throw unexpectedResponse('no_roles')
  return { roles: words.filter((role) => role !== null), isStandby: flagOf(is_standby) }
}
