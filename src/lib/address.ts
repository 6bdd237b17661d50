import { BlockList, isIP } from 'node:net'

import { IPv6 } from 'ipaddr.js'

/** An IP address range. */
export type Cidr = { family: 'ipv4' | 'ipv6'; network: string; prefix: number }

/**
 * Parses a comma-separated list of addresses and CIDR ranges, such as `10.0.0.0/8, ::1`. Returns
 * `null` if any item is invalid.
 */
export function parseCidrs(text: string): Cidr[] | null {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  const ranges: Cidr[] = []
  for (const item of items) {
    const [network = '', bits, rest] = item.split('/')
    const version = isIP(network)
    const maxPrefix = version === 4 ? 32 : 128
    const prefix = bits === undefined ? maxPrefix : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
    if (version === 0 || rest !== undefined || prefix < 0 || prefix > maxPrefix) return null
    ranges.push({ family: version === 4 ? 'ipv4' : 'ipv6', network, prefix })
  }
  return ranges
}

/** Returns an IPv4-mapped IPv6 address (`::ffff:1.2.3.4`) as plain IPv4. */
export const plainAddress = (address: string): string =>
  address.toLowerCase().startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address

/** Returns a function that reports whether an address lies in one of the ranges. */
export function addressMatcher(ranges: Cidr[]): (address: string) => boolean {
  const list = new BlockList()
  for (const range of ranges) list.addSubnet(range.network, range.prefix, range.family)
  return (address) =>
    isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
}

/**
 * Returns a function that finds the client address of a request. This is the socket address or,
 * behind trusted proxies, the rightmost entry of `X-Forwarded-For` that is not a trusted proxy. The
 * search stops at an entry that is not an address.
 */
export function clientAddressReader(
  trusted: Cidr[],
): (socketAddress: string, forwardedFor: string | null) => string {
  const isTrusted = addressMatcher(trusted)
  return (socketAddress, forwardedFor) => {
    let nearest = plainAddress(socketAddress)
    if (!forwardedFor || trusted.length === 0) return nearest
    const hops = forwardedFor.split(',').map((hop) => plainAddress(hop.trim()))
    while (isTrusted(nearest)) {
      const next = hops.pop()
      if (next === undefined || isIP(next) === 0) break
      nearest = next
    }
    return nearest
  }
}

/**
 * Returns the key that rate limits use for a client address: the IPv4 address itself, or the /64
 * network of an IPv6 address. A home or server usually has a whole /64 and could use a new address
 * for each request.
 */
export const countedAddress = (address: string): string => networkOf(address, 64)

/** Returns the /48 network of an IPv6 address, which a site usually has, or the IPv4 address itself. */
export const siteOf = (address: string): string => networkOf(address, 48)

function networkOf(address: string, bits: 48 | 64): string {
  if (!IPv6.isValid(address)) return address
  const groups = IPv6.parse(address).parts.slice(0, bits / 16)
  return `${groups.map((group) => group.toString(16)).join(':')}::/${bits}`
}
