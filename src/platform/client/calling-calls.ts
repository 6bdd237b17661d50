import { flagOf, isObject, listOf, numberOf, objectOf, secondsToMs, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { ofNumber, query, requireSuccess, type CallGraph, type NumberAccess } from './graph-request'

/** Weekly opening of a number for calls, in local time: `0900` to `1730`. */
export interface CallHoursEntry {
  dayOfWeek: string
  openTime: string
  closeTime: string
}

/** The calling settings of a number. */
export interface CallingFacts {
  status: string | null
  iconVisibility: string | null
  /** Countries in which customers see the call button. Empty: all. */
  countries: string[]
  callbackPermission: string | null
  hours: {
    isEnabled: boolean
    timezone: string | null
    weekly: CallHoursEntry[]
    /** Exceptions on single days, as the platform sends them. */
    holidays: JsonObject[]
  } | null
  sip: {
    isEnabled: boolean
    servers: SipServer[]
  }
  /** The password of the SIP server, if it was asked for. */
  sipPassword: string | null
}

/** A SIP server that receives the calls of a number. */
export interface SipServer {
  hostname: string
  port: number | null
  requestUriUserParams: Record<string, string>
}

/** Whether a number may call a customer, and whether it may ask for that. */
export interface CallPermissionFacts {
  /** `no_permission`, `temporary` or `permanent`. */
  status: string | null
  expiresAtMs: number | null
  canRequest: boolean
  /** When the next request is allowed, if a limit is reached. */
  nextRequestAtMs: number | null
}

/** Calls about calling. */
export interface Calling {
  /** Returns whether a number may call a customer, who is named by number or user ID. */
  getCallPermission(
    call: NumberAccess & { customer: { phone: string } | { userId: string } },
  ): Promise<CallPermissionFacts>
  /** Returns the calling settings of a number; the password of SIP only if asked for. */
  getCallingSettings(call: NumberAccess & { withPassword: boolean }): Promise<CallingFacts>
  /** Changes fields of the calling settings, in the platform's form. */
  setCallingSettings(call: NumberAccess & { calling: JsonObject }): Promise<void>
}

/** Calls about calling. */
export function callingCalls(callGraph: CallGraph): Calling {
  return {
    async getCallPermission({ customer, ...call }) {
      const named: Record<string, string> =
        'phone' in customer ? { user_wa_id: customer.phone } : { recipient: customer.userId }
      const path = `/call_permissions${query(named)}`
      return readPermission(await callGraph({ ...ofNumber(call), path }))
    },
    async getCallingSettings({ withPassword, ...call }) {
      const filter = withPassword ? query({ include_sip_credentials: 'true' }) : ''
      const response = await callGraph({ ...ofNumber(call), path: `/settings${filter}` })
      return readCalling(
        objectOf(response.calling ?? objectOf(listOf(response.data)[0]).calling),
        withPassword,
      )
    },
    async setCallingSettings({ calling, ...call }) {
      requireSuccess(
        await callGraph({ ...ofNumber(call), path: '/settings', payload: { calling } }),
      )
    },
  }
}

function readPermission({ permission, actions }: JsonObject): CallPermissionFacts {
  const { status, expiration_time } = objectOf(permission)
  const action = listOf(actions)
    .map(objectOf)
    .find(({ action_name }) => action_name === 'send_call_permission_request')
  const reached = listOf(action?.limits)
    .map((limit) => secondsToMs(objectOf(limit).limit_expiration_time))
    .filter((atMs) => atMs !== null)
  return {
    status: wordOf(status),
    expiresAtMs: secondsToMs(expiration_time),
    canRequest: flagOf(action?.can_perform_action),
    nextRequestAtMs: reached.length === 0 ? null : Math.max(...reached),
  }
}

function readCalling(calling: JsonObject, withPassword: boolean): CallingFacts {
  const sip = objectOf(calling.sip)
  const servers = listOf(sip.servers).filter(isObject)
  return {
    status: wordOf(calling.status),
    iconVisibility: wordOf(calling.call_icon_visibility),
    countries: listOf(objectOf(calling.call_icons).restrict_to_user_countries)
      .map(wordOf)
      .filter((country) => country !== null),
    callbackPermission: wordOf(calling.callback_permission_status),
    hours: isObject(calling.call_hours) ? readHours(calling.call_hours) : null,
    sip: { isEnabled: wordOf(sip.status) === 'ENABLED', servers: servers.flatMap(readServer) },
    sipPassword: withPassword
      ? (servers.map((server) => wordOf(server.sip_user_password)).find((word) => word !== null) ??
        null)
      : null,
  }
}

const readHours = (hours: JsonObject): CallingFacts['hours'] => ({
  isEnabled: wordOf(hours.status) === 'ENABLED',
  timezone: wordOf(hours.timezone_id),
  weekly: listOf(hours.weekly_operating_hours)
    .filter(isObject)
    .map((entry) => ({
      dayOfWeek: wordOf(entry.day_of_week) ?? '',
      openTime: wordOf(entry.open_time) ?? '',
      closeTime: wordOf(entry.close_time) ?? '',
    })),
  holidays: listOf(hours.holiday_schedule).filter(isObject),
})

function readServer(server: JsonObject): SipServer[] {
  const hostname = wordOf(server.hostname)
  const parameters = Object.entries(objectOf(server.request_uri_user_params)).flatMap(
    ([name, value]): [string, string][] => {
      const word = wordOf(value)
      return word === null ? [] : [[name, word]]
    },
  )
  return hostname === null
    ? []
    : [
        {
          hostname,
          port: numberOf(server.port),
          requestUriUserParams: Object.fromEntries(parameters),
        },
      ]
}
