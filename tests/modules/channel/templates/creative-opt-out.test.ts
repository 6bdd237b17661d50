import { describe, expect, test } from 'bun:test'

import type { Answer, Loose } from '../../../support/client'
import { World } from '../../../support/world'

const BODY = { type: 'BODY', text: 'Our winter sale has started. Come and see what is new!' }

/** Everything that WhatsApp may change, as its documentation lists it. */
const FEATURES = [
  'add_text_overlay',
  'auto_promotion_tag',
  'dynamic_cta_text',
  'hyperlink_formatting',
  'image_animation',
  'image_background_gen',
  'image_banner',
  'image_brightness_and_contrast',
  'image_touchups',
  'product_extensions',
  'text_extraction_for_headline',
  'text_extraction_for_tap_target',
  'text_formatting_optimization',
]
const all = (choice: 'OPT_IN' | 'OPT_OUT') =>
  Object.fromEntries(FEATURES.map((name) => [name, choice]))

interface Shop extends AsyncDisposable {
  world: World
  setDefault(isOptedOut: boolean): Promise<Answer<Loose>>
  create(parts?: Loose): Promise<Answer<Loose>>
  put(id: string, changes: Loose): Promise<Answer<Loose>>
  publish(id: string): Promise<Answer<Loose>>
  get(id: string): Promise<Loose>
  /** Creates and publishes a template and has it approved. */
  approved(parts?: Loose): Promise<Loose>
  /** Has WhatsApp accept the last change of a template, and waits until it may be changed again. */
  accept(template: Loose): Promise<void>
  /** What WhatsApp may change in the only template. */
  features(): Record<string, string> | undefined
  titles(): Promise<string[]>
}

async function openShop(): Promise<Shop> {
  const world = await World.create()
  let made = 0
  const manager = () => world.as('manager')
  const shop: Shop = {
    world,
    async setDefault(isOptedOut) {
      const admin = await world.as('admin')
      const answer = await admin.put('/api/organizations/settings', {
        creative_opt_out: isOptedOut,
      })
      await world.settle()
      return answer
    },
    create: async (parts = {}) =>
      await (
        await manager()
      ).post('/api/templates', {
        account_id: world.tenant.accountId,
        name: `sale_${(made += 1)}`,
        language: 'en_US',
        category: 'MARKETING',
        components: [BODY],
        ...parts,
      }),
    put: async (id, changes) => await (await manager()).put(`/api/templates/${id}`, changes),
    publish: async (id) => await (await manager()).post(`/api/templates/${id}/publish`),
    get: async (id) => (await (await manager()).get(`/api/templates/${id}`)).data,
    async approved(parts) {
      const { data } = await shop.create({ ...parts, submit: true })
      await shop.accept(data)
      return data
    },
    async accept({ platform_id }) {
      await world.simulator.review(String(platform_id), { event: 'APPROVED' })
      await world.settle()
      world.clock.advance({ hours: 25 })
      await world.settle()
    },
    features: () => world.simulator.templatesOf()[0]?.creativeFeatures,
    async titles() {
      const { data } = await (await world.as('admin')).get('/api/me/notifications')
      return (data['items'] as Loose[]).map(({ title }) => String(title))
    },
    [Symbol.asyncDispose]: () => world.stop(),
  }
  return shop
}

describe('the opt-out of a template', () => {
  test('forbids WhatsApp every change that it may make', async () => {
    await using shop = await openShop()
    const made = await shop.approved({ creative_opt_out: true })
    expect(made).toMatchObject({ creative_opt_out: true, published_creative_opt_out: true })
    expect(shop.features()).toEqual(all('OPT_OUT'))
  })

  test('is not made without being asked for', async () => {
    await using shop = await openShop()
    const made = await shop.approved()
    expect(made).toMatchObject({ creative_opt_out: null, published_creative_opt_out: null })
    const other = await shop.create({ creative_opt_out: false, submit: true })
    expect(other.data).toMatchObject({ creative_opt_out: false, published_creative_opt_out: null })
    expect(shop.world.simulator.templatesOf().map((kept) => kept.creativeFeatures)).toEqual([
      undefined,
      undefined,
    ])
  })

  test('is a change to publish, and so is taking it back', async () => {
    await using shop = await openShop()
    const made = await shop.approved()
    const changed = await shop.put(made['id'], { creative_opt_out: true })
    expect(changed.data).toMatchObject({
      creative_opt_out: true,
      published_creative_opt_out: null,
      has_local_changes: true,
    })
    expect(shop.features()).toBeUndefined()
    expect((await shop.publish(made['id'])).data).toMatchObject({
      published_creative_opt_out: true,
      has_local_changes: false,
    })
    expect(shop.features()).toEqual(all('OPT_OUT'))
    await shop.accept(made)
    expect((await shop.put(made['id'], { creative_opt_out: false })).status).toBe(200)
    expect((await shop.publish(made['id'])).data['published_creative_opt_out']).toBe(false)
    expect(shop.features()).toEqual(all('OPT_IN'))
    await shop.accept(made)
    await shop.put(made['id'], { components: [{ ...BODY, text: 'Our spring sale has started.' }] })
    expect((await shop.publish(made['id'])).data['published_creative_opt_out']).toBe(false)
  })

  test('stays with other changes and in a copy', async () => {
    await using shop = await openShop()
    const made = await shop.approved({ creative_opt_out: true })
    const manager = await shop.world.as('manager')
    const copy = await manager.post(`/api/templates/${made['id']}/duplicate`, { name: 'copied' })
    expect(copy.data).toMatchObject({ creative_opt_out: true, published_creative_opt_out: null })
    const { data } = await shop.put(made['id'], { display_name: 'Sale' })
    expect(data).toMatchObject({ creative_opt_out: true, has_local_changes: false })
  })

  test('is for marketing only', async () => {
    await using shop = await openShop()
    const paths = ({ body }: Answer<Loose>) => body.errors?.map(({ path }) => path)
    const utility = { category: 'UTILITY', creative_opt_out: true }
    expect(paths(await shop.create(utility))).toEqual(['body.creative_opt_out'])
    const { data } = await shop.create({ creative_opt_out: false })
    expect(paths(await shop.put(data['id'], { category: 'UTILITY' }))).toEqual([
      'body.creative_opt_out',
    ])
    expect(
      (await shop.put(data['id'], { category: 'UTILITY', creative_opt_out: null })).status,
    ).toBe(200)
    expect((await shop.create({ creative_opt_out: 'yes' })).status).toBe(400)
  })

  test('is not sent for a template that WhatsApp moved to another category, and is not in the way', async () => {
    await using shop = await openShop()
    const made = await shop.approved({ creative_opt_out: true })
    await shop.world.simulator.sendTemplateWebhook(
      String(made['platform_id']),
      'template_category_update',
      { previous_category: 'MARKETING', new_category: 'UTILITY' },
    )
    await shop.world.settle()
    for (const template of shop.world.simulator.templatesOf()) template.category = 'UTILITY'
    const text = 'Your order has left our shop.'
    expect((await shop.put(made['id'], { components: [{ ...BODY, text }] })).status).toBe(200)
    expect((await shop.publish(made['id'])).status).toBe(200)
    expect((await shop.get(made['id']))['creative_opt_out']).toBe(true)
  })
})

describe('the opt-out of the organization', () => {
  test('is off at first, is explained, and is kept in the audit log', async () => {
    await using shop = await openShop()
    const admin = await shop.world.as('admin')
    const { data: before } = await admin.get('/api/organizations/settings')
    expect((before['settings'] as Loose)['creative_opt_out']).toBe(false)
    expect((await shop.setDefault(true)).data['settings']).toMatchObject({ creative_opt_out: true })
    const { data } = await admin.get('/api/audit-logs?resource_type=organization_settings')
    expect((data['items'] as Loose[])[0]?.['changes']).toEqual([
      { field: 'creative_opt_out', old_value: false, new_value: true },
    ])
    const document = await (await fetch(`${shop.world.url}/openapi.json`)).text()
    const sentence = 'With the opt-out, customers get the template as it was written.'
    expect(document.split(sentence).length - 1).toBeGreaterThanOrEqual(3)
  })

  test('counts for templates that do not choose otherwise, from when it is turned on', async () => {
    await using shop = await openShop()
    await shop.setDefault(true)
    const followed = await shop.approved()
    expect(followed).toMatchObject({ creative_opt_out: null, published_creative_opt_out: true })
    expect(shop.features()).toEqual(all('OPT_OUT'))
    const chosen = await shop.create({ creative_opt_out: false, submit: true })
    expect(chosen.data).toMatchObject({ published_creative_opt_out: false })
    expect(shop.world.simulator.templatesOf()[1]?.creativeFeatures).toEqual(all('OPT_IN'))
    const utility = await shop.create({ category: 'UTILITY', submit: true })
    expect(utility.status).toBe(201)
    expect(utility.data['published_creative_opt_out']).toBeNull()
  })

  test('lets templates be published again that WhatsApp still may change, and only those', async () => {
    await using shop = await openShop()
    const made = await shop.approved()
    expect((await shop.publish(made['id'])).body.code).toBe('wrong_state')
    await shop.setDefault(true)
    expect((await shop.get(made['id']))['published_creative_opt_out']).toBeNull()
    expect((await shop.publish(made['id'])).status).toBe(200)
    expect(shop.features()).toEqual(all('OPT_OUT'))
    await shop.accept(made)
    expect((await shop.publish(made['id'])).body.code).toBe('wrong_state')
    await shop.setDefault(false)
    expect((await shop.publish(made['id'])).status).toBe(200)
    expect(shop.features()).toEqual(all('OPT_IN'))
  })
})

describe('the opt-out of business accounts', () => {
  const onboard = (shop: Shop): void => {
    shop.world.simulator.addPhone({ id: shop.world.tenant.phoneId, marketingStatus: 'ONBOARDED' })
  }
  const check = async ({ world }: Shop): Promise<void> => {
    await (await world.as('admin')).post(`/api/accounts/${world.tenant.accountId}/test`)
    await world.settle()
  }
  const optOuts = ({ world }: Shop): number =>
    world.simulator.callsOf({ route: 'waba' }).filter(({ method }) => method === 'POST').length
  const featuresOf = ({ world }: Shop) => world.simulator.creativeFeaturesOf(world.tenant.wabaId)

  test('is made when the organization turns it on, once, and not taken back by turning it off', async () => {
    await using shop = await openShop()
    onboard(shop)
    await check(shop)
    expect(optOuts(shop)).toBe(0)
    await shop.setDefault(true)
    expect(featuresOf(shop)).toEqual(all('OPT_OUT'))
    await shop.setDefault(true)
    const admin = await shop.world.as('admin')
    await admin.put('/api/organizations/settings', { date_format: 'DD.MM.YYYY' })
    await admin.put(`/api/accounts/${shop.world.tenant.accountId}`, { name: 'Renamed' })
    await shop.world.settle()
    await shop.setDefault(false)
    await check(shop)
    expect(optOuts(shop)).toBe(1)
    expect(featuresOf(shop)).toEqual(all('OPT_OUT'))
  })

  test('waits until the business accepts the terms of marketing messages', async () => {
    await using shop = await openShop()
    await shop.setDefault(true)
    await check(shop)
    expect(optOuts(shop)).toBe(0)
    onboard(shop)
    await check(shop)
    expect(featuresOf(shop)).toEqual(all('OPT_OUT'))
    await check(shop)
    expect(optOuts(shop)).toBe(1)
    expect(await shop.titles()).toEqual([])
  })

  async function connectSecond({ world }: Shop): Promise<void> {
    world.simulator.addPhone({
      id: '301000000000077',
      wabaId: '201000000000077',
      token: 'token-77',
      marketingStatus: 'ONBOARDED',
    })
    const admin = await world.as('admin')
    const { status } = await admin.post('/api/accounts', {
      name: 'Second',
      phone_id: '301000000000077',
      business_id: '201000000000077',
      access_token: 'token-77',
    })
    expect(status).toBe(201)
    await world.settle()
  }
  const featuresOfSecond = ({ world }: Shop) =>
    world.simulator.creativeFeaturesOf('201000000000077')

  test('is made for a number that is connected later', async () => {
    await using shop = await openShop()
    await shop.setDefault(true)
    await connectSecond(shop)
    expect(featuresOfSecond(shop)).toEqual(all('OPT_OUT'))
    expect(featuresOf(shop)).toBeUndefined()
  })

  test('is made for each of them', async () => {
    await using shop = await openShop()
    onboard(shop)
    await check(shop)
    await connectSecond(shop)
    expect(featuresOfSecond(shop)).toBeUndefined()
    await shop.setDefault(true)
    expect(optOuts(shop)).toBe(2)
    expect([featuresOf(shop), featuresOfSecond(shop)]).toEqual([all('OPT_OUT'), all('OPT_OUT')])
  })

  test('is tried again while WhatsApp does not answer', async () => {
    await using shop = await openShop()
    onboard(shop)
    await check(shop)
    shop.world.simulator.fail({ code: 2 }, { route: 'waba', times: 1 })
    await shop.setDefault(true)
    expect(featuresOf(shop)).toBeUndefined()
    shop.world.clock.advance({ minutes: 10 })
    await shop.world.settle()
    expect(featuresOf(shop)).toEqual(all('OPT_OUT'))
    expect(await shop.titles()).toEqual([])
  })

  test('is reported to the admins if WhatsApp refuses it, once', async () => {
    await using shop = await openShop()
    onboard(shop)
    await check(shop)
    shop.world.simulator.addPhone({
      id: shop.world.tenant.phoneId,
      marketingStatus: 'ELIGIBLE',
    })
    await shop.setDefault(true)
    shop.world.clock.advance({ hours: 1 })
    await shop.world.settle()
    expect(featuresOf(shop)).toBeUndefined()
    expect(
      (await shop.titles()).filter((title) => title.startsWith('WhatsApp may still change')),
    ).toHaveLength(1)
  })

  test('is not made any more if it was turned off before', async () => {
    await using shop = await openShop()
    onboard(shop)
    await check(shop)
    shop.world.simulator.fail({ code: 2 }, { route: 'waba', times: 1 })
    await shop.setDefault(true)
    await shop.setDefault(false)
    shop.world.clock.advance({ hours: 1 })
    await shop.world.settle()
    expect(featuresOf(shop)).toBeUndefined()
  })
})
