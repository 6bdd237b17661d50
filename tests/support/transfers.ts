import type { Answer, Client, Loose } from './client'
import { Inbox } from './inbox'
import { personWith, type OwnRole } from './people'
import { TestSocket } from './socket'
import type { WorldOptions } from './world'

/** Permissions of an agent who takes transfers and sees no other contacts. */
export const TAKES_TRANSFERS = [
  'contacts:read',
  'messages:read',
  'messages:create',
  'transfers:read',
  'transfers:create',
  'transfers:pickup',
]

/** Permissions of a person who assigns transfers to others. */
const SUPERVISES = [...TAKES_TRANSFERS, 'contacts:read_all', 'transfers:assign']

/** Customers who have written, and people to whom they are transferred. */
export class Desk {
  private constructor(
    readonly inbox: Inbox,
    readonly manager: Client,
  ) {}

  /** Creates a desk with this many customers who have written, a minute apart. */
  static async create(customers = 1, options: WorldOptions = {}): Promise<Desk> {
    const inbox = await Inbox.create(customers, options)
    return new Desk(inbox, inbox.manager)
  }

  get world() {
    return this.inbox.world
  }

  /** ID of a customer's contact. */
  async contactId(nth = 0): Promise<string> {
    return ((await this.inbox.of(nth))['contact'] as Loose)['id'] as string
  }

  /** Transfers a customer's contact and returns the answer. */
  async tryTransfer(nth = 0, body: Loose = {}, client = this.manager): Promise<Answer<Loose>> {
    return await client.post('/api/chatbot/transfers', {
      contact_id: await this.contactId(nth),
      ...body,
    })
  }

  /** Transfers a customer's contact and returns the transfer. */
  async transfer(nth = 0, body: Loose = {}, client = this.manager): Promise<Loose> {
    const answer = await this.tryTransfer(nth, body, client)
    if (answer.status !== 201) throw new Error(`not transferred: ${answer.body.message}`)
    return answer.data['transfer'] as Loose
  }

  /** Returns a transfer as a supervisor sees it. */
  async of(transfer: Loose): Promise<Loose> {
    const manager = await this.world.as('manager')
    return (await manager.get(pathOf(transfer))).data
  }

  /** Changes the chatbot settings. */
  async settings(changes: Loose): Promise<void> {
    const admin = await this.world.as('admin')
    const answer = await admin.put('/api/chatbot/settings', changes)
    if (answer.status !== 200) throw new Error(`settings not changed: ${answer.body.message}`)
  }

  /** Creates a team with members. */
  async team(members: { userId: string }[] = [], fields: Loose = {}): Promise<string> {
    const admin = await this.world.as('admin')
    this.teams += 1
    const { data } = await admin.post('/api/teams', { name: `Team ${this.teams}`, ...fields })
    const id = (data['team'] as Loose)['id'] as string
    for (const { userId } of members)
      await admin.post(`/api/teams/${id}/members`, { user_id: userId })
    return id
  }
  private teams = 0

  /** Adds a person who takes transfers. */
  agent(): Promise<OwnRole> {
    return personWith(this.world, TAKES_TRANSFERS)
  }

  /** Adds a person who supervises transfers. */
  supervisor(): Promise<OwnRole> {
    return personWith(this.world, SUPERVISES)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world.stop()
  }
}

/** Opens a socket of a person, optionally with a query such as `&since=0`. */
export const openSocket = (desk: Desk, { client }: OwnRole, query = ''): Promise<TestSocket> =>
  TestSocket.open(`${desk.world.url.replace('http', 'ws')}/ws?token=${client.token}${query}`)

/** The path of a transfer, or of a verb below it. */
export const pathOf = (transfer: Loose, verb = ''): string =>
  `/api/chatbot/transfers/${transfer['id']}${verb === '' ? '' : `/${verb}`}`
