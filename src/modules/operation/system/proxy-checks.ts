import { isPublicAddress } from '../../../lib/egress'
import {
  readProxySigns,
  CERTAIN_AFTER,
  type ProxySign,
  type ProxySigns,
} from '../../../infra/proxy-signs'
import type { DoctorFinding } from './doctor'

/** Whether the last thing that was seen is a fault. */
const isBad = ({ goodAtMs, badAtMs }: ProxySign): boolean =>
  badAtMs !== null && (goodAtMs === null || badAtMs >= goodAtMs)

/** Messages for faulty observations, and whether each fault is certain. */
const FAULTS: Record<
  keyof ProxySigns,
  (seen: string, times: number) => Pick<DoctorFinding, 'state' | 'message'>
> = {
  trust: (peer) =>
    isPublicAddress(peer)
      ? {
          state: 'note',
          message:
            `Ignored X-Forwarded-For from ${peer}, which is not in TRUSTED_PROXIES. If that is ` +
            'your proxy, add it.',
        }
      : {
          state: 'problem',
          message:
            `The proxy at ${peer} is not in TRUSTED_PROXIES, so all clients share its address and ` +
            'its limits. Add it and restart the server.',
        },
  forwarding: (peer) => ({
    state: 'problem',
    message:
      `The proxy at ${peer} does not forward client addresses. Configure it to set ` +
      'X-Forwarded-For.',
  }),
  upgrades: (peer) => ({
    state: 'problem',
    message:
      `The proxy at ${peer} drops WebSocket upgrades at /ws. Configure it to forward the ` +
      'headers Upgrade and Connection.',
  }),
  bodies: (bytes, times) => ({
    state: times < CERTAIN_AFTER ? 'note' : 'problem',
    message:
      `${times === 1 ? 'A body' : `The last ${times} bodies`} of up to ${bytes} bytes ` +
      `${times === 1 ? 'was' : 'were'} cut off. Configure the proxy to allow bodies of 100 ` +
      'MB, with enough time for slow clients.',
  }),
}

/**
 * Returns findings from the observations of the running or last server about the proxy in front of
 * it; none if no request came through a proxy.
 */
export function checkProxy(folder: string): DoctorFinding[] {
  const signs = readProxySigns(folder)
  if (signs === null) return []
  const known = Object.keys(FAULTS) as (keyof ProxySigns)[]
  const faults = known
    .filter((name) => isBad(signs[name]))
    .map((name) => ({ check: 'proxy', ...FAULTS[name](signs[name].seen, signs[name].timesBad) }))
  if (faults.length > 0) return faults
  return signs.forwarding.goodAtMs === null
    ? []
    : [{ check: 'proxy', state: 'ok', message: 'Client addresses are forwarded.' }]
}
