import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { deliver, lineOf, textTo } from '../../../support/lines'
import { World } from '../../../support/world'

const pathTo = (world: World, action: string): string =>
  `/api/accounts/${world.tenant.accountId}${action}`

/** A world whose server the platform can reach at the address it gives itself. */
async function reachable(): Promise<World> {
  const world = await World.create()
  world.program.http.settings.baseUrl = world.url
  return world
}

const phoneOf = (world: World) =>
  world.simulator.phones.find(({ id }) => id === world.tenant.phoneId)

describe('subscribing a number', () => {
  test('subscribes its business account and names the fields to enable', async () => {
    await using world = await World.create()
    const socket = await world.socket('agent')
    const manager = await world.as('manager')
    const answer = await manager.post(pathTo(world, '/subscribe'))
    expect(answer).toMatchObject({ status: 200, data: { subscribed: true } })
    expect(answer.data['fields']).toEqual(
      expect.arrayContaining([
        'messages',
        'account_update',
        'message_template_status_update',
        'history',
      ]),
    )
    expect((await manager.get(pathTo(world, ''))).data).toMatchObject({
      subscribed: true,
      subscribed_at: '2026-11-21T09:30:00.000Z',
    })
    expect((await manager.post(pathTo(world, '/test'))).data).toMatchObject({
      subscribed: true,
      warnings: [],
    })
    const calls = world.simulator.callsOf({
      route: 'subscribed_apps',
      where: ({ method }) => method === 'POST',
    })
    expect(calls).toMatchObject([
      { object: world.tenant.wabaId, token: world.tenant.token, body: undefined },
    ])
    await world.settle()
    await socket.caughtUp()
    expect(socket.events('account:updated')).toMatchObject([
      { payload: { changed: ['subscribed', 'subscribed_at'] } },
    ])
  })

  test('and ending it apply to every number of the business account', async () => {
    await using world = await World.create()
    world.simulator.addPhone({
      id: '301000000000009',
      wabaId: world.tenant.wabaId,
      token: world.tenant.token,
    })
    const admin = await world.as('admin')
    const second = {
      name: 'Second',
      phone_id: '301000000000009',
      business_id: world.tenant.wabaId,
      access_token: world.tenant.token,
    }
    await admin.post('/api/accounts', second)
    const shown = async (): Promise<unknown[]> =>
      ((await admin.get('/api/accounts')).data['items'] as Loose[]).map(
        ({ subscribed }) => subscribed as boolean,
      )
    await admin.post(pathTo(world, '/subscribe'))
    expect(await shown()).toEqual([true, true])
    expect((await admin.delete(pathTo(world, '/subscribe'))).data).toEqual({ subscribed: false })
    expect(await shown()).toEqual([false, false])
    expect((await admin.post(pathTo(world, '/test'))).data).toMatchObject({ subscribed: false })
    expect(
      (await (await world.as('admin', world.other)).get(`/api/accounts/${world.other.accountId}`))
        .data,
    ).toMatchObject({
      subscribed: false,
    })
    const actions = (
      (await admin.get('/api/audit-logs?resource_type=account')).data['items'] as Loose[]
    ).map(({ action }) => action as string)
    expect(actions).toEqual(expect.arrayContaining(['subscribed', 'unsubscribed']))
  })

  test('with its own callback sends its webhooks to this server after verification', async () => {
    await using world = await reachable()
    const admin = await world.as('admin')
    expect(
      (await admin.post(pathTo(world, '/subscribe'), { override_callback: true })).status,
    ).toBe(200)
    expect(phoneOf(world)?.callbackUrl).toBe(`${world.url}/api/webhook`)
    expect((await admin.post(pathTo(world, '/test'))).data['warnings']).toEqual([])
    await deliver(world, textTo(world, 'through the callback', { line: lineOf(world.tenant) }))
    expect(world.rows('select content from messages')).toEqual([
      { content: '{"text":"through the callback"}' },
    ])
    await admin.post(pathTo(world, '/subscribe'), { override_callback: false })
    expect(phoneOf(world)?.callbackUrl).toBeUndefined()
  })

  test('with its own callback works for a number whose verify token was cleared', async () => {
    await using world = await reachable()
    const admin = await world.as('admin')
    await admin.put(pathTo(world, ''), { webhook_verify_token: null })
    expect(
      (await admin.post(pathTo(world, '/subscribe'), { override_callback: true })).status,
    ).toBe(200)
    expect((await admin.get(pathTo(world, ''))).data).toMatchObject({
      has_webhook_verify_token: true,
    })
  })

  test('and ending it removes its own callback, but not one that leads elsewhere', async () => {
    await using world = await reachable()
    const admin = await world.as('admin')
    await admin.post(pathTo(world, '/subscribe'), { override_callback: true })
    await admin.delete(pathTo(world, '/subscribe'))
    expect(phoneOf(world)?.callbackUrl).toBeUndefined()
    world.simulator.addPhone({
      id: world.tenant.phoneId,
      callbackUrl: 'https://elsewhere.example.com/hook',
    })
    await admin.post(pathTo(world, '/subscribe'))
    await admin.delete(pathTo(world, '/subscribe'))
    expect(phoneOf(world)?.callbackUrl).toBe('https://elsewhere.example.com/hook')
  })

  test('with a callback that the platform cannot reach is 400 platform_rejected', async () => {
    await using world = await World.create()
    world.program.http.settings.baseUrl = 'http://127.0.0.1:1'
    const admin = await world.as('admin')
    expect(
      await admin.post(pathTo(world, '/subscribe'), { override_callback: true }),
    ).toMatchObject({
      status: 400,
      body: { code: 'platform_rejected', details: { platform_code: 2200 } },
    })
    expect((await admin.get(pathTo(world, ''))).data).toMatchObject({ subscribed: false })
  })

  test('that the platform rejects is 400, unreachable 503, of an unknown number 404', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    const unknown = '/api/accounts/01900000-0000-7000-8000-ffffffffffff/subscribe'
    expect([(await admin.post(unknown)).status, (await admin.delete(unknown)).status]).toEqual([
      404, 404,
    ])
    for (const method of ['post', 'delete'] as const) {
      world.simulator.fail(
        { code: 200, message: `(#200) No right with ${world.tenant.token}` },
        { route: 'subscribed_apps' },
      )
      const refused = await admin[method](pathTo(world, '/subscribe'))
      expect(refused).toMatchObject({
        status: 400,
        body: { code: 'platform_rejected', details: { platform_code: 200 } },
      })
      expect(JSON.stringify(refused.body)).not.toContain(world.tenant.token)
    }
    expect(
      (await admin.post(pathTo(world, '/subscribe'), { override_callback: 'yes' })).status,
    ).toBe(400)
    await world.simulator.stop()
    expect(await admin.post(pathTo(world, '/subscribe'))).toMatchObject({
      status: 503,
      body: { code: 'platform_unreachable' },
    })
  })
})

describe('the webhook configuration', () => {
  test('shows the verify token and records in the audit log that it was read', async () => {
    await using world = await World.create({
      isConnected: false,
      env: { BASE_URL: 'https://chat.example.com' },
    })
    await world.connect(world.tenant, { webhook_verify_token: 'zz-verify-token-zz' })
    const manager = await world.as('manager')
    const { data } = await manager.get(pathTo(world, '/webhook-config'))
    expect(Object.keys(data)).toEqual(['callback_url', 'fields'])
    expect(data['callback_url']).toBe('https://chat.example.com/api/webhook')
    expect(data['fields']).toContain('messages')
    const reads = async (): Promise<number> =>
      world.rows("select 1 from audit_logs where action = 'verify_token_read'").length
    expect(await reads()).toBe(0)
    const token = await manager.post(pathTo(world, '/verify-token'))
    expect(token.data).toEqual({ verify_token: 'zz-verify-token-zz' })
    expect(await reads()).toBe(1)
    const log = await (await world.as('admin')).get('/api/audit-logs?resource_type=account')
    expect((log.data['items'] as Loose[])[0]).toMatchObject({
      action: 'verify_token_read',
      user_id: world.tenant.userIds.manager,
      resource_id: world.tenant.accountId,
    })
    expect(JSON.stringify([log.body, world.logLines])).not.toContain('zz-verify-token-zz')
  })

  test('answers the verification request; a cleared token is null', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    const { data } = await admin.post(pathTo(world, '/verify-token'))
    expect(data['verify_token']).toMatch(/^[0-9a-f]{64}$/)
    expect(await world.simulator.verifyCallback(String(data['verify_token']))).toEqual({
      verified: true,
      status: 200,
    })
    await admin.put(pathTo(world, ''), { webhook_verify_token: null })
    expect((await admin.post(pathTo(world, '/verify-token'))).data['verify_token']).toBeNull()
    expect(await world.simulator.verifyCallback(String(data['verify_token']))).toMatchObject({
      verified: false,
      status: 403,
    })
  })
})
