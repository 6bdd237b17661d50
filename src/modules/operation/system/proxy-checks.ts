import { isPublicAddress } from '../../../lib/egress'
import {
  readProxySigns,
  CERTAIN_AFTER,
  type ProxySign,
  type ProxySigns,
} from '../../../infra/proxy-signs'
import { note, ok, problem, type DoctorFinding } from './finding'

/** Whether the last thing that was seen is a fault. */
const isBad = ({ goodAtMs, badAtMs }: ProxySign): boolean =>
  badAtMs !== null && (goodAtMs === null || badAtMs >= goodAtMs)

/** What each faulty observation says, and whether it is certain. */
const FAULTS: Record<keyof ProxySigns, (seen: string, times: number) => DoctorFinding> = {
  trust: (peer) =>
    isPublicAddress(peer)
      ? note(
          'proxy',
          'proxy_unknown',
          `Ignored X-Forwarded-For from ${peer}, which is not in TRUSTED_PROXIES. If that is ` +
            'your proxy, add it.',
          { peer },
        )
      : problem(
          'proxy',
          'proxy_untrusted',
          `The proxy at ${peer} is not in TRUSTED_PROXIES, so all clients share its address and ` +
            'its limits. Add it and restart the server.',
          { peer },
        ),
  forwarding: (peer) =>
    problem(
      'proxy',
      'proxy_hides_clients',
      `The proxy at ${peer} does not forward client addresses. Configure it to set ` +
        'X-Forwarded-For.',
      { peer },
    ),
  upgrades: (peer) =>
    problem(
      'proxy',
      'proxy_drops_sockets',
      `The proxy at ${peer} drops WebSocket upgrades at /ws. Configure it to forward the ` +
        'headers Upgrade and Connection.',
      { peer },
    ),
  bodies: (bytes, times) =>
    (times < CERTAIN_AFTER ? note : problem)(
      'proxy',
      'proxy_cuts_bodies',
      `${times === 1 ? 'A body' : `The last ${times} bodies`} of up to ${bytes} bytes ` +
        `${times === 1 ? 'was' : 'were'} cut off. Configure the proxy to allow bodies of 100 ` +
        'MB, with enough time for slow clients.',
      { bytes: Number(bytes), count: times },
    ),
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
    .map((name) => FAULTS[name](signs[name].seen, signs[name].timesBad))
  if (faults.length > 0) return faults
  return signs.forwarding.goodAtMs === null ? [] : [ok('proxy', 'Client addresses are forwarded.')]
}
