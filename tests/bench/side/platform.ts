import type { StatusName } from '../../../src/simulator/faults'
import { Partner } from '../partner'

/** What the process that plays the platform is asked for. */
export interface PlatformOrder {
  /** Where its webhooks go from now on. */
  callback?: string
  /** What it reports of each message from now on. */
  statuses?: StatusName[]
  /** Customers write these, and the order is done when all are acknowledged. */
  remarks?: Remark[]
  /** Asks for the messages it was given, oldest first, instead of where it is. */
  asksForSent?: boolean
}

/** What a customer writes: a text, or an image with a caption. */
export interface Remark {
  waId: string
  userId: string
  name: string
  text: string
  isImage: boolean
}

/** Where the platform is, and its number. */
export interface StartedPlatform {
  url: string
  phoneId: string
  wabaId: string
  token: string
}

/** A message the platform was given. */
export interface Sent {
  atMs: number
  id: string
  to: string
}

/** The simulated platform in a process of its own. */
export class Platform {
  private constructor(
    private readonly partner: Partner,
    readonly at: StartedPlatform,
  ) {}

  static async start(): Promise<Platform> {
    const { partner, answer } = await Partner.start<StartedPlatform>('side/platform-process.ts', {})
    return new Platform(partner, answer)
  }

  /** Has something done; resolves when it is done. */
  async tell(order: Omit<PlatformOrder, 'asksForSent'>): Promise<void> {
    await this.partner.ask(order)
  }

  /** The messages it was given so far, oldest first. */
  sent(): Promise<Sent[]> {
    return this.partner.ask<Sent[]>({ asksForSent: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.partner[Symbol.asyncDispose]()
  }
}
