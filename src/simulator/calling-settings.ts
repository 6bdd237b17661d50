import type { Phone } from './accounts'
import { isReached } from './call-permissions'
import type { Call } from './calls'
import { digitsOf } from './checks'
import { refusal } from './errors'
import { rejected, type Answer } from './messages'
import { changeStorage } from './storage-settings'
import { parametersOf } from './parameters'
import { isObject } from './rules'
import type { World } from './world'

const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']
const SWITCH = ['ENABLED', 'DISABLED']
const TIME = /^([01]\d|2[0-3])[0-5]\d$/
const MAX_PER_DAY = 2

/** Error code for calls of a number that another app answers. */
const NOT_CALL_PRIMARY = 138_038

type Settings = Record<string, unknown>

/** Calling settings of numbers, as they were last set. */
export class CallingState {
  readonly #settings = new Map<string, Settings>()

  /** Returns the settings of a number; mutable. */
  of(phoneId: string): Settings {
    const found = this.#settings.get(phoneId) ?? {
      status: 'DISABLED',
      call_icon_visibility: 'DEFAULT',
      callback_permission_status: 'DISABLED',
    }
    this.#settings.set(phoneId, found)
    return found
  }
}

const ok = (body: unknown): Answer => ({ status: 200, body })
const invalid = (world: World, message: string): Answer =>
  rejected(world, refusal({ code: 100, message: `(#100) ${message}` }))

/** Returns why the platform refuses a value of each setting, or `undefined`. */
const RULES: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  status: oneOf(SWITCH),
  call_icon_visibility: oneOf(['DEFAULT', 'DISABLE_ALL']),
  callback_permission_status: oneOf(SWITCH),
  call_icons: (value) =>
    isObject(value) &&
    Array.isArray(value['restrict_to_user_countries']) &&
    value['restrict_to_user_countries'].every(
      (country) => typeof country === 'string' && /^[A-Z]{2}$/.test(country),
    )
      ? undefined
      : 'must have restrict_to_user_countries with country codes',
  call_hours: hoursProblem,
  sip: sipProblem,
}

function oneOf(words: string[]) {
  return (value: unknown): string | undefined =>
    words.includes(String(value)) ? undefined : `must be one of {${words.join(', ')}}`
}

function hoursProblem(value: unknown): string | undefined {
  if (!isObject(value)) return 'must be an object'
  const { status, timezone_id, weekly_operating_hours: weekly } = value
  if (!SWITCH.includes(String(status))) return 'must have a status'
  if (typeof timezone_id !== 'string' || !Intl.supportedValuesOf('timeZone').includes(timezone_id))
    return 'must have a timezone_id'
  if (!Array.isArray(weekly) || weekly.length === 0) return 'must have weekly_operating_hours'
  const entries = weekly.filter(isObject)
  const isEntry = (entry: Settings): boolean =>
    DAYS.includes(String(entry['day_of_week'])) &&
    TIME.test(String(entry['open_time'])) &&
    TIME.test(String(entry['close_time'])) &&
    String(entry['open_time']) < String(entry['close_time'])
  if (entries.length < weekly.length || !entries.every(isEntry))
    return 'has an invalid entry in weekly_operating_hours'
  for (const day of DAYS) {
    const ofDay = entries
      .filter((entry) => entry['day_of_week'] === day)
      .toSorted((a, b) => String(a['open_time']).localeCompare(String(b['open_time'])))
    if (ofDay.length > MAX_PER_DAY) return `has more than ${MAX_PER_DAY} entries for a day`
    const isOverlapping = ofDay.some(
      (entry, at) => at > 0 && String(entry['open_time']) <= String(ofDay[at - 1]?.['close_time']),
    )
    if (isOverlapping) return 'has overlapping entries'
  }
  return undefined
}

function sipProblem(value: unknown): string | undefined {
  if (!isObject(value) || !SWITCH.includes(String(value['status']))) return 'must have a status'
  const servers = value['servers']
  if (value['status'] === 'DISABLED' && servers === undefined) return undefined
  if (!Array.isArray(servers) || (value['status'] === 'ENABLED' && servers.length === 0))
    return 'must have servers'
  return servers.every((server) => isObject(server) && /\./.test(String(server['hostname'])))
    ? undefined
    : 'has a server without a valid hostname'
}

/**
 * `/{phone}/settings`: calling settings. Numbers whose messaging limit is too low cannot enable
 * calls.
 */
export function numberSettings(world: World, call: Call, phone: Phone, url: URL): Answer {
  const settings = world.calling.of(phone.id)
  if (call.method === 'GET')
    return ok({
      calling:
        url.searchParams.get('include_sip_credentials') === 'true'
          ? settings
          : withoutPasswords(settings),
    })
  const { calling, ...others } = parametersOf(call)
  if (others['storage_configuration'] !== undefined) return changeStorage(world, call, phone)
  const [unknownKey] = Object.keys(others)
  if (unknownKey !== undefined) return invalid(world, `Unexpected key "${unknownKey}" on param.`)
  if (!isObject(calling)) return invalid(world, 'Param calling must be an object.')
  for (const [name, value] of Object.entries(calling)) {
    const problem = RULES[name] === undefined ? 'is unknown' : RULES[name](value)
    if (problem !== undefined) return invalid(world, `Param calling['${name}'] ${problem}.`)
  }
  if (calling['status'] === 'ENABLED' && phone.messagingLimit === 'TIER_250')
    return rejected(
      world,
      refusal({ code: 138_017, message: '(#138017) The number is not eligible for calling' }),
    )
  Object.assign(settings, calling)
  const { sip } = settings
  if (isObject(sip) && Array.isArray(sip['servers']))
    settings['sip'] = {
      ...sip,
      servers: sip['servers'].map((server: Settings) => ({
        ...server,
        sip_user_password: `password-of-${phone.id}`,
      })),
    }
  return ok({ success: true })
}

function withoutPasswords(settings: Settings): Settings {
  const { sip } = settings
  if (!isObject(sip) || !Array.isArray(sip['servers'])) return settings
  const servers = sip['servers'].map(
    ({ sip_user_password: _password, ...server }: Settings) => server,
  )
  return { ...settings, sip: { ...sip, servers } }
}

/** `/{phone}/call_permissions`: whether the number may call a customer and may ask for that. */
export function callPermissions(world: World, phone: Phone, url: URL): Answer {
  const number = url.searchParams.get('user_wa_id')
  const customer = number === null ? url.searchParams.get('recipient') : digitsOf(number)
  if (customer === null || customer === '')
    return rejected(
      world,
      refusal({ code: 100, message: '(#100) The parameter user_wa_id is required.' }),
    )
  if (!world.threads.sharing(phone.id).roles.includes('calls'))
    return rejected(world, refusal({ code: NOT_CALL_PRIMARY }))
  const nowMs = world.nowMs()
  const { status, expiresAtMs } = world.callPermissions.of(phone.id, customer, nowMs)
  const limits = world.callPermissions.limits(phone.id, customer, nowMs)
  return {
    status: 200,
    body: {
      messaging_product: 'whatsapp',
      permission: {
        status,
        ...(expiresAtMs === null ? {} : { expiration_time: Math.floor(expiresAtMs / 1_000) }),
      },
      actions: [
        {
          action_name: 'send_call_permission_request',
          can_perform_action: !limits.some(isReached),
          limits,
        },
        { action_name: 'start_call', can_perform_action: status !== 'no_permission', limits: [] },
      ],
    },
  }
}
