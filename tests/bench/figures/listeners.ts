import { APP_SECRET } from '../../chaos/installation'
import type { BusinessNumber } from '../../../src/simulator/payloads'
import { Partner } from '../partner'

/** Texts that are to be posted, and heard by every socket. */
export interface Order {
  /** Where they are posted. */
  url: string
  line: BusinessNumber
  run: string
  texts: number
  /**
   * No more than so many frames a second to each socket, when so many come of a text; as fast as
   * they are heard unless said.
   */
  framesPerSecond?: number
  framesPerText?: number
}

/** What was heard. */
export interface Heard {
  /** Frames a second, of all sockets together. */
  perSecond: number
  /** Of a frame, on average. */
  bytes: number
  framesPerText: number
  p50Ms: number
  p99Ms: number
}

/** Many sockets, held open by a process of its own that also posts what they are to hear. */
export class Listeners {
  private constructor(private readonly partner: Partner) {}

  /** Opens a socket to each address. Rejects when one is refused. */
  static async open(urls: string[]): Promise<Listeners> {
    const { partner } = await Partner.start('figures/listening.ts', { urls, secret: APP_SECRET })
    return new Listeners(partner)
  }

  /** Posts texts and waits until all sockets have heard them. */
  listen(order: Order): Promise<Heard> {
    return this.partner.ask<Heard>(order)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.partner[Symbol.asyncDispose]()
  }
}
