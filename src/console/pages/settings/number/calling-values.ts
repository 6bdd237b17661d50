import type { CallingChanges, CallingSettings, ChatbotSettings } from '../../../api/shapes'

type Hours = ChatbotSettings['business_hours']

/** What the form holds. */
export interface Values {
  isOn: boolean
  hasButton: boolean
  countries: string[]
  hasHours: boolean
  hours: Hours
  asksToCallBack: boolean
  hasServer: boolean
  host: string
  /** `null` for the usual one. */
  port: number | null
}

/** The port of a server for calls, if none is named. */
export const USUAL_PORT = 5_061

/** Returns the hours of calls as the fields of a week show them. */
const hoursOf = (settings: CallingSettings): Hours =>
  (settings.hours ?? []).flatMap(({ day, enabled, start_time, end_time }) =>
    typeof day === 'number' ? [] : [{ day, enabled: enabled ?? true, start_time, end_time }],
  )

/** Returns the calling settings as the form shows them. */
export function valuesOf(settings: CallingSettings): Values {
  const server = settings.sip.servers[0]
  return {
    isOn: settings.status === 'ENABLED',
    hasButton: settings.icon_visibility === 'DEFAULT',
    countries: settings.countries,
    hasHours: settings.hours !== null,
    hours: hoursOf(settings),
    asksToCallBack: settings.callback_permission === 'ENABLED',
    hasServer: settings.sip.enabled,
    host: server?.hostname ?? '',
    port: server?.port ?? null,
  }
}

const word = (isOn: boolean) => (isOn ? 'ENABLED' : 'DISABLED')

/**
 * Returns the changes as the API takes them. Hours and the server for calls are sent as a whole; what
 * else a server has, such as parameters of its address, stays while its name does.
 */
export function changesOf(
  changes: Partial<Values>,
  { value, stored }: { value: Values; stored: CallingSettings },
): CallingChanges {
  const has = (...names: (keyof Values)[]): boolean => names.some((name) => name in changes)
  const known = stored.sip.servers[0]
  const server = {
    ...(known?.hostname === value.host ? known : {}),
    hostname: value.host,
    port: value.port,
  }
  return {
    ...(has('isOn') ? { status: word(value.isOn) } : {}),
    ...(has('hasButton') ? { icon_visibility: value.hasButton ? 'DEFAULT' : 'DISABLE_ALL' } : {}),
    ...(has('countries') ? { countries: value.countries } : {}),
    ...(has('hasHours', 'hours') ? { hours: value.hasHours ? value.hours : null } : {}),
    ...(has('asksToCallBack') ? { callback_permission: word(value.asksToCallBack) } : {}),
    ...(has('hasServer', 'host', 'port')
      ? {
          sip: {
            enabled: value.hasServer,
            ...(value.hasServer ? { servers: [server] } : {}),
          },
        }
      : {}),
  }
}
