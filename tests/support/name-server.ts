import { createSocket, type Socket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'

import type { Resolve } from '../../src/infra/guarded-fetch'

const TYPES = { 1: 4, 28: 6 } as const

/** A name server on this machine that answers each question about a name with the next list. */
export class NameServer {
  /** The addresses of each name, by question: the last list is repeated. */
  readonly answers: Record<string, string[][]> = {}
  /** How often each name was asked for its IPv4 addresses. */
  readonly asked: Record<string, number> = {}

  private constructor(private readonly socket: Socket) {
    socket.on('message', (question, { port, address }) =>
      socket.send(this.answerTo(question), port, address),
    )
  }

  static async start(): Promise<NameServer> {
    const socket = createSocket('udp4')
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
    return new NameServer(socket)
  }

  /** Resolves names by asking this server. */
  get resolve(): Resolve {
    const resolver = new Resolver()
    resolver.setServers([`127.0.0.1:${this.socket.address().port}`])
    return async (host) => {
      const found = await Promise.all([
        resolver.resolve4(host).catch(() => []),
        resolver.resolve6(host).catch(() => []),
      ])
      return found.flat().map((address) => ({
        address,
        family: address.includes(':') ? (6 as const) : (4 as const),
      }))
    }
  }

  private answerTo(question: Buffer): Buffer {
    const labels: string[] = []
    let at = 12
    for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
      labels.push(question.toString('latin1', at + 1, at + 1 + length))
      at += length + 1
    }
    const name = labels.join('.').toLowerCase()
    const type = question.readUInt16BE(at + 1)
    const family = TYPES[type as keyof typeof TYPES]
    const lists = this.answers[name] ?? []
    const nth = this.asked[name] ?? 0
    if (type === 1) this.asked[name] = nth + 1
    const records = (lists[Math.min(nth, lists.length - 1)] ?? [])
      .filter((address) => (address.includes(':') ? 6 : 4) === family)
      .map((address) => recordOf(type, address))
    const header = Buffer.from(question.subarray(0, 12))
    header.writeUInt16BE(lists.length > 0 ? 0x8180 : 0x8183, 2)
    header.writeUInt16BE(records.length, 6)
    header.fill(0, 8)
    return Buffer.concat([header, question.subarray(12, at + 5), ...records])
  }

  [Symbol.dispose](): void {
    this.socket.close()
  }
}

/** An answer with no time to live, about the name in the question. */
function recordOf(type: number, address: string): Buffer {
  const data = type === 1 ? Buffer.from(address.split('.').map(Number)) : bytesOf(address)
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc0_0c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function bytesOf(address: string): Buffer {
  const [left = '', right = ''] = address.split('::')
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const [before, after] = [groups(left), groups(right)]
  const middle = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return Buffer.from(
    [...before, ...middle, ...after].flatMap((group) => {
      const value = Number.parseInt(group, 16)
      return [value >> 8, value & 255]
    }),
  )
}
