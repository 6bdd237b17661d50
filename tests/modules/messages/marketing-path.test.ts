import { describe, expect, test } from 'bun:test'

import { approvedTemplate, numbersOf, CampaignFixture } from '../../support/campaigns'
import type { Answer, Loose } from '../../support/client'
import { World } from '../../support/world'

interface Shop extends AsyncDisposable {
  world: World
  /** Sends the template to a customer and waits until nothing moves. */
  send(): Promise<Loose>
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
    async send() {
      const admin = await world.as('admin')
      const { data } = await admin.post('/api/messages/template', {
        contact_id: contact['id'],
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

describe('a marketing template', () => {
  test('takes the marketing path once the business is onboarded, and its attempt tells it', async () => {
    await using shop = await openShop()
    await shop.report({})
    expect((await shop.account())['marketing_path']).toEqual({ status: 'eligible', policy: 'auto' })
    expect(await shop.send()).toMatchObject({ status: 'delivered' })
    const socket = await shop.world.socket('agent')
    await shop.report({ marketingStatus: 'ONBOARDED' })
    expect((await shop.account())['marketing_path']).toEqual({
      status: 'onboarded',
      policy: 'auto',
    })
    await socket.caughtUp()
    expect(socket.events('account:updated')).toHaveLength(1)
    const message = await shop.send()
    expect(message).toMatchObject({
      status: 'delivered',
      pricing: { category: 'marketing_lite' },
    })
    expect(pathsOf(shop.world)).toEqual(['messages', 'marketing_messages'])
    const [plain, marketing] = shop.world.simulator.callsOf({ route: 'messages' })
    expect(plain?.body).not.toHaveProperty('message_activity_sharing')
    expect(marketing?.body).toMatchObject({ message_activity_sharing: false })
    expect(await attemptsOf(shop.world, message)).toEqual([
      ['marketing_messages', 'accepted', null],
    ])
  })

  test('lets the platform use what customers do only if the organization says so', async () => {
    await using shop = await openShop()
    await shop.report({ marketingStatus: 'ONBOARDED' })
    const admin = await shop.world.as('admin')
    const saved = await admin.put('/api/organizations/settings', { message_activity_sharing: true })
    expect(saved.data).toMatchObject({ settings: { message_activity_sharing: true } })
    await shop.send()
    expect(shop.world.simulator.callsOf({ route: 'messages' }).at(-1)?.body).toMatchObject({
      message_activity_sharing: true,
    })
  })

  test('refused on the other path is tried once on the marketing path, which is remembered', async () => {
    await using shop = await openShop()
    const { world } = shop
    // The platform may report the old status for a while.
    world.simulator.addPhone({ id: world.tenant.phoneId, isMarketingOff: true })
    await shop.report({})
    world.simulator.addPhone({ id: world.tenant.phoneId, marketingStatus: 'ONBOARDED' })
    const message = await shop.send()
    expect(message).toMatchObject({ status: 'delivered', error: null })
    expect(await attemptsOf(world, message)).toEqual([
      ['messages', 'refused', 131_063],
      ['marketing_messages', 'accepted', null],
    ])
    expect((await shop.account())['marketing_path']).toEqual({
      status: 'onboarded',
      policy: 'auto',
    })
    await shop.send()
    expect(pathsOf(world)).toEqual(['messages', 'marketing_messages', 'marketing_messages'])
    await shop.report({ marketingStatus: 'ELIGIBLE' })
    expect((await shop.account())['marketing_path']).toMatchObject({ status: 'onboarded' })
    await shop.report({ marketingStatus: 'INELIGIBLE' })
    expect((await shop.account())['marketing_path']).toMatchObject({ status: 'off' })
    await shop.report({ marketingStatus: 'ELIGIBLE' })
    expect((await shop.account())['marketing_path']).toMatchObject({ status: 'eligible' })
  })

  test('refused on both paths fails after one call on each, and nothing is remembered', async () => {
    await using shop = await openShop()
    await shop.report({ isMarketingOff: true })
    const message = await shop.send()
    expect(message).toMatchObject({ status: 'failed', error: { platform_code: 131_055 } })
    expect(pathsOf(shop.world)).toEqual(['messages', 'marketing_messages'])
    expect((await shop.account())['marketing_path']).toMatchObject({ status: 'eligible' })
  })

  test('that the platform still prepares for the marketing path is sent a little later', async () => {
    await using shop = await openShop()
    await shop.report({ marketingStatus: 'ONBOARDED' })
    shop.world.simulator.fail({ code: 134_101 }, { route: 'messages' })
    const message = await shop.send()
    expect(message).toMatchObject({ status: 'pending' })
    shop.world.clock.advance({ seconds: 2 })
    await shop.world.settle()
    expect(await attemptsOf(shop.world, message)).toEqual([
      ['marketing_messages', 'refused', 134_101],
      ['marketing_messages', 'accepted', null],
    ])
  })

  test('stays on the other path with the policy `never`, also if it is refused there', async () => {
    await using shop = await openShop()
    await shop.report({ marketingStatus: 'ONBOARDED' })
    expect((await shop.setPolicy('never')).data['marketing_path']).toEqual({
      status: 'onboarded',
      policy: 'never',
    })
    expect(await shop.send()).toMatchObject({ status: 'delivered' })
    shop.world.simulator.addPhone({ id: shop.world.tenant.phoneId, isMarketingOff: true })
    expect(await shop.send()).toMatchObject({
      status: 'failed',
      error: { code: 'marketing_disabled', platform_code: 131_063 },
    })
    expect(pathsOf(shop.world)).toEqual(['messages', 'messages'])
  })

  test('takes the marketing path with the policy `always`, whatever the platform reported', async () => {
    await using shop = await openShop()
    shop.world.simulator.addPhone({ id: shop.world.tenant.phoneId, marketingStatus: 'ONBOARDED' })
    await shop.setPolicy('always')
    expect(await shop.send()).toMatchObject({ status: 'delivered' })
    expect(pathsOf(shop.world)).toEqual(['marketing_messages'])
  })

  test('is previewed with its path', async () => {
    await using shop = await openShop()
    await shop.report({ marketingStatus: 'ONBOARDED' })
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
      platform_payload: { message_activity_sharing: false },
    })
  })
})

test('a utility template never takes the marketing path', async () => {
  await using shop = await openShop('UTILITY')
  await shop.report({ marketingStatus: 'ONBOARDED' })
  await shop.setPolicy('always')
  expect(await shop.send()).toMatchObject({ status: 'delivered' })
  expect(pathsOf(shop.world)).toEqual(['messages'])
})

test('campaigns choose the path as single messages do', async () => {
  await using fixture = await CampaignFixture.open()
  const { world } = fixture
  world.simulator.addPhone({ id: world.tenant.phoneId, marketingStatus: 'ONBOARDED' })
  await fixture.client.post(`/api/accounts/${world.tenant.accountId}/test`)
  const id = await fixture.draftFor(numbersOf(3, 15_550_210_000))
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 3 })
  expect(new Set(pathsOf(world))).toEqual(new Set(['marketing_messages']))
})

test('another business account begins without a known marketing path', async () => {
  await using shop = await openShop()
  await shop.report({ marketingStatus: 'ONBOARDED' })
  const admin = await shop.world.as('admin')
  await admin.put(`/api/accounts/${shop.world.tenant.accountId}`, {
    business_id: '209999999999998',
    verify: false,
  })
  expect((await shop.account())['marketing_path']).toEqual({ status: 'unknown', policy: 'auto' })
})
