import { personWith, type OwnRole } from './people'
import type { Client, Loose } from './client'
import { deliver, personOf, textTo } from './lines'
import { TestSocket } from './socket'
import { World, type WorldOptions } from './world'

/** A world in which customers have written and members handle their conversations. */
export class Inbox {
  private constructor(
    readonly world: World,
    readonly manager: Client,
  ) {}

  /** Creates a world in which this many customers have written, a minute apart. */
  static async create(customers = 0, options: WorldOptions = {}): Promise<Inbox> {
    const world = await World.create(options)
    const inbox = new Inbox(world, await world.as('manager'))
    for (let nth = 0; nth < customers; nth += 1) {
      await inbox.says(nth, `Text ${nth}`)
      world.clock.advance({ minutes: 1 })
    }
    return inbox
  }

  /** Makes a customer write. */
  async says(nth: number, text: string): Promise<void> {
    await deliver(this.world, textTo(this.world, text, { person: personOf(nth) }))
  }

  /** Returns the conversations that the manager lists. */
  async list(query = ''): Promise<Loose[]> {
    return (await (await this.world.as('manager')).get(`/api/conversations${query}`)).data[
      'items'
    ] as Loose[]
  }

  /** The conversation with a customer. */
  async of(nth: number): Promise<Loose> {
    const number = personOf(nth).waId
    const found = (await this.list('?limit=100')).find(
      ({ contact }) => (contact as Loose)['phone_number'] === number,
    )
    if (!found) throw new Error(`customer ${nth} has no conversation`)
    return found
  }

  /** The path of the conversation with a customer. */
  async path(nth: number): Promise<string> {
    return `/api/conversations/${(await this.of(nth))['id']}`
  }

  /** The path of a customer's contact. */
  async contactPath(nth: number): Promise<string> {
    return `/api/contacts/${((await this.of(nth))['contact'] as Loose)['id']}`
  }

  /** Creates a member with a custom role and a socket. */
  async colleague(...permissions: string[]): Promise<OwnRole & { socket: TestSocket }> {
    const person = await personWith(this.world, permissions)
    const socket = await TestSocket.open(
      `${this.world.url.replace('http', 'ws')}/ws?token=${person.client.token}`,
    )
    return { ...person, socket }
  }

  /** Advances the time and runs what is due. */
  async passes(by: Parameters<World['clock']['advance']>[0]): Promise<void> {
    this.world.clock.advance(by)
    await this.world.settle()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world.stop()
  }
}

/** Permissions of an inbox agent who sees every contact. */
export const SEES_ALL = [
  'contacts:read',
  'contacts:read_all',
  'messages:read',
  'messages:create',
  'transfers:pickup',
]
/** Permissions of an agent who sees assigned contacts. */
export const SEES_OWN = SEES_ALL.filter((permission) => permission !== 'contacts:read_all')
