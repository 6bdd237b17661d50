import type { Phone } from './accounts'
import type { Call } from './calls'
import { refusal } from './errors'
import { rejected, type Answer } from './messages'
import { parametersOf } from './parameters'
import { isObject } from './rules'
import type { World } from './world'

/** Countries in which the platform offers to store the content of messages. */
const REGIONS = ['AU', 'BR', 'CA', 'CH', 'DE', 'GB', 'ID', 'IN', 'JP', 'KR', 'SG', 'ZA']

const invalid = (world: World, details: string): Answer =>
  rejected(world, refusal({ code: 100, details }))

/** Changes where the content of a number's messages is stored, while it is not registered. */
export function changeStorage(world: World, call: Call, phone: Phone): Answer {
  const { storage_configuration: storage, ...others } = parametersOf(call)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return invalid(world, `Unexpected parameter: ${unknown}.`)
  if (!isObject(storage)) return invalid(world, 'Param storage_configuration must be an object.')
  const { status, data_localization_region: region, ...rest } = storage
  if (Object.keys(rest).length > 0 || status !== 'IN_COUNTRY_STORAGE_ENABLED')
    return invalid(world, 'Param storage_configuration is invalid.')
  if (typeof region !== 'string' || !REGIONS.includes(region))
    return invalid(world, `Param data_localization_region must be one of ${REGIONS.join(', ')}.`)
  if (phone.status === 'CONNECTED')
    return invalid(world, 'Local storage can be changed only while the number is not registered.')
  world.accounts.add({ id: phone.id, storageRegion: region })
  return { status: 200, body: { success: true } }
}
