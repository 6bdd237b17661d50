import { describe, expect, test } from 'bun:test'

import { SIMULATED_APP } from '../../../../src/simulator/administration'
import { SIMULATED_CODE } from '../../../../src/simulator/onboarding-edges'
import { SIGNUP_CONFIG } from '../../../../src/simulator/signup-dialog'
import type { Answer, Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { World } from '../../../support/world'

const SIGNUP = { APP_ID: SIMULATED_APP, SIGNUP_CONFIG_ID: SIGNUP_CONFIG }
const EXCHANGE = '/api/accounts/exchange-token'
const EMPTY = { wabaId: '202000000000001', token: 'token-of-an-empty-account' }
const DAY_S = 86_400

const openWorld = (isConnected = false): Promise<World> =>
  World.create({ isConnected, env: SIGNUP })

const exchange = async (world: World, id = world.tenant.phoneId): Promise<Answer<Loose>> =>
  (await world.as('manager')).post(EXCHANGE, { code: world.simulator.issueCode(id) })

const bodiesOf = (world: World, route: 'new_phone_number' | 'request_code' | 'verify_code') =>
  world.simulator.callsOf({ route }).map(({ body }) => body)

const registrations = (world: World): number =>
  world.simulator.callsOf({ route: 'register' }).length

const actionsOf = async (world: World, id: unknown): Promise<unknown[]> =>
  (
    (await (await world.as('admin')).get(`/api/audit-logs?resource_id=${String(id)}`)).data[
      'items'
    ] as Loose[]
  ).map(({ action }) => action)

describe('a business account without a number', () => {
  /** Comes back from the dialog without a number. */
  async function withoutNumber(world: World): Promise<{ asked: Answer<Loose>; token: string }> {
    world.simulator.addBusiness(EMPTY)
    const asked = await exchange(world, EMPTY.wabaId)
    return { asked, token: String(asked.body.details?.['signup_token']) }
  }

  test('is 400 no_number with its id and a token for the next request', async () => {
    await using world = await openWorld()
    const { asked } = await withoutNumber(world)
    expect(asked).toMatchObject({
      status: 400,
      body: {
        code: 'no_number',
        details: { business_ids: [EMPTY.wabaId], signup_token: expect.any(String) },
      },
    })
    expect(JSON.stringify([asked.body, world.logLines])).not.toContain(EMPTY.token)
    expect((await (await world.as('admin')).get('/api/accounts')).data['total']).toBe(0)
  })

  test('is connected with the same token once a number was added elsewhere', async () => {
    await using world = await openWorld()
    world.stays('the keys of the server')
    const { token } = await withoutNumber(world)
    const manager = await world.as('manager')
    expect(await manager.post(EXCHANGE, { signup_token: token })).toMatchObject({
      status: 400,
      body: { code: 'no_number' },
    })
    world.clock.advance({ minutes: 40 })
    world.simulator.addPhone({ ...EMPTY, id: '301000000000020', status: 'PENDING' })
    expect(await (await world.as('manager')).post(EXCHANGE, { signup_token: token })).toMatchObject(
      {
        status: 201,
        data: {
          account: { phone_id: '301000000000020', business_id: EMPTY.wabaId, registered: true },
          warnings: [],
        },
      },
    )
  })

  test('gets a number, which is connected and waits for its verification', async () => {
    await using world = await openWorld()
    world.stays('the keys of the server')
    const { token } = await withoutNumber(world)
    const number = {
      signup_token: token,
      business_id: EMPTY.wabaId,
      phone_number: '+49 (30) 90-18 20',
      verified_name: ' Corner Bakery ',
    }
    const manager = await world.as('manager')
    const made = await manager.post('/api/accounts/new-number', number)
    expect(made).toMatchObject({
      status: 201,
      data: {
        account: {
          name: 'Corner Bakery',
          phone_number: '4930901820',
          business_id: EMPTY.wabaId,
          status: 'pending',
          registered: false,
          code_verification_status: 'NOT_VERIFIED',
          subscribed: true,
          app_id: SIMULATED_APP,
        },
        warnings: [],
      },
    })
    expect(bodiesOf(world, 'new_phone_number')).toEqual([
      { cc: '49', phone_number: '30901820', verified_name: 'Corner Bakery' },
    ])
    expect(registrations(world)).toBe(0)
    expect(JSON.stringify([made.body, world.logLines])).not.toContain(EMPTY.token)
    expect(world.simulator.unexpected).toEqual([])
  })

  test('keeps a number that an interrupted request has added, and adds it once', async () => {
    await using world = await openWorld()
    world.stays('the keys of the server')
    const { token } = await withoutNumber(world)
    world.simulator.loseAnswer({ route: 'new_phone_number' })
    const number = {
      signup_token: token,
      business_id: EMPTY.wabaId,
      phone_number: '+4930901820',
      verified_name: 'Corner Bakery',
      name: 'Counter',
    }
    const manager = await world.as('manager')
    expect(await manager.post('/api/accounts/new-number', number)).toMatchObject({
      status: 503,
      body: { code: 'platform_unreachable' },
    })
    expect(await manager.post('/api/accounts/new-number', number)).toMatchObject({
      status: 201,
      data: { account: { name: 'Counter', phone_number: '4930901820' } },
    })
    expect(bodiesOf(world, 'new_phone_number')).toHaveLength(1)
  })

  test('refuses what is no number, another account, and the token of somebody else', async () => {
    await using world = await openWorld()
    world.stays('the keys of the server')
    const { token } = await withoutNumber(world)
    const good = {
      signup_token: token,
      business_id: EMPTY.wabaId,
      phone_number: '+4930901820',
      verified_name: 'Corner Bakery',
    }
    const manager = await world.as('manager')
    const refusalOf = async (change: Loose, client = manager): Promise<unknown[]> => {
      const { status, body } = await client.post('/api/accounts/new-number', { ...good, ...change })
      return [status, body.code, body.errors?.[0]?.path]
    }
    expect(await refusalOf({ phone_number: '12 34 five' })).toEqual([
      400,
      'invalid_input',
      'body.phone_number',
    ])
    expect(await refusalOf({ business_id: world.tenant.wabaId })).toEqual([
      400,
      'invalid_input',
      'body.business_id',
    ])
    expect(await refusalOf({}, await world.as('admin'))).toEqual([
      400,
      'signup_token_invalid',
      undefined,
    ])
    const { client } = await personWith(world, ['accounts:read', 'accounts:update'])
    expect((await refusalOf({}, client))[0]).toBe(403)
    expect(bodiesOf(world, 'new_phone_number')).toEqual([])
    // the number of another tenant
    expect(await refusalOf({ phone_number: '+1 555-010-0002' })).toEqual([
      400,
      'platform_rejected',
      undefined,
    ])
    expect((await (await world.as('admin')).get('/api/accounts')).data['total']).toBe(0)
  })
})

describe('a number that is not verified', () => {
  /** Connects the first tenant's number, which is not verified. Returns the path of its account. */
  async function connectUnverified(world: World): Promise<string> {
    world.simulator.addPhone({
      id: world.tenant.phoneId,
      status: 'PENDING',
      codeVerificationStatus: 'NOT_VERIFIED',
    })
    const { data } = await exchange(world)
    return `/api/accounts/${String(data['account'].id)}`
  }

  test('is connected and subscribed, but not registered', async () => {
    await using world = await openWorld()
    // the platform does not say that it blocks such a number
    world.simulator.addPhone({ id: world.tenant.phoneId, canSend: 'AVAILABLE' })
    const path = await connectUnverified(world)
    expect((await (await world.as('manager')).get(path)).data).toMatchObject({
      status: 'pending',
      registered: false,
      code_verification_status: 'NOT_VERIFIED',
      subscribed: true,
      has_pin: false,
    })
    expect(registrations(world)).toBe(0)
    const { data } = await (await world.as('manager')).post(`${path}/test`)
    expect(data['warnings']).toContain(
      'This number is not verified. Request a code and verify it before it can send.',
    )
  })

  test('is verified with the code that is sent to it, and registered', async () => {
    await using world = await openWorld()
    const path = await connectUnverified(world)
    const manager = await world.as('manager')
    const ask = await manager.post(`${path}/request-code`, { method: 'voice', language: 'pt_BR' })
    expect(ask).toMatchObject({ status: 200, data: { requested: true } })
    expect((await manager.post(`${path}/request-code`)).status).toBe(200)
    expect(bodiesOf(world, 'request_code')).toEqual([
      { code_method: 'VOICE', language: 'pt_BR' },
      { code_method: 'SMS', language: 'en_US' },
    ])
    expect(await manager.post(`${path}/verify-code`, { code: '000000' })).toMatchObject({
      status: 400,
      body: {
        code: 'code_rejected',
        errors: [{ path: 'body.code' }],
        details: { platform_code: 136_025 },
      },
    })
    expect((await manager.get(path)).data).toMatchObject({
      code_verification_status: 'NOT_VERIFIED',
      registered: false,
    })
    const socket = await world.socket('manager')
    const verified = await manager.post(`${path}/verify-code`, { code: SIMULATED_CODE })
    expect(verified).toMatchObject({
      status: 200,
      data: {
        account: {
          id: path.split('/').at(-1),
          code_verification_status: 'VERIFIED',
          registered: true,
          has_pin: true,
        },
        warnings: [],
      },
    })
    await world.settle()
    expect((await manager.get(path)).data).toMatchObject({ status: 'active' })
    await socket.caughtUp()
    const changed = socket.events('account:updated').flatMap(({ payload }) => payload['changed'])
    expect(changed).toEqual(
      expect.arrayContaining(['code_verification_status', 'registered', 'status']),
    )
    expect(await actionsOf(world, path.split('/').at(-1))).toEqual(
      expect.arrayContaining(['created', 'subscribed', 'verified', 'registered']),
    )
    expect(await manager.post(`${path}/request-code`)).toMatchObject({
      status: 409,
      body: { code: 'already_verified' },
    })
    expect(bodiesOf(world, 'request_code')).toHaveLength(2)
    expect(world.simulator.unexpected).toEqual([])
  })

  test('says when no code is sent now, and when it was verified elsewhere meanwhile', async () => {
    await using world = await openWorld()
    const path = await connectUnverified(world)
    const manager = await world.as('manager')
    world.simulator.fail({ code: 136_024, subcode: 2_388_091 }, { route: 'request_code' })
    expect(await manager.post(`${path}/request-code`)).toMatchObject({
      status: 400,
      body: { code: 'code_not_sent', details: { platform_code: 136_024 } },
    })
    world.simulator.answerHtml(502, { route: 'request_code' })
    expect((await manager.post(`${path}/request-code`)).body.code).toBe('platform_unreachable')
    world.simulator.addPhone({ id: world.tenant.phoneId, codeVerificationStatus: 'VERIFIED' })
    expect((await manager.post(`${path}/request-code`)).body.code).toBe('already_verified')
    expect((await manager.get(path)).data).toMatchObject({ code_verification_status: 'VERIFIED' })
    expect(registrations(world)).toBe(0)
    // what is left to do is the registration, whatever code is given
    expect(await manager.post(`${path}/verify-code`, { code: '000000' })).toMatchObject({
      status: 200,
      data: { account: { registered: true }, warnings: [] },
    })
    expect(bodiesOf(world, 'verify_code')).toEqual([])
  })

  test('is registered at the second request if the answer to the first one is lost', async () => {
    await using world = await openWorld()
    const path = await connectUnverified(world)
    const manager = await world.as('manager')
    await manager.post(`${path}/request-code`)
    world.simulator.loseAnswer({ route: 'verify_code' })
    const code = { code: SIMULATED_CODE }
    expect((await manager.post(`${path}/verify-code`, code)).status).toBe(503)
    expect(await manager.post(`${path}/verify-code`, code)).toMatchObject({
      status: 200,
      data: { account: { registered: true }, warnings: [] },
    })
    expect(registrations(world)).toBe(1)
  })

  test('that has a PIN of its own is verified, and registered with that PIN later', async () => {
    await using world = await openWorld()
    world.simulator.addPhone({ id: world.tenant.phoneId, pin: '271828' })
    const path = await connectUnverified(world)
    const manager = await world.as('manager')
    await manager.post(`${path}/request-code`)
    const { data } = await manager.post(`${path}/verify-code`, { code: SIMULATED_CODE })
    expect(data).toMatchObject({
      account: { code_verification_status: 'VERIFIED', registered: false },
      warnings: [expect.stringContaining('(code 133005)')],
    })
    expect((await manager.post(`${path}/register`, { pin: '271828' })).status).toBe(200)
    expect((await manager.get(path)).data).toMatchObject({ registered: true })
  })

  test('is known as such once its registration is refused for it', async () => {
    await using world = await openWorld()
    world.simulator.addPhone({ id: world.tenant.phoneId, status: 'PENDING' })
    world.simulator.fail({ code: 133_006 }, { route: 'register' })
    const { data } = await exchange(world)
    expect(data).toMatchObject({
      account: { code_verification_status: 'NOT_VERIFIED', registered: false },
      warnings: [expect.stringContaining('(code 133006)')],
    })
  })

  test('is verified by members who may change numbers only', async () => {
    await using world = await openWorld()
    const path = await connectUnverified(world)
    const { client } = await personWith(world, ['accounts:read', 'accounts:create'])
    expect((await client.post(`${path}/request-code`)).status).toBe(403)
    expect((await client.post(`${path}/verify-code`, { code: SIMULATED_CODE })).status).toBe(403)
    const stranger = await world.as('admin', world.other)
    expect((await stranger.post(`${path}/request-code`)).status).toBe(404)
    expect((await stranger.post(`${path}/verify-code`, { code: SIMULATED_CODE })).status).toBe(404)
    expect(bodiesOf(world, 'request_code')).toEqual([])
  })
})

describe('what the dialog tells about the business and the token', () => {
  test.each(['verified', 'not_verified', 'pending'])(
    'shows that the business is %s',
    async (status) => {
      await using world = await openWorld()
      world.simulator.addPhone({
        id: world.tenant.phoneId,
        businessVerification: status.toUpperCase(),
      })
      const { data } = await exchange(world)
      expect(data['account']).toMatchObject({ business_verification_status: status })
    },
  )

  test('shows when the token ends, and a week before tells how to renew it', async () => {
    await using world = await openWorld()
    const endS = Math.floor(world.clock.nowMs() / 1_000) + 60 * DAY_S
    world.simulator.addPhone({ id: world.tenant.phoneId, tokenExpiresAt: endS })
    const { data } = await exchange(world)
    expect(data['account']).toMatchObject({
      token_expires_at: new Date(endS * 1_000).toISOString(),
    })
    world.clock.advance({ hours: 52 * 24 })
    await world.settle()
    const notices = async (): Promise<Loose[]> =>
      (
        (await (await world.as('manager')).get('/api/me/notifications')).data['items'] as Loose[]
      ).filter(({ kind }) => kind === 'token_expiring')
    expect(await notices()).toEqual([])
    world.clock.advance({ hours: 2 * 24 })
    await world.settle()
    expect(await notices()).toMatchObject([
      { body: expect.stringContaining('Connect the number again') },
    ])
  })
})

describe('a number that is connected already', () => {
  test('gets the new token of the dialog, and nothing else changes', async () => {
    await using world = await openWorld()
    const { phoneId } = world.tenant
    const endS = Math.floor(world.clock.nowMs() / 1_000) + 60 * DAY_S
    world.simulator.addPhone({ id: phoneId, token: 'first-token', tokenExpiresAt: endS })
    const first = await exchange(world)
    const { id } = first.data['account']
    await (await world.as('manager')).put(`/api/accounts/${id}`, { name: 'Counter' })
    world.clock.advance({ hours: 61 * 24 })
    await world.settle()
    expect((await (await world.as('manager')).get(`/api/accounts/${id}`)).data).toMatchObject({
      status: 'disconnected',
    })
    world.simulator.addPhone({
      id: phoneId,
      token: 'second-token',
      tokenExpiresAt: endS + 60 * DAY_S,
    })
    const second = await exchange(world)
    expect(second).toMatchObject({
      status: 200,
      data: {
        account: {
          id,
          name: 'Counter',
          status: 'active',
          token_expires_at: new Date((endS + 60 * DAY_S) * 1_000).toISOString(),
          is_default_outgoing: true,
        },
        warnings: [],
      },
    })
    expect(await actionsOf(world, id)).toContain('updated')
    expect((await (await world.as('admin')).get('/api/accounts')).data['total']).toBe(1)
    expect(JSON.stringify([second.body, world.logLines])).not.toContain('second-token')
    expect(registrations(world)).toBe(0)
  })

  test('loses the secret of another app that it was connected with', async () => {
    await using world = await openWorld()
    const id = await world.connect(world.tenant, { app_id: '699', app_secret: 'another-secret' })
    const { data } = await exchange(world)
    expect(data['account']).toMatchObject({ id, app_id: SIMULATED_APP, has_app_secret: false })
  })

  test('is 409 for members who may not change numbers, and in another organization', async () => {
    await using world = await openWorld(true)
    const inUse = { status: 409, body: { code: 'phone_id_in_use' } }
    const { client } = await personWith(world, ['accounts:read', 'accounts:create'])
    const code = (): Loose => ({ code: world.simulator.issueCode(world.tenant.phoneId) })
    expect(await client.post(EXCHANGE, code())).toMatchObject(inUse)
    const stranger = await world.as('admin', world.other)
    expect(await stranger.post(EXCHANGE, code())).toMatchObject(inUse)
  })
})
