import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js'

/** Targets an operator allows in addition to public addresses. */
export interface EgressExceptions {
  /** Network and prefix length. */
  ranges: [network: IPv4 | IPv6, prefix: number][]
  /** `host:port`, in lower case. */
  hostPorts: ReadonlySet<string>
}

/** No exception at all. */
export const NO_EXCEPTIONS: EgressExceptions = { ranges: [], hostPorts: new Set() }

const HOST_PORT = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\]):\d{1,5}$/

/**
 * Parses a comma-separated list of addresses, CIDR ranges and `host:port` pairs, such as
 * `10.0.0.0/8, media.internal:8080`. Returns `null` if any item is invalid.
 */
export function parseExceptions(text: string): EgressExceptions | null {
  const items = text
    .toLowerCase()
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  const ranges: EgressExceptions['ranges'] = []
  const hostPorts = new Set<string>()
  for (const item of items) {
    if (ipaddr.isValidCIDR(item)) ranges.push(ipaddr.parseCIDR(item))
    else if (ipaddr.isValid(item)) ranges.push(singleAddress(ipaddr.parse(item)))
    else if (HOST_PORT.test(item)) hostPorts.add(item)
    else return null
  }
  return { ranges, hostPorts }
}

const singleAddress = (address: IPv4 | IPv6): [IPv4 | IPv6, number] => [
  address,
  address.kind() === 'ipv4' ? 32 : 128,
]

const parseRanges = (text: string): [IPv4 | IPv6, number][] =>
  text.split(' ').map((cidr) => ipaddr.parseCIDR(cidr))

/**
 * Address ranges that are not public (IANA special-purpose registries). An IPv6 address that embeds
 * an IPv4 address is checked as that IPv4 address. The last line of IPv4 ranges holds addresses
 * that look public but lead to cloud services: Azure's wire server, Equinix Metal's metadata and
 * IBM Cloud's service endpoints. The metadata addresses of other clouds lie in private ranges.
 */
const NOT_PUBLIC = {
  ipv4: parseRanges(
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 ' +
      '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 255.255.255.255/32 ' +
      '168.63.129.16/32 192.80.8.124/32 161.26.0.0/16 166.8.0.0/14',
  ),
  ipv6: parseRanges(
    '::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8 ' +
      '::ffff:0:0:0/96',
  ),
}

const isIn = (address: IPv4 | IPv6, ranges: [IPv4 | IPv6, number][]): boolean =>
  ranges.some(
    ([network, prefix]) =>
      address.kind() === network.kind() && address.match(network as IPv4 & IPv6, prefix),
  )

const SIX_TO_FOUR = ipaddr.parseCIDR('2002::/16') as [IPv6, number]

/** Returns the IPv4 address embedded in an IPv6 address, or the address itself. */
function unwrapIPv4(address: IPv4 | IPv6): IPv4 | IPv6 {
  if (address.kind() === 'ipv4') return address
  const ipv6 = address as IPv6
  if (ipv6.isIPv4MappedAddress()) return ipv6.toIPv4Address()
  if (ipv6.match(SIX_TO_FOUR)) return new ipaddr.IPv4(ipv6.toByteArray().slice(2, 6))
  return ipv6
}

const isSame = (one: IPv4 | IPv6, other: IPv4 | IPv6): boolean =>
  one.kind() === other.kind() && one.toNormalizedString() === other.toNormalizedString()

/** Reports whether an address is one of `own`, in any notation. */
const isOwn = (address: IPv4 | IPv6, own: readonly string[]): boolean =>
  own.some(
    (ownAddress) =>
      ipaddr.isValid(ownAddress) && isSame(address, unwrapIPv4(ipaddr.parse(ownAddress))),
  )

/**
 * Reports whether the server may connect to an address: it is public and not an address of this
 * machine (`own`), or the operator allows it. Returns `false` for text that is not an address.
 */
export function isReachableAddress(
  text: string,
  exceptions: EgressExceptions,
  own: readonly string[],
): boolean {
  if (!ipaddr.isValid(text) || text.includes('%')) return false
  const address = unwrapIPv4(ipaddr.parse(text))
  if (isIn(address, exceptions.ranges)) return true
  if (isOwn(address, own) || address.range() !== 'unicast') return false
  return !isIn(address, address.kind() === 'ipv4' ? NOT_PUBLIC.ipv4 : NOT_PUBLIC.ipv6)
}

/** Reports whether an address is public. */
export const isPublicAddress = (address: string): boolean =>
  isReachableAddress(address, NO_EXCEPTIONS, [])

const WELL_KNOWN_PORTS = new Set([80, 443])
/** Ports of databases and caches that often accept unauthenticated connections. */
const BLOCKED_PORTS = new Set([3306, 5432, 6379, 9200, 11_211, 27_017])
const LOCAL_NAME = /^(?:localhost|.*\.(?:localhost|local|internal))$/

/** Returns the host of a URL for name resolution: without brackets and without a trailing dot. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Returns the port of a URL, explicit or by scheme. */
const portOf = (url: URL): number =>
  url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)

/**
 * Returns why a customer-supplied URL is refused before its host is resolved, or `null`. The URL
 * parser has already normalized all IPv4 notations. `own` holds the addresses of this machine.
 */
export function blockedUrlReason(
  url: URL,
  exceptions: EgressExceptions,
  own: readonly string[],
): string | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return 'must begin with http:// or https://'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  const host = hostOf(url)
  const port = portOf(url)
  if (host === '') return 'has no host'
  if (exceptions.hostPorts.has(`${url.hostname.replace(/\.$/, '')}:${port}`)) return null
  if (LOCAL_NAME.test(host)) return 'is not a public address'
  if ((port < 1_024 && !WELL_KNOWN_PORTS.has(port)) || BLOCKED_PORTS.has(port))
    return 'uses a port that is not allowed'
  if (ipaddr.isValid(host) && !isReachableAddress(host, exceptions, own))
    return 'is not a public address'
  return null
}

/**
 * Reports whether the operator allows the `host:port` of a URL, no matter which address it resolves
 * to.
 */
export const isAllowedHostPort = (url: URL, exceptions: EgressExceptions): boolean =>
  exceptions.hostPorts.has(`${url.hostname.replace(/\.$/, '')}:${portOf(url)}`)
