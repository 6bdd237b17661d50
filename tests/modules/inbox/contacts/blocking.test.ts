import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { deliver, personOf, textTo } from '../../../support/lines'
import { World } from '../../../support/world'

/** Creates a world in which a customer has written. */
async function withContact() {
  const world = await World.create()
  await deliver(world, textTo(world, 'Hi', { person: personOf(1, 'Ana') }))
  const manager = await world.as('manager')
  const [contact] = (await manager.get('/api/contacts')).data['items'] as Loose[]
  const path = `/api/contacts/${contact?.['id']}`
  const asked = (): unknown[] =>
    world.simulator
      .callsOf({ route: 'block_users' })
      .map(({ method, body }) => [method, (body as Loose)['block_users']])
  return {
    world,
    manager,
    path,
    contact: contact as Loose,
    asked,
    [Symbol.asyncDispose]: () => world.stop(),
  }
}

const USER = [{ user: `+${personOf(1).waId}` }]

describe('a blocked contact', () => {
  test('is also blocked on the platform, once and after the response', async () => {
    await using at = await withContact()
    const socket = await at.world.socket('manager')
    const answer = await at.manager.post(`${at.path}/block`)
    expect([answer.status, answer.data]).toMatchObject([
      200,
      { blocked: true, blocked_at: '2026-11-21T09:30:00.000Z', platform_blocked: false },
    ])
    await at.world.settle()
    expect(at.asked()).toEqual([['POST', USER]])
    expect((await at.manager.post(`${at.path}/block`)).data).toMatchObject({
      blocked: true,
      platform_blocked: true,
    })
    await at.world.settle()
    expect(at.asked().length).toBe(1)
    expect(
      (await socket.caughtUp()).map(({ type, payload }) => [type, payload['changed']] as unknown),
    ).toEqual([
      ['contact:updated', ['blocked', 'blocked_at']],
      ['contact:updated', ['platform_blocked']],
    ])
  })

  test('is recorded silently and gets no reply', async () => {
    await using at = await withContact()
    await at.manager.post(`${at.path}/block`)
    expect(
      (await at.manager.post(`${at.path}/messages`, { type: 'text', text: 'x' })).body.code,
    ).toBe('contact_blocked')
    await deliver(at.world, textTo(at.world, 'Listen!', { person: personOf(1, 'Ana') }))
    expect((await at.manager.get(at.path)).data).toMatchObject({
      unread_count: 1,
      last_message_preview: 'Listen!',
    })
  })

  test('stays blocked here whatever the platform answers', async () => {
    await using at = await withContact()
    at.world.simulator.fail({ code: 139100, message: 'no' }, { route: 'block_users' })
    await at.manager.post(`${at.path}/block`)
    await at.world.settle()
    expect((await at.manager.get(at.path)).data).toMatchObject({
      blocked: true,
      platform_blocked: false,
    })
    expect(
      (await (await at.world.as('admin')).get('/api/jobs?state=discarded')).data['items'],
    ).toEqual([])
  })

  test('is not blocked on the platform if the phone number is deleted first', async () => {
    await using at = await withContact()
    await at.manager.post(`${at.path}/block`)
    const admin = await at.world.as('admin')
    expect((await admin.delete(`/api/accounts/${at.world.tenant.accountId}`)).status).toBe(200)
    await at.world.settle()
    expect(at.asked()).toEqual([])
    expect((await at.manager.get(at.path)).data).toMatchObject({
      blocked: true,
      platform_blocked: false,
    })
  })

  test('is not blocked on the platform more than a day after it wrote', async () => {
    await using at = await withContact()
    at.world.clock.advance({ hours: 25 })
    const manager = await at.world.as('manager')
    await manager.post(`${at.path}/block`)
    await at.world.settle()
    expect(at.asked()).toEqual([])
  })

  test('can be unblocked', async () => {
    await using at = await withContact()
    await at.manager.post(`${at.path}/block`)
    await at.world.settle()
    expect((await at.manager.delete(`${at.path}/block`)).data).toMatchObject({
      blocked: false,
      blocked_at: null,
      platform_blocked: true,
    })
    await at.world.settle()
    expect(at.asked()).toEqual([
      ['POST', USER],
      ['DELETE', USER],
    ])
    expect((await at.manager.get(at.path)).data['platform_blocked']).toBe(false)
    await deliver(at.world, textTo(at.world, 'Me again', { person: personOf(1, 'Ana') }))
    expect((await at.manager.get(at.path)).data['unread_count']).toBe(2)
  })

  test('is never reported to the platform when unblocked at once', async () => {
    await using at = await withContact()
    await at.manager.post(`${at.path}/block`)
    await at.manager.delete(`${at.path}/block`)
    await at.world.settle()
    expect(at.asked()).toEqual([])
  })

  test('appears in the audit log', async () => {
    await using at = await withContact()
    await at.manager.post(`${at.path}/block`)
    await at.manager.delete(`${at.path}/block`)
    const entries = (
      await (await at.world.as('admin')).get('/api/audit-logs?resource_type=contact')
    ).data['items'] as Loose[]
    expect(entries.map(({ action }) => action as unknown)).toEqual(['unblocked', 'blocked'])
  })
})
