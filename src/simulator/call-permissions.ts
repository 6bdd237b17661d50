import type { Phone } from './accounts'
import { isObject } from './rules'
import type { World } from './world'

const DAY_MS = 86_400_000
const LIMITS = [
  { period: 'PT24H', ms: DAY_MS, most: 1 },
  { period: 'P7D', ms: 7 * DAY_MS, most: 2 },
]

type Permission = {
  status: 'no_permission' | 'temporary' | 'permanent'
  expiresAtMs: number | null
}

const NONE: Permission = { status: 'no_permission', expiresAtMs: null }

/** Permissions to call customers, and the requests for them since the last answered call. */
export class CallPermissions {
  readonly #granted = new Map<string, Permission>()
  readonly #requests = new Map<string, number[]>()

  /** Records a customer's answer. */
  set(phoneId: string, customer: string, permission: Permission): void {
    this.#granted.set(`${phoneId} ${customer}`, permission)
  }

  /** Returns the present permission. */
  of(phoneId: string, customer: string, nowMs: number): Permission {
    const found = this.#granted.get(`${phoneId} ${customer}`) ?? NONE
    return found.expiresAtMs !== null && found.expiresAtMs <= nowMs ? NONE : found
  }

  /** Counts a request. */
  count(phoneId: string, customer: string, nowMs: number): void {
    const key = `${phoneId} ${customer}`
    this.#requests.set(key, [...(this.#requests.get(key) ?? []), nowMs])
  }

  /** Forgets the requests to a customer who spoke with the number. */
  reset(phoneId: string, customer: string): void {
    this.#requests.delete(`${phoneId} ${customer}`)
  }

  /** Returns the limits of requests with their present use. */
  limits(phoneId: string, customer: string, nowMs: number) {
    const times = this.#requests.get(`${phoneId} ${customer}`) ?? []
    return LIMITS.map(({ period, ms, most }) => {
      const inPeriod = times.filter((atMs) => atMs > nowMs - ms)
      const [oldest] = inPeriod.slice(-most)
      return {
        time_period: period,
        max_allowed: most,
        current_usage: inPeriod.length,
        ...(inPeriod.length >= most && oldest !== undefined
          ? { limit_expiration_time: Math.ceil((oldest + ms) / 1_000) }
          : {}),
      }
    })
  }
}

/** Whether a limit is used up. */
export const isReached = (limit: { current_usage: number; max_allowed: number }): boolean =>
  limit.current_usage >= limit.max_allowed

/** Whether a send body asks for the permission to call. */
export const isPermissionRequest = (body: Record<string, unknown>): boolean =>
  isObject(body['interactive']) && body['interactive']['type'] === 'call_permission_request'

/** Returns why a request is refused, or `undefined`. */
export function requestRejection(world: World, phone: Phone, customer: string) {
  return world.callPermissions.limits(phone.id, customer, world.nowMs()).some(isReached)
    ? {
        code: 138_009,
        message: '(#138009) Call permission request limit hit',
        details: 'One request in 24 hours and two in 7 days are allowed.',
      }
    : undefined
}
