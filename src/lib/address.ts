import { BlockList, isIP } from 'node:net'

import { IPv6 } from 'ipaddr.js'

/** A range of addresses. */
export type Cidr = { family: 'ipv4' | 'ipv6'; network: string; prefix: number }

/**
 * Reads `10.0.0.0/8, ::1`: addresses or CIDR ranges separated by commas; `null` when one of them is
 * neither.
 */
export function parseCidrs(written: string): Cidr[] | null {
  const items = written
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  const ranges: Cidr[] = []
  for (const item of items) {
    const [network = '', bits, rest] = item.split('/')
    const version = isIP(network)
    const widest = version === 4 ? 32 : 128
    const prefix = bits === undefined ? widest : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
    if (version === 0 || rest !== undefined || prefix < 0 || prefix > widest) return null
    ranges.push({ family: version === 4 ? 'ipv4' : 'ipv6', network, prefix })
  }
  return ranges
}

/** IPv4 addresses that a dual-stack socket writes as `::ffff:1.2.3.4` are the plain ones. */
export const plainAddress = (address: string): string =>
  address.toLowerCase().startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address

/** Tells whether an address lies in one of the ranges. */
export function addressMatcher(ranges: Cidr[]): (address: string) => boolean {
  const list = new BlockList()
  for (const range of ranges) list.addSubnet(range.network, range.prefix, range.family)
  return (address) =>
    isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
}

/**
 * Tells the address a request comes from: the socket's, or, when that is a trusted proxy, the
 * nearest entry of `X-Forwarded-For` read from the right that is not a trusted proxy itself. Text
 * that is no address ends the walk.
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
 * What is counted for a client address: an IPv4 address itself, and of an IPv6 address the network
 * of 64 bits it lies in, because each home and each server has such a network to itself and could
 * come from a new address each time.
 */
export function countedAddress(address: string): string {
  if (!IPv6.isValid(address)) return address
  const groups = IPv6.parse(address).parts.slice(0, 4)
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`
}
