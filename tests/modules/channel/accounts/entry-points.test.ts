import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { World } from '../../../support/world'

const create = () => World.create({ env: { EGRESS_ALLOW: '127.0.0.1' } })
const pathTo = (world: World): string => `/api/accounts/${world.tenant.accountId}/entry-points`
const linksIn = (data: Loose) => data['links'] as Loose[]

const NOTHING = { links: [], ice_breakers: [], commands: [], welcome: false }
const ALL = {
  links: [{ message: 'I need help' }, { message: 'Where is my order?' }],
  ice_breakers: ['When are you open?'],
  commands: [{ name: 'track', description: 'Track an order' }],
  welcome: true,
}

describe('the entry points of a number', () => {
  test('are empty at first, and only users who may change numbers replace them', async () => {
    await using world = await create()
    const agent = await world.as('agent')
    expect((await agent.get(pathTo(world))).data).toEqual({
      ...NOTHING,
      commerce: { cart_enabled: true, catalog_visible: false },
      username: null,
    })
    expect((await agent.put(pathTo(world), ALL)).status).toBe(403)
  })

  test('change in the fields that are sent, and in nothing else', async () => {
    await using world = await create()
    const admin = await world.as('admin')
    await admin.put(pathTo(world), { ...ALL, username: 'acme.shop' })
    const before = (await admin.get(pathTo(world))).data
    const welcomed = await admin.put(pathTo(world), { welcome: false })
    expect([welcomed.status, welcomed.data]).toEqual([200, { ...before, welcome: false }])
    const asked = await admin.put(pathTo(world), { ice_breakers: ['Do you deliver?'] })
    expect(asked.data).toEqual({ ...before, welcome: false, ice_breakers: ['Do you deliver?'] })
    const named = await admin.put(pathTo(world), { username: null })
    expect(named.data).toEqual({ ...asked.data, username: null })
    const nothing = await admin.put(pathTo(world), {})
    expect([nothing.status, nothing.body.code]).toEqual([400, 'invalid_input'])
    const emptied = await admin.put(pathTo(world), { links: [] })
    expect(emptied.data).toEqual({ ...named.data, links: [] })
  })

  test('have all links replaced: links are created, changed and deleted', async () => {
    await using world = await create()
    const admin = await world.as('admin')
    const made = await admin.put(pathTo(world), ALL)
    expect(made.status).toBe(200)
    expect(made.data).toMatchObject(ALL)
    const [help, order] = linksIn(made.data)
    expect(help?.['url']).toBe(`https://wa.me/message/${String(help?.['id'])}`)
    const next = {
      ...NOTHING,
      links: [{ id: help?.['id'], message: 'Help!' }, { message: 'Hello' }],
    }
    const { data } = await admin.put(pathTo(world), next)
    expect(data).toMatchObject(next)
    expect(linksIn(data)[0]).toEqual({ ...help, message: 'Help!' })
    expect(linksIn(data).map(({ id }) => id)).not.toContain(order?.['id'])
    expect((await admin.get(pathTo(world))).data).toEqual(data)
    const log = await admin.get('/api/audit-logs?resource_type=account&action=updated')
    const [last = {}] = log.data['items'] as Loose[]
    expect((last['changes'] as Loose[]).map(({ field }) => field as string)).toEqual([
      'links',
      'ice_breakers',
      'commands',
      'welcome',
    ])
  })

  test('have QR codes as files that readers of numbers can open', async () => {
    await using world = await create()
    const admin = await world.as('admin')
    const links = linksIn((await admin.put(pathTo(world), ALL)).data)
    const id = String(links[0]?.['qr_media_id'])
    const agent = await world.as('agent')
    const info = await agent.get(`/api/media/${id}/info`)
    expect(info.data).toMatchObject({ kind: 'image', mime_type: 'image/png', state: 'ready' })
    expect((await agent.delete(`/api/media/${id}`)).status).toBe(403)
    expect((await admin.delete(`/api/media/${id}`)).status).toBe(200)
    expect((await agent.get(`/api/media/${id}/info`)).status).toBe(404)
    expect(linksIn((await agent.get(pathTo(world))).data)[0]?.['qr_media_id']).toBeNull()
    const same = links.map(({ id, message }) => ({ id, message }))
    const again = await admin.put(pathTo(world), { ...ALL, links: same })
    expect(linksIn(again.data)).toEqual(links)
    expect((await agent.get(`/api/media/${id}/info`)).data['expires_at']).toBeNull()
    await admin.put(pathTo(world), NOTHING)
    expect((await agent.get(`/api/media/${id}/info`)).data['expires_at']).toBeString()
  })

  test('lose their QR codes when the number is disconnected', async () => {
    await using world = await create()
    const admin = await world.as('admin')
    const [help, order] = linksIn((await admin.put(pathTo(world), ALL)).data)
    const used = String(order?.['qr_media_id'])
    const contact = await world.contactOf()
    const path = `/api/contacts/${String(contact['id'])}/messages`
    expect((await admin.post(path, { type: 'image', media_id: used })).status).toBe(201)
    await world.settle()
    expect((await admin.delete(`/api/accounts/${world.tenant.accountId}`)).status).toBe(200)
    world.clock.advance({ hours: 25 })
    await world.settle()
    const stateOf = async (id: string): Promise<unknown> =>
      (await (await world.as('admin')).get(`/api/media/${id}/info`)).status
    expect(await stateOf(String(help?.['qr_media_id']))).toBe(404)
    expect(await stateOf(used)).toBe(200)
  })

  test('can be more links than fit on one page of the platform, with 20 new QR codes a request', async () => {
    await using world = await create()
    const admin = await world.as('admin')
    const messages = Array.from({ length: 130 }, (_, nth) => `Question ${nth + 1}`)
    const first = messages.slice(0, 100).map((message) => ({ message }))
    const made = linksIn((await admin.put(pathTo(world), { ...NOTHING, links: first })).data)
    const filesOf = (links: Loose[]) =>
      links.filter(({ qr_media_id }) => qr_media_id !== null).length
    expect([made.length, filesOf(made)]).toEqual([100, 20])
    const kept = made.map(({ id, message }) => ({ id, message }))
    const rest = messages.slice(100).map((message) => ({ message }))
    const links = [...kept, ...rest]
    const all = linksIn((await admin.put(pathTo(world), { ...NOTHING, links })).data)
    expect(all.map(({ message }) => message)).toEqual(messages)
    expect(filesOf(all)).toBe(40)
    const agent = await world.as('agent')
    expect(linksIn((await agent.get(pathTo(world))).data)).toEqual(all)
    const fewer = all.slice(30).map(({ id, message }) => ({ id, message }))
    const left = linksIn((await admin.put(pathTo(world), { ...NOTHING, links: fewer })).data)
    expect(left.map(({ message }) => message)).toEqual(messages.slice(30))
  })

  test('show no QR code that cannot be downloaded', async () => {
    await using world = await World.create()
    const { status, data } = await (await world.as('admin')).put(pathTo(world), ALL)
    expect(status).toBe(200)
    expect(linksIn(data).map(({ qr_media_id }) => qr_media_id as unknown)).toEqual([null, null])
  })

  test('have commerce settings and a username, which stay unless they are sent', async () => {
    await using world = await create()
    const admin = await world.as('admin')
    const wanted = {
      commerce: { cart_enabled: false, catalog_visible: true },
      username: 'acme.shop',
    }
    const { status, data } = await admin.put(pathTo(world), { ...NOTHING, ...wanted })
    expect([status, data['commerce'], data['username']]).toEqual([
      200,
      wanted.commerce,
      { name: 'acme.shop', status: 'reserved' },
    ])
    expect((await admin.put(pathTo(world), NOTHING)).data).toEqual(data)
    const log = await admin.get('/api/audit-logs?resource_type=account&action=updated')
    const [last = {}] = log.data['items'] as Loose[]
    expect((last['changes'] as Loose[]).map(({ field }) => field as string)).toEqual([
      'commerce',
      'username',
    ])
    const removed = await admin.put(pathTo(world), { ...NOTHING, username: null })
    expect(removed.data['username']).toBeNull()
  })

  test.each(['ab', 'a b c', '.acme', 'acme.', 'ac..me', 'www.acme', '12345', 'x'.repeat(36), 7])(
    'refuse %p as a username',
    async (username) => {
      await using world = await create()
      const refused = await (await world.as('admin')).put(pathTo(world), { ...NOTHING, username })
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid_input'])
    },
  )

  test('tell why the platform refuses a username, and read those that it does not offer as none', async () => {
    await using world = await create()
    const admin = await world.as('admin')
    const refused = await admin.put(pathTo(world), { ...NOTHING, username: 'acme.com' })
    expect([refused.status, refused.body.code]).toEqual([400, 'platform_rejected'])
    world.simulator.fail({ code: 100 }, { route: 'username', times: 1 })
    world.simulator.fail({ code: 10 }, { route: 'commerce_settings', times: 1 })
    const { status, data } = await admin.get(pathTo(world))
    expect([status, data['commerce'], data['username']]).toEqual([200, null, null])
    world.simulator.fail({ code: 2 }, { route: 'username', times: 1 })
    expect((await admin.get(pathTo(world))).status).toBe(503)
  })

  test('refuse unknown and repeated links, and more than the platform accepts', async () => {
    await using world = await create()
    const admin = await world.as('admin')
    const id = linksIn((await admin.put(pathTo(world), ALL)).data)[0]?.['id']
    const link = { id, message: 'Again' }
    const long = (length: number) => 'x'.repeat(length)
    const command = { name: 'help', description: 'Get help' }
    for (const wrong of [
      { links: [{ id: 'UNKNOWN', message: 'Hello' }] },
      { links: [link, link] },
      { links: Array.from({ length: 101 }, () => ({ message: 'Hello' })) },
      { links: [{ message: long(141) }] },
      { links: null },
      { ice_breakers: ['1', '2', '3', '4', '5'] },
      { ice_breakers: [long(81)] },
      { commands: Array.from({ length: 31 }, () => command) },
      { commands: [{ ...command, name: long(33) }] },
      { commands: [{ ...command, description: long(257) }] },
    ]) {
      const refused = await admin.put(pathTo(world), { ...NOTHING, ...wrong })
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid_input'])
    }
    expect((await admin.get(pathTo(world))).data).toMatchObject(ALL)
  })

  test('record the steps before one that the platform rejects', async () => {
    await using world = await create()
    const admin = await world.as('admin')
    world.simulator.fail({ code: 100 }, { route: 'conversational_automation' })
    const refused = await admin.put(pathTo(world), ALL)
    expect([refused.status, refused.body.code]).toEqual([400, 'platform_rejected'])
    const log = await admin.get('/api/audit-logs?resource_type=account&action=updated')
    const [last = {}] = log.data['items'] as Loose[]
    expect((last['changes'] as Loose[]).map(({ field }) => field as string)).toEqual(['links'])
    expect((await admin.get(pathTo(world))).data).toMatchObject({ ...NOTHING, links: ALL.links })
  })
})
