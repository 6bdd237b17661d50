import { textMessage } from '../../src/simulator/payloads'
import type { Loose } from './client'
import { lineOf, personOf, secondsIn } from './lines'
import { World, type Tenant, type WorldOptions } from './world'

/** A world whose first tenant sends texts to many contacts. */
export class Outbox {
  private constructor(readonly world: World) {}

  static async open(options: WorldOptions = {}): Promise<Outbox> {
    return new Outbox(await World.create(options))
  }

  /** Returns contacts of a tenant who have just written, in order. */
  async contacts(count: number, tenant: Tenant = this.world.tenant): Promise<Loose[]> {
    const { world } = this
    for (let nth = 0; nth < count; nth += 1)
      await world.simulator.post(
        textMessage('Hi', {
          line: lineOf(tenant),
          timestamp: secondsIn(world),
          person: personOf(nth),
        }),
      )
    await world.settle()
    return world.rows(
      `select id, wa_id, user_id from contacts where organization_id = ? and wa_id like '155503%' order by wa_id limit ?`,
      tenant.id,
      count,
    )
  }

  /** Stores a text for a contact and returns its id. */
  async send(
    contact: Loose,
    text: string,
    tenant: Tenant = this.world.tenant,
    more: Loose = {},
  ): Promise<string> {
    const client = await this.world.as('manager', tenant)
    const { status, body } = await client.post(`/api/contacts/${contact['id']}/messages`, {
      type: 'text',
      text,
      ...more,
    })
    if (status !== 201) throw new Error(`sending was answered ${status}: ${JSON.stringify(body)}`)
    return String(body.data['id'])
  }

  async read(id: string, tenant: Tenant = this.world.tenant): Promise<Loose> {
    return (await (await this.world.as('manager', tenant)).get(`/api/messages/${id}`)).data
  }

  /** Returns the number of send calls so far, optionally of one number. */
  calls(phoneId?: string): number {
    return this.world.simulator.callsOf({
      route: 'messages',
      ...(phoneId === undefined ? {} : { object: phoneId }),
    }).length
  }

  /** Returns the texts the platform accepted so far, optionally of one contact, in order. */
  texts(contact?: Loose): string[] {
    return this.world.simulator.messages
      .map(({ body }) => body as Loose)
      .filter((body) => contact === undefined || body['to'] === `+${contact['wa_id']}`)
      .map((body) => body['text'].body as string)
  }

  /** Advances the time in small steps and runs what is due in each. */
  async pass(
    by: { seconds: number; stepMs?: number },
    look: (passedMs: number) => void = () => undefined,
  ): Promise<void> {
    const stepMs = by.stepMs ?? 250
    for (let passedMs = stepMs; passedMs <= by.seconds * 1_000; passedMs += stepMs) {
      this.world.clock.advance({ ms: stepMs })
      await this.world.settle()
      look(passedMs)
    }
  }

  /** Returns the statistics of the only number. */
  async stats(tenant: Tenant = this.world.tenant): Promise<Loose> {
    const { data } = await (await this.world.as('admin', tenant)).get('/api/outbox/stats')
    return (data['accounts'] as Loose[])[0] as Loose
  }

  /** The tenant's number as its admin sees it. */
  async account(tenant: Tenant = this.world.tenant): Promise<Loose> {
    return (await (await this.world.as('admin', tenant)).get(`/api/accounts/${tenant.accountId}`))
      .data
  }

  /** Returns the titles of the admin's notifications, newest first. */
  async told(tenant: Tenant = this.world.tenant): Promise<string[]> {
    const { data } = await (await this.world.as('admin', tenant)).get('/api/me/notifications')
    return (data['items'] as Loose[]).map(({ kind }) => String(kind))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world.stop()
  }
}
