import { describe, expect, test } from 'bun:test'

import { approvedTemplate, numbersOf, CampaignFixture } from '../../../support/campaigns'
import type { Answer, Loose } from '../../../support/client'
import { World } from '../../../support/world'
import { envelope } from '../../../../src/simulator/payloads'

interface Shop extends AsyncDisposable {
  world: World
  /** Sends the template, by default to the customer, and waits until nothing moves. */
  send(to?: Loose): Promise<Loose>
  account(): Promise<Loose>
  /** Changes facts of the number at the platform and asks for them. */
  report(facts: Loose): Promise<void>
  setPolicy(policy: string): Promise<Answer<Loose>>
}

/** Opens a world with an approved template and a customer who has not written for a day. */
async function openShop(category = 'MARKETING'): Promise<Shop> {
  const world = await World.create()
  const contact = await world.contactOf()
  const template = await approvedTemplate(world, { category })
  const path = `/api/accounts/${world.tenant.accountId}`
  return {
    world,
    async send(to = { contact_id: contact['id'] }) {
      const admin = await world.as('admin')
      const { data } = await admin.post('/api/messages/template', {
        ...to,
        template_id: template,
        template_params: { '1': 'Ann' },
      })
      await world.settle()
      return (await admin.get(`/api/messages/${data['id']}`)).data
    },
    account: async () => (await (await world.as('admin')).get(path)).data,
    async report(facts) {
      world.simulator.addPhone({ id: world.tenant.phoneId, ...facts })
      await (await world.as('admin')).post(`${path}/test`)
      await world.settle()
    },
    setPolicy: async (policy) =>
      await (await world.as('admin')).put(path, { marketing_path: { policy } }),
    [Symbol.asyncDispose]: () => world.stop(),
  }
}

const pathsOf = (world: World): string[] =>
  world.simulator
    .callsOf({ route: 'messages' })
    .map(({ path }) => path.slice(path.lastIndexOf('/') + 1))

const attemptsOf = async (world: World, message: Loose): Promise<unknown[]> => {
  const { data } = await (await world.as('admin')).get(`/api/messages/${message['id']}/events`)
  return (data['items'] as Loose[])
    .filter(({ kind }) => kind === 'attempt')
    .map(({ path, outcome, platform_code }) => [path, outcome, platform_code])
}

const lastBody = (world: World): unknown =>
  world.simulator.callsOf({ route: 'messages' }).at(-1)?.body

describe('a marketing template', () => {
  test('takes the marketing path also of a business that has not accepted the terms, and falls back', async () => {
    await using shop = await openShop()
    await shop.report({})
    expect((await shop.account())['marketing_path']).toEqual({
      status: 'eligible',
      policy: 'fallback',
    })
    const message = await shop.send()
    expect(message).toMatchObject({ status: 'delivered', pricing: { category: 'marketing' } })
    expect(pathsOf(shop.world)).toEqual(['marketing_messages'])
    expect(lastBody(shop.world)).toMatchObject({
      product_policy: 'CLOUD_API_FALLBACK',
      message_activity_sharing: false,
    })
    expect(await attemptsOf(shop.world, message)).toEqual([
      ['marketing_messages', 'accepted', null],
    ])
    // an accepted message proves nothing about the terms
    expect((await shop.account())['marketing_path']).toMatchObject({ status: 'eligible' })
  })

  test('is a marketing message once the terms are accepted, and members learn it', async () => {
    await using shop = await openShop()
    await shop.report({})
    const socket = await shop.world.socket('agent')
    await shop.report({ marketingStatus: 'ONBOARDED' })
    expect((await shop.account())['marketing_path']).toMatchObject({ status: 'onboarded' })
    await socket.caughtUp()
    expect(socket.events('account:updated')).toHaveLength(1)
    expect(await shop.send()).toMatchObject({
      status: 'delivered',
      pricing: { category: 'marketing_lite' },
    })
    await shop.report({ marketingStatus: 'INELIGIBLE' })
    expect((await shop.account())['marketing_path']).toMatchObject({ status: 'off' })
    await shop.report({ marketingStatus: 'ELIGIBLE' })
    expect((await shop.account())['marketing_path']).toMatchObject({ status: 'eligible' })
  })

  test('learns from a webhook that the terms are accepted', async () => {
    await using shop = await openShop()
    await shop.report({})
    const { world } = shop
    const time = Math.floor(world.clock.nowMs() / 1_000)
    await world.simulator.deliver(
      envelope({ event: 'MM_LITE_TERMS_SIGNED' }, { field: 'account_update', time }),
      world.tenant.phoneId,
    )
    await shop.world.settle()
    expect((await shop.account())['marketing_path']).toMatchObject({ status: 'onboarded' })
    const notices = await (await shop.world.as('admin')).get('/api/me/notifications')
    expect(notices.data['items']).toContainEqual(
      expect.objectContaining({
        title: expect.stringContaining('Terms of marketing messages accepted'),
      }),
    )
  })

  test('fails instead of falling back only if the number asks for it', async () => {
    await using shop = await openShop()
    await shop.report({})
    expect((await shop.setPolicy('strict')).data['marketing_path']).toEqual({
      status: 'eligible',
      policy: 'strict',
    })
    const refused = await shop.send()
    expect(refused).toMatchObject({ status: 'failed', error: { platform_code: 131_055 } })
    expect(pathsOf(shop.world)).toEqual(['marketing_messages'])
    expect(lastBody(shop.world)).toMatchObject({ product_policy: 'STRICT' })
    await shop.report({ marketingStatus: 'ONBOARDED' })
    expect(await shop.send()).toMatchObject({ status: 'delivered' })
    await shop.setPolicy('fallback')
    await shop.send()
    expect(lastBody(shop.world)).toMatchObject({ product_policy: 'CLOUD_API_FALLBACK' })
  })

  test.each(['auto', 'never', 'STRICT', ''])(
    'has a policy that is one of two words, not %p',
    async (policy) => {
      await using shop = await openShop()
      expect(await shop.setPolicy(policy)).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'body.marketing_path.policy' }] },
      })
      expect((await shop.account())['marketing_path']).toMatchObject({ policy: 'fallback' })
    },
  )

  test('lets the platform use what customers do only if the organization says so', async () => {
    await using shop = await openShop()
    const admin = await shop.world.as('admin')
    const saved = await admin.put('/api/organizations/settings', { message_activity_sharing: true })
    expect(saved.data).toMatchObject({ settings: { message_activity_sharing: true } })
    await shop.send()
    expect(lastBody(shop.world)).toMatchObject({ message_activity_sharing: true })
  })

  test('cannot be sent where fall-back is switched off at the platform and the terms are open', async () => {
    await using shop = await openShop()
    await shop.report({ isMarketingOff: true })
    expect(await shop.send()).toMatchObject({
      status: 'failed',
      error: { code: 'marketing_disabled', platform_code: 131_063 },
    })
    expect(pathsOf(shop.world)).toEqual(['marketing_messages'])
  })

  test('that the platform files as another category goes the other way once', async () => {
    await using shop = await openShop()
    shop.world.simulator.fail({ code: 134_100 }, { route: 'messages', times: 1 })
    const message = await shop.send()
    expect(message).toMatchObject({ status: 'delivered', error: null })
    expect(await attemptsOf(shop.world, message)).toEqual([
      ['marketing_messages', 'refused', 134_100],
      ['messages', 'accepted', null],
    ])
    expect(lastBody(shop.world)).not.toHaveProperty('product_policy')
  })

  test('that both ways refuse fails after one call on each', async () => {
    await using shop = await openShop()
    shop.world.simulator.fail({ code: 134_100 }, { route: 'messages', times: 1 })
    await shop.report({ isMarketingOff: true })
    const message = await shop.send()
    expect(message).toMatchObject({ status: 'failed', error: { platform_code: 131_063 } })
    expect(await attemptsOf(shop.world, message)).toEqual([
      ['marketing_messages', 'refused', 134_100],
      ['messages', 'refused', 131_063],
    ])
  })

  test('is previewed with its path and policy', async () => {
    await using shop = await openShop()
    await shop.setPolicy('strict')
    const admin = await shop.world.as('admin')
    const list = (await admin.get('/api/templates')).data['items'] as Loose[]
    const preview = await admin.post('/api/messages/preview', {
      phone_number: '15550109999',
      type: 'template',
      template_id: list[0]?.['id'],
      template_params: { '1': 'Ann' },
    })
    expect(preview.data).toMatchObject({
      platform_path: 'marketing_messages',
      platform_payload: { message_activity_sharing: false, product_policy: 'STRICT' },
    })
  })
})

describe('a template that the platform still prepares', () => {
  test('waits ten minutes with all its messages, and is then sent', async () => {
    await using shop = await openShop()
    const { world } = shop
    world.simulator.fail({ code: 134_101 }, { route: 'messages', times: 1 })
    const first = await shop.send()
    const second = await shop.send({ phone_number: '15550107777' })
    expect([first['status'], second['status']]).toEqual(['pending', 'pending'])
    // the second one, to somebody else, is not even tried
    expect(pathsOf(world)).toHaveLength(1)
    const queue = await (await world.as('admin')).get('/api/outbox')
    expect(queue.data['items']).toEqual([
      expect.objectContaining({ stage: 'held', held_reason: 'template_syncing', attempts: 1 }),
      expect.objectContaining({ stage: 'held', held_reason: 'template_syncing', attempts: 0 }),
    ])
    world.clock.advance({ seconds: 599 })
    await world.settle()
    expect(pathsOf(world)).toHaveLength(1)
    world.clock.advance({ seconds: 2 })
    await world.settle()
    const admin = await world.as('admin')
    for (const { id } of [first, second] as { id: string }[])
      expect((await admin.get(`/api/messages/${id}`)).data).toMatchObject({ status: 'delivered' })
    expect(await attemptsOf(world, first)).toEqual([
      ['marketing_messages', 'refused', 134_101],
      ['marketing_messages', 'accepted', null],
    ])
  })

  test('waits again when it takes longer, and holds no other template and no other message', async () => {
    await using shop = await openShop()
    const { world } = shop
    const other = await approvedTemplate(world, { name: 'other_offer', category: 'MARKETING' })
    world.simulator.fail({ code: 134_101 }, { route: 'messages', times: 2 })
    const message = await shop.send()
    world.clock.advance({ minutes: 10, seconds: 1 })
    await world.settle()
    expect(await attemptsOf(world, message)).toHaveLength(2)
    const admin = await world.as('admin')
    const sent = await admin.post('/api/messages/template', {
      phone_number: '15550107777',
      template_id: other,
      template_params: { '1': 'Bob' },
    })
    await world.settle()
    expect((await admin.get(`/api/messages/${sent.data['id']}`)).data).toMatchObject({
      status: 'delivered',
    })
    world.clock.advance({ minutes: 10, seconds: 1 })
    await world.settle()
    expect((await admin.get(`/api/messages/${message['id']}`)).data).toMatchObject({
      status: 'delivered',
    })
  })
})

test('a utility template takes the way of all other messages', async () => {
  await using shop = await openShop('UTILITY')
  await shop.report({ marketingStatus: 'ONBOARDED' })
  expect(await shop.send()).toMatchObject({ status: 'delivered' })
  expect(pathsOf(shop.world)).toEqual(['messages'])
  expect(lastBody(shop.world)).not.toHaveProperty('product_policy')
})

test('a utility template that became marketing unnoticed is sent as marketing after one refusal', async () => {
  await using shop = await openShop('UTILITY')
  shop.world.simulator.fail({ code: 131_063 }, { route: 'messages', times: 1 })
  // the simulated platform knows the template as utility
  shop.world.simulator.fail({ code: 134_101 }, { route: 'messages', times: 1 })
  const message = await shop.send()
  expect(message).toMatchObject({ status: 'pending' })
  expect(await attemptsOf(shop.world, message)).toEqual([
    ['messages', 'refused', 131_063],
    ['marketing_messages', 'refused', 134_101],
  ])
})

test('campaigns choose the path as single messages do', async () => {
  await using fixture = await CampaignFixture.open()
  const { world } = fixture
  await fixture.client.post(`/api/accounts/${world.tenant.accountId}/test`)
  const id = await fixture.draftFor(numbersOf(3, 15_550_210_000))
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 3 })
  expect(pathsOf(world)).toEqual(Array(3).fill('marketing_messages'))
})

test('another business account begins without a known marketing path', async () => {
  await using shop = await openShop()
  await shop.report({ marketingStatus: 'ONBOARDED' })
  await shop.setPolicy('strict')
  const admin = await shop.world.as('admin')
  await admin.put(`/api/accounts/${shop.world.tenant.accountId}`, {
    business_id: '209999999999998',
    verify: false,
  })
  expect((await shop.account())['marketing_path']).toEqual({ status: 'unknown', policy: 'strict' })
})
