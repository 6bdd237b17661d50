import { describe, expect, test } from 'bun:test'

import { SIMULATED_APP } from '../../../../src/simulator/administration'
import { SIGNUP_CONFIG } from '../../../../src/simulator/signup-dialog'
import type { Answer, Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { World } from '../../../support/world'

const SIGNUP = { APP_ID: SIMULATED_APP, SIGNUP_CONFIG_ID: SIGNUP_CONFIG }
const EXCHANGE = '/api/accounts/exchange-token'

/** A world that is set up for signup, without a connected number. */
const openWorld = (): Promise<World> => World.create({ isConnected: false, env: SIGNUP })

async function exchange(world: World, more: Loose = {}): Promise<Answer<Loose>> {
  return (await world.as('manager')).post(EXCHANGE, {
    code: world.simulator.issueCode(world.tenant.phoneId),
    ...more,
  })
}

const ids = (world: World): Loose => ({
  phone_id: world.tenant.phoneId,
  business_id: world.tenant.wabaId,
})

describe('the configuration of the signup dialog', () => {
  test('is returned to callers who may connect numbers', async () => {
    await using world = await openWorld()
    const { data } = await (await world.as('manager')).get('/api/embedded-signup/config')
    expect(data).toEqual({
      app_id: SIMULATED_APP,
      config_id: '701000000000001',
      api_version: 'v25.0',
      dialog_url: expect.stringMatching(
        /^https:\/\/www\.facebook\.com\/v25\.0\/dialog\/oauth\?client_id=\d+&config_id=701000000000001&response_type=code&override_default_response_type=true&extras=/,
      ),
      phone_app_dialog_url: expect.stringContaining('/v25.0/dialog/oauth?client_id='),
    })
    const extras = (name: string): unknown =>
      JSON.parse(new URL(String(data[name])).searchParams.get('extras') ?? '')
    expect(extras('dialog_url')).toEqual({ setup: {} })
    expect(extras('phone_app_dialog_url')).toEqual({
      setup: {},
      featureType: 'whatsapp_business_app_onboarding',
    })
    expect((await (await world.as('agent')).get('/api/embedded-signup/config')).status).toBe(403)
  })

  test.each([{}, { APP_ID: '1' }, { SIGNUP_CONFIG_ID: '1' }])(
    'is null with %p alone',
    async (env) => {
      await using world = await World.create({ isConnected: false, env })
      const { data } = await (await world.as('admin')).get('/api/embedded-signup/config')
      expect(data).toEqual({
        app_id: null,
        config_id: null,
        api_version: null,
        dialog_url: null,
        phone_app_dialog_url: null,
      })
    },
  )
})

describe('the code of the signup dialog', () => {
  test('connects, subscribes and registers the number', async () => {
    await using world = await openWorld()
    world.simulator.addPhone({ id: world.tenant.phoneId, status: 'PENDING' })
    const answer = await exchange(world, { ...ids(world), name: 'Support' })
    expect(answer).toMatchObject({
      status: 201,
      data: {
        account: {
          name: 'Support',
          phone_id: world.tenant.phoneId,
          business_id: world.tenant.wabaId,
          app_id: SIMULATED_APP,
          portfolio_id: '501000000000001',
          subscribed: true,
          has_access_token: true,
          has_pin: true,
          is_default_outgoing: true,
        },
        warnings: [],
      },
    })
    expect(world.simulator.storedKeys(world.tenant.phoneId).pin).toMatch(/^\d{6}$/)
    await world.settle()
    const { data } = await (
      await world.as('admin')
    ).get(`/api/accounts/${answer.data['account'].id}`)
    expect(data).toMatchObject({ status: 'active' })
    const told = JSON.stringify([
      answer.body,
      world.logLines,
      (await (await world.as('admin')).get('/api/audit-logs')).body,
    ])
    expect(told).not.toContain(world.tenant.token)
    expect(world.simulator.unexpected).toEqual([])
  })

  test('finds account, number and name if there is one of each', async () => {
    await using world = await openWorld()
    const { data } = await exchange(world)
    expect(data).toMatchObject({
      account: { name: 'Acme', ...ids(world), status: 'active' },
      warnings: [],
    })
  })

  test('appends the digits to a name that is taken', async () => {
    await using world = await openWorld()
    world.simulator.addPhone({
      id: '301000000000009',
      wabaId: '209',
      token: 'token-nine',
      displayPhoneNumber: '+1 555-010-0009',
      verifiedName: 'Acme',
    })
    await exchange(world)
    const { data } = await (
      await world.as('manager')
    ).post(EXCHANGE, { code: world.simulator.issueCode('301000000000009') })
    expect(data['account']).toMatchObject({ name: 'Acme +1 555-010-0009' })
  })

  test.each([
    ['is registered already', { status: 'CONNECTED' }],
    ['is that of a business phone', { status: 'PENDING', isOnBizApp: true }],
  ])('registers no number that %s', async (_, facts) => {
    await using world = await openWorld()
    world.simulator.addPhone({ id: world.tenant.phoneId, ...facts })
    const answer = await exchange(world)
    expect(answer).toMatchObject({ status: 201, data: { warnings: [] } })
    expect(world.simulator.callsOf({ route: 'register' })).toEqual([])
  })

  test('connects the number even if the last steps fail, and warns', async () => {
    await using world = await openWorld()
    world.simulator.addPhone({ id: world.tenant.phoneId, status: 'PENDING', pin: '123456' })
    world.simulator.fail({ code: 200 }, { route: 'subscribed_apps', times: Infinity })
    const { status, data } = await exchange(world)
    expect(status).toBe(201)
    expect(data['account']).toMatchObject({ subscribed: false, status: 'pending' })
    expect(data['warnings']).toEqual([
      expect.stringContaining('Subscribe the number.'),
      expect.stringContaining('Register it.'),
    ])
    expect((await (await world.as('admin')).get('/api/accounts')).data['total']).toBe(1)
  })

  test.each<[string, (world: World) => Promise<Answer<Loose>>]>([
    [
      'nobody gave',
      async (world) => (await world.as('admin')).post(EXCHANGE, { code: 'made-up', ...ids(world) }),
    ],
    [
      'was used',
      async (world) => {
        const code = world.simulator.issueCode(world.other.phoneId)
        const bolt = await world.as('admin', world.other)
        await bolt.post(EXCHANGE, { code })
        return bolt.post(EXCHANGE, { code })
      },
    ],
    [
      'is older than half a minute',
      async (world) => {
        const code = world.simulator.issueCode(world.tenant.phoneId)
        world.clock.advance({ seconds: 31 })
        return (await world.as('admin')).post(EXCHANGE, { code, ...ids(world) })
      },
    ],
  ])('that %s is 400 platform_rejected', async (_, send) => {
    await using world = await openWorld()
    const answer = await send(world)
    expect(answer).toMatchObject({ status: 400, body: { code: 'platform_rejected' } })
    expect(JSON.stringify(answer.body)).not.toContain('made-up')
    expect((await (await world.as('admin')).get('/api/accounts')).data['total']).toBe(0)
  })

  test('for several numbers is 400 with the choice, which needs no other code', async () => {
    await using world = await openWorld()
    world.stays('the keys of the server')
    const { simulator, tenant } = world
    simulator.addPhone({ id: '301000000000009', wabaId: tenant.wabaId, token: tenant.token })
    simulator.addPhone({ id: '301000000000010', wabaId: '209', token: tenant.token })
    const paths = (answer: Answer<Loose>) => [
      answer.status,
      answer.body.code,
      answer.body.errors?.map(({ path }) => path),
    ]
    const asked = await exchange(world)
    expect(paths(asked)).toEqual([400, 'choice_required', ['body.phone_id']])
    const { signup_token, numbers } = asked.body.details as Loose
    expect(
      (numbers as Loose[]).map(({ phone_id, business_id }) => [phone_id, business_id]),
    ).toEqual(
      expect.arrayContaining([
        [tenant.phoneId, tenant.wabaId],
        ['301000000000009', tenant.wabaId],
        ['301000000000010', '209'],
      ]),
    )
    expect(JSON.stringify([asked.body, world.logLines])).not.toContain(tenant.token)
    const outside = { business_id: tenant.wabaId, phone_id: '301000000000010' }
    expect(paths(await exchange(world, outside))).toEqual([
      400,
      'choice_required',
      ['body.phone_id'],
    ])

    const manager = await world.as('manager')
    const invalid = { status: 400, body: { code: 'signup_token_invalid' } }
    const chosen = { signup_token, phone_id: '301000000000010' }
    expect(await (await world.as('admin')).post(EXCHANGE, chosen)).toMatchObject(invalid)
    expect(await (await world.as('admin', world.other)).post(EXCHANGE, chosen)).toMatchObject(
      invalid,
    )
    expect(await manager.post(EXCHANGE, { ...chosen, signup_token: 'x' })).toMatchObject(invalid)
    expect(await manager.post(EXCHANGE, chosen)).toMatchObject({
      status: 201,
      data: { account: { phone_id: '301000000000010', business_id: '209' } },
    })
    world.clock.advance({ minutes: 59 })
    expect((await (await world.as('manager')).post(EXCHANGE, chosen)).status).toBe(200)
    world.clock.advance({ minutes: 2 })
    expect(await (await world.as('manager')).post(EXCHANGE, chosen)).toMatchObject(invalid)

    expect(paths(await exchange(world, { business_id: 'x' }))[2]).toEqual(['body.business_id'])
    expect(paths(await (await world.as('manager')).post(EXCHANGE, {}))[2]).toEqual(['body.code'])
    expect(paths(await exchange(world, { signup_token }))[2]).toEqual(['body.code'])
  })

  test('that came to a page is exchanged with the address of the page', async () => {
    await using world = await openWorld()
    const page = 'https://chat.example.com/connect/done'
    const admin = await world.as('admin')
    const code = () => world.simulator.issueCode(world.tenant.phoneId, page)
    expect((await admin.post(EXCHANGE, { code: code() })).body.code).toBe('platform_rejected')
    expect((await admin.post(EXCHANGE, { code: code(), redirect_uri: page })).status).toBe(201)
  })

  test('for a number or a name that is taken is 409', async () => {
    await using world = await openWorld()
    await world.connect(world.other)
    const bolts = { code: world.simulator.issueCode(world.other.phoneId) }
    expect(await (await world.as('admin')).post(EXCHANGE, bolts)).toMatchObject({
      status: 409,
      body: { code: 'phone_id_in_use' },
    })
    await world.connect(world.tenant)
    world.simulator.addPhone({ id: '301000000000009', wabaId: '209', token: 'token-nine' })
    const second = { code: world.simulator.issueCode('301000000000009'), name: 'Acme main' }
    expect(await (await world.as('admin')).post(EXCHANGE, second)).toMatchObject({
      status: 409,
      body: { code: 'name_taken' },
    })
  })

  test('with an unreachable platform is 503, and on a server without an app 400 signup_not_configured', async () => {
    await using world = await openWorld()
    world.simulator.answerHtml(502, { route: 'oauth' })
    expect(await exchange(world)).toMatchObject({
      status: 503,
      body: { code: 'platform_unreachable' },
    })
    await using plain = await World.create({ isConnected: false })
    expect(await exchange(plain)).toMatchObject({
      status: 400,
      body: { code: 'signup_not_configured' },
    })
    expect(plain.simulator.calls).toEqual([])
  })

  test('with the secret of another app is 400 and reveals no words of the platform', async () => {
    await using world = await World.create({
      isConnected: false,
      env: SIGNUP,
      appSecrets: ['zz-installed-secret-zz'],
    })
    world.simulator.fail(
      { code: 1, httpStatus: 400, message: 'Bad secret zz-installed-secret-zz' },
      { route: 'oauth' },
    )
    const answers = [await exchange(world), await exchange(world)]
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'platform_rejected', details: { platform_code: 1 } },
      })
      expect(JSON.stringify(answer.body)).not.toContain('zz-installed-secret-zz')
    }
    expect(JSON.stringify(world.logLines)).not.toContain('zz-installed-secret-zz')
  })

  test('requires accounts:create', async () => {
    await using world = await openWorld()
    const { client } = await personWith(world, [
      'accounts:read',
      'accounts:update',
      'accounts:delete',
    ])
    expect((await client.post(EXCHANGE, { code: 'x' })).status).toBe(403)
  })
})
