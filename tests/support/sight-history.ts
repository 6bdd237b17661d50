import { expect } from 'bun:test'

import { seededRandom } from '../../src/simulator/random'
import type { Client, Loose } from './client'
import { Desk, openSocket, pathOf } from './transfers'
import { deliver, personOf, textTo } from './lines'
import { personWith, type OwnRole } from './people'
import { secondNumber, type SecondNumber } from './second-number'
import type { Frame, TestSocket } from './socket'

/** Permissions that every person of a history has. */
const BASE = ['messages:read', 'messages:create', 'transfers:read', 'transfers:create']

/** Permissions that decide who sees a contact, and others come and go. */
const OF_SIGHT = [
  'contacts:read_all',
  'contacts:read_unassigned',
  'transfers:pickup',
  'contacts:export',
] as const

/** How often a person has one of these. */
const CHANCES: Record<(typeof OF_SIGHT)[number], number> = {
  'contacts:read_all': 0.15,
  'contacts:read_unassigned': 0.5,
  'transfers:pickup': 0.5,
  'contacts:export': 0.5,
}

/** Who has a contact or a conversation. */
interface Owned {
  contactId: string
  userId: string | null
  teamId: string | null
}

/** A person of a history, with a socket that hears what this person may hear. */
export interface Watcher extends OwnRole {
  permissions: ReadonlySet<string>
  socket: TestSocket
  /** The frames of the socket that have been compared. */
  heard: number
}

/** Customers of a history. */
const CUSTOMERS = 6

/** Plays a random history of contacts that pass through people, teams and queues. */
export class SightHistory {
  readonly people: Watcher[] = []
  teamIds: string[] = []
  /** What the last step did, for the message of a failed test. */
  last = 'nothing'
  /** Whether the last step tells everybody who lost sight of a contact. */
  isTold = false
  private admin: Client

  private constructor(
    readonly desk: Desk,
    private readonly second: SecondNumber,
    private readonly random: () => number,
  ) {
    this.admin = desk.manager
  }

  static async begin(seed: number): Promise<SightHistory> {
    const desk = await Desk.create(CUSTOMERS)
    const second = await secondNumber(desk.world)
    const history = new SightHistory(desk, second, seededRandom(seed))
    history.admin = await desk.world.as('admin')
    await history.addPeople()
    return history
  }

  private async addPeople(): Promise<void> {
    for (let nth = 0; nth < 4; nth += 1) {
      const permissions = this.somePermissions()
      const person = await personWith(this.desk.world, permissions)
      const socket = await openSocket(this.desk, person)
      this.people.push({ ...person, permissions: new Set(permissions), socket, heard: 0 })
    }
    const [first, second] = this.people
    if (!first || !second) return
    this.teamIds = [
      await this.desk.team([first, second], { assignment_strategy: 'manual' }),
      await this.desk.team([second], { assignment_strategy: 'manual' }),
    ]
    for (const person of this.people) person.heard = (await person.socket.caughtUp()).length
  }

  private somePermissions(): string[] {
    const isReader = this.random() < 0.9
    return [
      ...BASE,
      ...(isReader ? ['contacts:read'] : []),
      ...OF_SIGHT.filter((permission) => this.random() < CHANCES[permission]),
    ]
  }

  private oneOf<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.random() * items.length)]
    if (item === undefined) throw new Error('nothing to choose from')
    return item
  }

  /** Contacts that are not deleted. */
  contactIds(): string[] {
    return this.desk.world
      .rows<{ id: string }>('select id from contacts where deleted_at_ms is null order by id')
      .map(({ id }) => id)
  }

  /** Who has which contact, directly or through a conversation. */
  private owners(): Owned[] {
    return this.desk.world.rows<Owned & Loose>(
      `select id as contactId, assigned_to as userId, assigned_team_id as teamId from contacts
       union all select contact_id, assigned_to, team_id from conversations`,
    )
  }

  private activeTransfers(): Owned[] {
    return this.desk.world.rows<Owned & Loose>(
      `select contact_id as contactId, agent_id as userId, team_id as teamId from transfers
       where status = 'active'`,
    )
  }

  private teamsOf(userId: string): string[] {
    return this.desk.world
      .rows<{ id: string; userId: string }>(
        `select teams.id as id, user_id as userId from team_members
         join teams on teams.organization_id = team_members.organization_id and teams.id = team_id
         where is_active = 1`,
      )
      .filter((row) => row.userId === userId)
      .map(({ id }) => id)
  }

  /** Returns the contacts that a person sees, by the rules as they are written. */
  seenBy({ userId, permissions }: Watcher): string[] {
    const may = (permission: string): boolean => permissions.has(permission)
    if (!may('contacts:read')) return []
    const [owners, transfers, teamIds] = [
      this.owners(),
      this.activeTransfers(),
      this.teamsOf(userId),
    ]
    const isOwnTeam = ({ teamId }: Owned): boolean => teamId !== null && teamIds.includes(teamId)
    return this.contactIds().filter((id) => {
      if (may('contacts:read_all')) return true
      const owned = owners.filter(({ contactId }) => contactId === id)
      const transfer = transfers.find(({ contactId }) => contactId === id)
      const hasNobody = owned.every((one) => one.userId === null && one.teamId === null)
      if (hasNobody && !transfer && may('contacts:read_unassigned')) return true
      if (owned.some((one) => one.userId === userId || isOwnTeam(one))) return true
      if (!transfer) return false
      if (transfer.userId !== null) return transfer.userId === userId
      return transfer.teamId === null ? may('transfers:pickup') : isOwnTeam(transfer)
    })
  }

  /** Who sees each contact, as triggers have kept it. */
  storedViewers(): Loose[] {
    return this.desk.world.rows('select contact_id, viewer_id from contact_viewers order by 1, 2')
  }

  /** The same, read from who has each contact now. */
  viewersNow(): Loose[] {
    return this.desk.world.rows('select contact_id, viewer_id from contact_sight order by 1, 2')
  }

  /** Lets something happen that may change who sees a contact. */
  async step(): Promise<void> {
    const chance = this.random()
    this.isTold = chance < 0.78
    if (chance < 0.2) await this.assignContact()
    else if (chance < 0.34) await this.assignConversation()
    else if (chance < 0.48) await this.transfer()
    else if (chance < 0.62) await this.pickUpOrEnd()
    else if (chance < 0.7) await this.claim()
    else if (chance < 0.78) await this.closeOrOpen()
    else if (chance < 0.86) await this.changeRole()
    else if (chance < 0.92) await this.changeTeam()
    else if (chance < 0.96) await this.merge()
    else await this.erase()
    this.desk.world.clock.advance({ seconds: 1 })
    await this.desk.world.settle()
  }

  /** Some customer writes, on one of two numbers. */
  async say(): Promise<{ contactId: string; text: string }> {
    const { world } = this.desk
    const person = personOf(Math.floor(this.random() * CUSTOMERS))
    const text = `Text ${Math.floor(this.random() * 1_000_000)}`
    const line = this.random() < 0.3 ? { line: this.second } : {}
    await deliver(world, textTo(world, text, { person, ...line }))
    const [row] = world.rows<{ contactId: string }>(
      'select contact_id as contactId from messages order by row desc limit 1',
    )
    return { contactId: row?.contactId ?? '', text }
  }

  /** Returns the frames that a person has received since this was last asked. */
  async newFrames(person: Watcher): Promise<Frame[]> {
    const frames = await person.socket.caughtUp()
    const from = person.heard
    person.heard = frames.length
    return frames.slice(from)
  }

  /** A person, a team or nobody, as a body names it. */
  private someOwner(): Loose {
    const chance = this.random()
    if (chance < 0.4) return { user_id: this.oneOf(this.people).userId }
    if (chance < 0.6) return { team_id: this.oneOf(this.teamIds) }
    return { user_id: null, team_id: null }
  }

  private someConversation(): string {
    return this.oneOf(
      this.desk.world.rows<{ id: string }>(
        `select conversations.id as id from conversations
         join contacts on contacts.id = contact_id where deleted_at_ms is null order by 1`,
      ),
    ).id
  }

  private async send(
    verb: 'put' | 'post',
    path: string,
    body?: Loose,
    client = this.admin,
  ): Promise<void> {
    const { status } = await client[verb](path, body)
    this.last = `${verb} ${path} ${JSON.stringify(body ?? {})}: ${status}`
    expect(status).toBeLessThan(500)
  }

  private assignContact(): Promise<void> {
    return this.send(
      'put',
      `/api/contacts/${this.oneOf(this.contactIds())}/assign`,
      this.someOwner(),
    )
  }

  private assignConversation(): Promise<void> {
    return this.send(
      'put',
      `/api/conversations/${this.someConversation()}/assign`,
      this.someOwner(),
    )
  }

  private transfer(): Promise<void> {
    const chance = this.random()
    const to =
      chance < 0.3
        ? { agent_id: this.oneOf(this.people).userId }
        : chance < 0.6
          ? { team_id: this.oneOf(this.teamIds) }
          : {}
    return this.send('post', '/api/chatbot/transfers', {
      contact_id: this.oneOf(this.contactIds()),
      ...to,
    })
  }

  private async pickUpOrEnd(): Promise<void> {
    const transfers = this.desk.world.rows<{ id: string }>(
      "select id from transfers where status = 'active' order by id",
    )
    if (transfers.length === 0) return
    const transfer = this.oneOf(transfers)
    if (this.random() < 0.5)
      await this.send('post', pathOf(transfer, 'pickup'), undefined, this.oneOf(this.people).client)
    else await this.send('put', pathOf(transfer, 'resume'))
  }

  private claim(): Promise<void> {
    const path = `/api/conversations/${this.someConversation()}`
    const { client } = this.oneOf(this.people)
    return this.send('post', `${path}/${this.oneOf(['claim', 'release'])}`, undefined, client)
  }

  private closeOrOpen(): Promise<void> {
    const state = this.oneOf(['closed', 'open'])
    return this.send('put', `/api/conversations/${this.someConversation()}`, { state })
  }

  private async changeRole(): Promise<void> {
    const person = this.oneOf(this.people)
    const permissions = this.somePermissions()
    await this.send('put', `/api/roles/${person.roleId}`, { permissions })
    person.permissions = new Set(permissions)
  }

  private async changeTeam(): Promise<void> {
    const path = `/api/teams/${this.oneOf(this.teamIds)}`
    const { userId } = this.oneOf(this.people)
    if (this.random() < 0.3) await this.send('put', path, { is_active: this.random() < 0.5 })
    else if (this.random() < 0.6) await this.send('post', `${path}/members`, { user_id: userId })
    else await this.admin.delete(`${path}/members/${userId}`)
  }

  private async merge(): Promise<void> {
    const [target, source] = [this.oneOf(this.contactIds()), this.oneOf(this.contactIds())]
    if (target === source) return
    await this.send('post', `/api/contacts/${target}/merge`, { source_id: source })
    const [merge] = this.desk.world.rows<{ id: string }>(
      'select id from contact_merges where undone_at_ms is null order by id desc limit 1',
    )
    if (merge && this.random() < 0.5)
      await this.send('post', `/api/contacts/merges/${merge.id}/undo`)
  }

  private erase(): Promise<void> {
    const id = this.oneOf(this.contactIds())
    return this.send('post', `/api/contacts/${id}/erase`, { confirm: id })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.people) await socket.close()
    await this.desk[Symbol.asyncDispose]()
  }
}
