import type { Answer, Client, Loose } from './client'
import { World, type Tenant, type WorldOptions } from './world'
import { changeRows } from './sql'

const BODY = {
  type: 'BODY',
  text: 'Hello {{1}}, we have news for you today.',
  example: { body_text: [['Ann']] },
}

/** A template the platform has approved: drafted and published over the API. */
export async function approvedTemplate(
  world: World,
  options: { name?: string; category?: string; components?: Loose[]; tenant?: Tenant } = {},
): Promise<string> {
  const {
    name = 'news',
    category = 'MARKETING',
    components = [BODY],
    tenant = world.tenant,
  } = options
  const admin = await world.as('admin', tenant)
  world.simulator.acceptHandle('sample')
  const { data } = await admin.post('/api/templates', {
    account_id: tenant.accountId,
    name,
    language: 'en',
    category,
    components,
  })
  const published = await admin.post(`/api/templates/${data['id']}/publish`)
  if (published.status !== 200)
    throw new Error(
      `publishing was answered ${published.status}: ${JSON.stringify(published.body)}`,
    )
  await world.simulator.review(published.data['platform_id'] as string, { event: 'APPROVED' })
  await world.settle()
  return data['id'] as string
}

/** Sets the price of a message in a country; by default everywhere and for all time. */
export function setPrice(
  world: World,
  price: {
    country?: string
    category?: string
    micros: number
    currency?: string
    applies?: 'always' | 'inside_window' | 'outside_window'
    fromMs?: number
    kind?: 'template' | 'service'
    /** Free service messages per number and month. */
    free?: number
  },
): void {
  const {
    country = '*',
    category = 'MARKETING',
    micros,
    currency = 'USD',
    applies = 'always',
    fromMs = 0,
    kind = category === 'SERVICE' ? 'service' : 'template',
    free = null,
  } = price
  changeRows(
    world.program.http.db.sqlite,
    'insert into prices (id, country, category, kind, currency, price_micros, applies, effective_from_ms, free_per_month, created_at_ms) values (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)',
    [
      world.program.http.ids.next(),
      country,
      category,
      kind,
      currency,
      micros,
      applies,
      fromMs,
      free,
    ],
  )
}

/** Returns the phone numbers of `count` people. */
export const numbersOf = (count: number, first = 15_550_200_000): string[] =>
  Array.from({ length: count }, (_, nth) => String(first + nth))

/** A world with an approved template, and ways to draft, fill and follow campaigns. */
export class CampaignFixture implements AsyncDisposable {
  private constructor(
    readonly world: World,
    readonly client: Client,
    readonly templateId: string,
  ) {}

  static async open(options: WorldOptions = {}): Promise<CampaignFixture> {
    const world = await World.create(options)
    return new CampaignFixture(world, await world.as('manager'), await approvedTemplate(world))
  }

  /** The signed-in manager, also after the clock was moved far. */
  get manager(): Promise<Client> {
    return this.world.as('manager')
  }

  /** Drafts a campaign; expects 201. */
  async draft(body: Loose = {}): Promise<string> {
    const manager = await this.manager
    const answer = await manager.post('/api/campaigns', {
      name: 'Offer',
      account_id: this.world.tenant.accountId,
      template_id: this.templateId,
      variable_mapping: { '1': { field: 'name', default: 'there' } },
      ...body,
    })
    if (answer.status !== 201)
      throw new Error(`drafting was answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.data['id'] as string
  }

  /** Drafts a campaign for people who are not contacts yet. */
  async draftFor(people: number | string[], body: Loose = {}): Promise<string> {
    const id = await this.draft(body)
    const numbers = typeof people === 'number' ? numbersOf(people) : people
    const answer = await this.do(id, 'recipients/import', {
      recipients: numbers.map((phone_number) => ({ phone_number })),
    })
    if (answer.data['imported'] !== numbers.length)
      throw new Error(`not all were taken: ${JSON.stringify(answer.body)}`)
    return id
  }

  /** Posts to one of the campaign's routes. */
  async do(id: string, what: string, body?: unknown): Promise<Answer<Loose>> {
    return (await this.manager).post(`/api/campaigns/${id}/${what}`, body)
  }

  async campaign(id: string): Promise<Loose> {
    return (await (await this.manager).get(`/api/campaigns/${id}`)).data
  }

  async recipients(id: string, query = ''): Promise<Loose[]> {
    return (await (await this.manager).get(`/api/campaigns/${id}/recipients?limit=100${query}`))
      .data['items'] as Loose[]
  }

  /**
   * Advances the clock in small steps, so that gates open in time, until nothing waits or the
   * campaign has ended or paused.
   */
  async run(id: string, most: { seconds: number } = { seconds: 120 }): Promise<Loose> {
    for (let step = 0; step < most.seconds * 2; step += 1) {
      await this.world.settle()
      const campaign = await this.campaign(id)
      if (campaign['status'] !== 'sending') return campaign
      this.world.clock.advance({ ms: 500 })
    }
    return await this.campaign(id)
  }

  /** Returns how often each number was sent a message. */
  calls(): Map<string, number> {
    const counted = new Map<string, number>()
    for (const { body } of this.world.simulator.messages) {
      const to = String((body as Loose)['to']).slice(1)
      counted.set(to, (counted.get(to) ?? 0) + 1)
    }
    return counted
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.world.stop()
  }
}
