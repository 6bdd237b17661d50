import { expect, test } from 'bun:test'

import { systemCtx } from '../../../../src/infra/ctx'
import { transact } from '../../../../src/infra/db/transact'
import { emit } from '../../../../src/infra/outbox/events'
import { AccountChanged } from '../../../../src/modules/channel/accounts/events'
import { TestSocket } from '../../../support/socket'
import { World } from '../../../support/world'

const EVENTS = Number(process.env['DISCONNECT_EVENTS'] ?? 4_000)

/** Numbers from 0 to 1 that come out the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A client as it should be: it keeps the highest number it got and comes back with it. */
class Wanderer {
  readonly heard: number[] = []
  private socket: TestSocket | null = null
  private cursor = 0
  private taken = 0
  disconnects = 0

  constructor(
    private readonly world: World,
    private readonly token: string,
  ) {}

  async connect(): Promise<void> {
    const { url, program } = this.world
    const query = `token=${this.token}&since=${this.cursor}&log=${program.realtime.logId}`
    this.socket = await TestSocket.open(`${url.replace('http', 'ws')}/ws?${query}`)
    this.taken = 0
  }

  /** Takes over what has come in so far, as a client does that may be cut off at any moment. */
  take(): void {
    const frames = this.socket?.frames ?? []
    for (const frame of frames.slice(this.taken)) {
      if (frame.type === 'resync')
        throw new Error(`the log could not tell: ${JSON.stringify(frame.payload)}`)
      if (frame.seq === null) continue
      this.heard.push(frame.seq)
      this.cursor = Math.max(this.cursor, frame.seq)
    }
    this.taken = frames.length
  }

  /**
   * The line is cut; what has arrived by then counts, whether or not the replay had come to its
   * end.
   */
  async drop(): Promise<void> {
    if (!this.socket) return
    await this.socket.close()
    this.take()
    this.socket = null
    this.disconnects += 1
  }

  get isConnected(): boolean {
    return this.socket !== null
  }

  async catchUp(): Promise<void> {
    if (!this.socket) await this.connect()
    await this.socket?.caughtUp()
    this.take()
  }
}

test.each([1, 2, 3])(
  `a client that disconnects at random misses and repeats none of ${EVENTS} events (seed %i)`,
  async (seed) => {
    await using world = await World.create({ env: { RATE_STANDARD: '0' } })
    const random = seeded(seed)
    const { http, relay } = world.program
    const ctx = systemCtx(http, world.tenant.id)
    const { token } = await world.as('manager')
    const client = new Wanderer(world, token)
    const before =
      world.rows<{ seq: number }>(
        'select seq from event_heads where organization_id = ?',
        world.tenant.id,
      )[0]?.seq ?? 0
    const payload = {
      accountId: world.tenant.accountId ?? '',
      changed: ['name'],
      isConnected: false,
    }
    for (let done = 0; done < EVENTS;) {
      const share = Math.min(EVENTS - done, 1 + Math.floor(random() * 120))
      transact(ctx.db, (tx) => {
        for (let nth = 0; nth < share; nth += 1)
          emit(tx, ctx, AccountChanged, { contactId: null, payload })
      })
      done += share
      // Sometimes nobody has passed the events on when the client goes or comes.
      if (random() < 0.8) relay.drain()
      const chance = random()
      if (!client.isConnected && chance < 0.8) await client.connect()
      else if (client.isConnected && chance < 0.35) await client.drop()
      else if (client.isConnected && chance < 0.6) await client.catchUp()
      for (let turns = Math.floor(random() * 4); turns > 0; turns -= 1)
        await new Promise((resolve) => setImmediate(resolve))
      client.take()
    }
    await client.catchUp()
    await client.drop()
    expect(client.disconnects).toBeGreaterThan(EVENTS / 500)
    expect(client.heard).toEqual(Array.from({ length: before + EVENTS }, (_, nth) => nth + 1))
  },
  60_000,
)
