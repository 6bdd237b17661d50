import { describe, expect, test } from 'bun:test'

import type { Answer, Loose } from '../../../support/client'
import { World } from '../../../support/world'

const BODY = { type: 'BODY', text: 'Our winter sale has started. Come and see what is new!' }

interface Shop extends AsyncDisposable {
  world: World
  turnOn(isOn?: boolean): Promise<Answer<Loose>>
  create(parts: Loose): Promise<Answer<Loose>>
  put(id: string, changes: Loose): Promise<Answer<Loose>>
  publish(id: string): Promise<Answer<Loose>>
  /** Creates and publishes a template, has it approved, and waits until it may be edited again. */
  approved(parts: Loose): Promise<Loose>
  /** Optimizations that the platform got with each submission, oldest first. */
  submitted(): unknown[]
}

async function openShop({ isSigned = true }: { isSigned?: boolean } = {}): Promise<Shop> {
  const world = await World.create()
  world.simulator.addPhone({ id: world.tenant.phoneId, hasMaxPriceAgreement: isSigned })
  let made = 0
  const shop: Shop = {
    world,
    turnOn: async (isOn = true) =>
      await (
        await world.as('admin')
      ).put('/api/organizations/settings', { template_max_price: isOn }),
    create: async (parts) =>
      await (
        await world.as('manager')
      ).post('/api/templates', {
        account_id: world.tenant.accountId,
        name: `sale_${(made += 1)}`,
        language: 'en_US',
        category: 'MARKETING',
        components: [BODY],
        ...parts,
      }),
    put: async (id, changes) =>
      await (await world.as('manager')).put(`/api/templates/${id}`, changes),
    publish: async (id) => await (await world.as('manager')).post(`/api/templates/${id}/publish`),
    async approved(parts) {
      const { data } = await shop.create({ ...parts, submit: true })
      await world.simulator.review(String(data['platform_id']), { event: 'APPROVED' })
      await world.settle()
      return data
    },
    submitted: () =>
      [
        ...world.simulator.callsOf({ route: 'templates' }),
        ...world.simulator.callsOf({ route: 'template' }),
      ]
        .filter(({ method }) => method === 'POST')
        .map(({ body }) => (body as Loose)['optimization_spec']),
    [Symbol.asyncDispose]: () => world.stop(),
  }
  return shop
}

describe('the highest price of a template', () => {
  test('is refused while the organization has not turned it on, and the answer names the agreement', async () => {
    await using shop = await openShop()
    const { status, body } = await shop.create({ max_price: 4_000 })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'max_price_off' })
    expect(body.message).toContain("Meta's Max Price Beta Agreement")
    expect(body.message).toContain('template_max_price')
    const { data } = await shop.create({})
    expect(data['max_price']).toBeNull()
    expect((await shop.put(data['id'], { max_price: 4_000 })).body.code).toBe('max_price_off')
    expect((await shop.put(data['id'], { max_price: null })).status).toBe(200)
  })

  test('is a setting of the organization, off at first and in the audit log', async () => {
    await using shop = await openShop()
    const admin = await shop.world.as('admin')
    const { data: before } = await admin.get('/api/organizations/settings')
    expect((before['settings'] as Loose)['template_max_price']).toBe(false)
    expect((await shop.turnOn()).data['settings']).toMatchObject({ template_max_price: true })
    const { data } = await admin.get('/api/audit-logs?resource_type=organization_settings')
    expect((data['items'] as Loose[])[0]?.['changes']).toEqual([
      { field: 'template_max_price', old_value: false, new_value: true },
    ])
  })

  test('goes to WhatsApp with the template, and another one with the next change', async () => {
    await using shop = await openShop()
    await shop.turnOn()
    const made = await shop.approved({ max_price: 4_000 })
    expect(made['max_price']).toBe(4_000)
    expect(shop.submitted()).toEqual([
      { bid_amount: 4_000, bid_strategy: 'LOWEST_COST_WITH_BID_CAP' },
    ])
    const { data } = await shop.put(made['id'], { max_price: 3_500 })
    expect(data).toMatchObject({ max_price: 3_500, has_local_changes: true })
    expect((await shop.publish(made['id'])).status).toBe(200)
    expect(shop.submitted().at(-1)).toEqual({
      bid_amount: 3_500,
      bid_strategy: 'LOWEST_COST_WITH_BID_CAP',
    })
    expect(shop.world.simulator.templatesOf().map(({ maxPrice }) => maxPrice)).toEqual([3_500])
  })

  test('stays with other changes, and a template without one submits none', async () => {
    await using shop = await openShop()
    await shop.turnOn()
    const made = await shop.approved({ max_price: 4_000 })
    await shop.put(made['id'], { components: [{ ...BODY, text: 'Our spring sale has started.' }] })
    await shop.publish(made['id'])
    expect(shop.submitted().at(-1)).toMatchObject({ bid_amount: 4_000 })
    await shop.create({ submit: true })
    expect(shop.world.simulator.templatesOf().map(({ maxPrice }) => maxPrice)).toEqual([
      4_000,
      undefined,
    ])
  })

  test('cannot be added to a published template, nor removed from it', async () => {
    await using shop = await openShop()
    await shop.turnOn()
    const without = await shop.approved({})
    const added = await shop.put(without['id'], { max_price: 4_000 })
    expect(added.status).toBe(400)
    expect(added.body.errors).toEqual([
      {
        path: 'body.max_price',
        message: 'cannot be added, because the template is published; duplicate it instead',
      },
    ])
    const having = await shop.approved({ max_price: 4_000 })
    const removed = await shop.put(having['id'], { max_price: null })
    expect(removed.body.errors?.[0]?.message).toStartWith('can be changed but not removed')
    expect((await shop.put(without['id'], { max_price: null })).status).toBe(200)
  })

  test('can be added and removed in a draft, and a copy has it', async () => {
    await using shop = await openShop()
    await shop.turnOn()
    const { data } = await shop.create({})
    expect((await shop.put(data['id'], { max_price: 2_000 })).data['max_price']).toBe(2_000)
    const manager = await shop.world.as('manager')
    const copy = await manager.post(`/api/templates/${data['id']}/duplicate`, { name: 'copied' })
    expect(copy.data['max_price']).toBe(2_000)
    expect((await shop.put(data['id'], { max_price: null })).data['max_price']).toBeNull()
  })

  test('is for marketing only', async () => {
    await using shop = await openShop()
    await shop.turnOn()
    const paths = ({ body }: Answer<Loose>) => body.errors?.map(({ path }) => path)
    expect(paths(await shop.create({ category: 'UTILITY', max_price: 4_000 }))).toEqual([
      'body.max_price',
    ])
    const { data } = await shop.create({ max_price: 4_000 })
    expect(paths(await shop.put(data['id'], { category: 'UTILITY' }))).toEqual(['body.max_price'])
    const moved = await shop.put(data['id'], { category: 'UTILITY', max_price: null })
    expect(moved.data).toMatchObject({ category: 'UTILITY', max_price: null })
    for (const max_price of [0, -1, 1.5, '4000'])
      expect((await shop.create({ max_price })).status).toBe(400)
  })

  test('is not sent for a template that WhatsApp moved to another category, and is not in the way', async () => {
    await using shop = await openShop()
    await shop.turnOn()
    const made = await shop.approved({ max_price: 4_000 })
    await shop.world.simulator.sendTemplateWebhook(
      String(made['platform_id']),
      'template_category_update',
      { previous_category: 'MARKETING', new_category: 'UTILITY' },
    )
    await shop.world.settle()
    for (const template of shop.world.simulator.templatesOf()) template.category = 'UTILITY'
    const changed = await shop.put(made['id'], {
      components: [{ ...BODY, text: 'Your order has left our shop.' }],
    })
    expect(changed.status).toBe(200)
    expect((await shop.publish(made['id'])).status).toBe(200)
    expect(shop.submitted().at(-1)).toBeUndefined()
  })

  test('is checked again when a draft is published', async () => {
    await using shop = await openShop()
    await shop.turnOn()
    const { data } = await shop.create({ max_price: 4_000 })
    await shop.turnOn(false)
    expect((await shop.publish(data['id'])).body.code).toBe('max_price_off')
    expect(shop.world.simulator.templatesOf()).toEqual([])
  })

  test('is refused by WhatsApp without the agreement, which the answer names', async () => {
    await using shop = await openShop({ isSigned: false })
    await shop.turnOn()
    const { data } = await shop.create({ max_price: 4_000 })
    const { status, body } = await shop.publish(data['id'])
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'platform_rejected' })
    expect(body.message).toContain('You need to sign the testing legal agreement.')
    expect(body.message).toContain("Meta's Max Price Beta Agreement")
    const plain = await shop.create({ name: 'x', language: 'xx_XX', submit: true })
    expect(plain.body.message ?? '').not.toContain('Agreement')
  })
})

describe('a message of a template with a highest price', () => {
  async function sent(facts: Loose): Promise<Loose> {
    await using shop = await openShop()
    const { world } = shop
    await shop.turnOn()
    const { id } = await shop.approved({ max_price: 4_000 })
    world.simulator.addPhone({ id: world.tenant.phoneId, ...facts })
    const contact = await world.contactOf()
    const admin = await world.as('admin')
    const { data } = await admin.post('/api/messages/template', {
      contact_id: contact['id'],
      template_id: id,
    })
    await world.settle()
    return (await admin.get(`/api/messages/${data['id']}`)).data
  }

  test('is sent for a business that has accepted the terms of marketing messages', async () => {
    expect(await sent({ marketingStatus: 'ONBOARDED' })).toMatchObject({
      status: 'delivered',
      error: null,
    })
  })

  test('fails with a sentence about the terms for one that has not', async () => {
    const { status, error } = await sent({})
    expect({ status, code: (error as Loose)['code'] }).toEqual({
      status: 'failed',
      code: 'max_price_not_available',
    })
  })
})
