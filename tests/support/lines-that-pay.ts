import { textMessage } from '../../src/simulator/payloads'
import type { PhoneOptions } from '../../src/simulator/accounts'
import type { Loose } from './client'
import { deliver, personOf, secondsIn, valueOf } from './lines'
import { World, type WorldOptions } from './world'

/** A connected phone number of the first tenant of a world. */
export interface PayingLine {
  name: string
  accountId: string
  phoneId: string
  wabaId: string
  digits: string
  token: string
}

/** A world whose first tenant has several phone numbers, for tests of who pays for messages. */
export class PayingLines implements AsyncDisposable {
  private count = 0

  private constructor(readonly world: World) {}

  static async open(options: WorldOptions = {}): Promise<PayingLines> {
    return new PayingLines(await World.create({ tenants: 1, ...options }))
  }

  /** Connects another phone number, by default one of a business account of its own. */
  async line(name: string, phone: PhoneOptions = {}): Promise<PayingLine> {
    this.count += 1
    const nth = String(this.count).padStart(2, '0')
    const made = this.world.simulator.addPhone({
      id: `3010000000007${nth}`,
      wabaId: `2010000000007${nth}`,
      token: `token-of-${name}`,
      displayPhoneNumber: `+1 555-010-07${nth}`,
      ...phone,
    })
    const answer = await (
      await this.world.as('admin')
    ).post('/api/accounts', {
      name,
      phone_id: made.id,
      business_id: made.wabaId,
      access_token: made.token,
    })
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    return {
      name,
      accountId: String(answer.data['id']),
      phoneId: made.id,
      wabaId: made.wabaId,
      digits: made.displayPhoneNumber.replaceAll(/\D/g, ''),
      token: made.token,
    }
  }

  /** Changes a phone number at the platform. */
  change({ phoneId }: PayingLine, facts: PhoneOptions): void {
    this.world.simulator.addPhone({ ...facts, id: phoneId })
  }

  /** A customer writes to a phone number. Returns the contact. */
  async customer(line: PayingLine, nth: number, more: Loose = {}): Promise<Loose> {
    const person = personOf(nth)
    const webhook = textMessage('Hi', {
      line: {
        wabaId: line.wabaId,
        phoneNumberId: line.phoneId,
        displayPhoneNumber: line.digits,
      },
      timestamp: secondsIn(this.world),
      person,
    })
    const [message] = valueOf(webhook)['messages'] as Loose[]
    Object.assign(message ?? {}, more)
    await deliver(this.world, webhook)
    const manager = await this.world.as('manager')
    const { data } = await manager.get(`/api/contacts?search=${person.waId}`)
    return (data['items'] as Loose[])[0] ?? {}
  }

  /** Answers a customer from a phone number. Returns the message when all work is done. */
  async answer(line: PayingLine, contact: Loose, text = 'Hello'): Promise<Loose> {
    const manager = await this.world.as('manager')
    const { status, body, data } = await manager.post(`/api/contacts/${contact['id']}/messages`, {
      type: 'text',
      text,
      account_id: line.accountId,
    })
    if (status !== 201) throw new Error(JSON.stringify(body))
    await this.world.settle()
    return this.message(data['id'])
  }

  async message(id: unknown): Promise<Loose> {
    return (await (await this.world.as('manager')).get(`/api/messages/${String(id)}`)).data
  }

  /** Tests a phone number now; returns its funding. */
  async test(line: PayingLine): Promise<Loose> {
    await (await this.world.as('admin')).post(`/api/accounts/${line.accountId}/test`)
    await this.world.settle()
    return this.funding(line)
  }

  async funding({ accountId }: PayingLine): Promise<Loose> {
    const admin = await this.world.as('admin')
    return (await admin.get(`/api/accounts/${accountId}`)).data['funding'] as Loose
  }

  async allowance({ accountId }: PayingLine): Promise<Loose> {
    const admin = await this.world.as('admin')
    const { data } = await admin.get(`/api/accounts/${accountId}/health`)
    return data['service_allowance'] as Loose
  }

  /** Returns the admin's notifications of these kinds about a phone number, oldest first. */
  async notices({ accountId }: PayingLine, ...kinds: string[]): Promise<Loose[]> {
    const admin = await this.world.as('admin')
    const { data } = await admin.get('/api/me/notifications?limit=100')
    return (data['items'] as Loose[])
      .filter(({ kind, link }) => kinds.includes(kind) && link === `/accounts/${accountId}`)
      .toReversed()
  }

  /** Returns why a message waits in the send queue; `undefined` if it does not. */
  async heldReason(message: Loose): Promise<unknown> {
    const admin = await this.world.as('admin')
    const { data } = await admin.get('/api/outbox?limit=100')
    return (data['items'] as Loose[]).find(({ message_id }) => message_id === message['id'])?.[
      'held_reason'
    ]
  }

  async resume({ accountId }: PayingLine) {
    const answer = await (await this.world.as('admin')).post(`/api/accounts/${accountId}/resume`)
    await this.world.settle()
    return answer
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.world.stop()
  }
}
