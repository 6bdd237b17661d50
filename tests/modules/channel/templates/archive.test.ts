import { describe, expect, test } from 'bun:test'

import { DAY_MS } from '../../../../src/lib/clock'
import type { Answer, Client, Loose } from '../../../support/client'
import { CampaignFixture } from '../../../support/campaigns'
import { approvedTemplate, draftTemplate } from '../../../support/templates'
import { World } from '../../../support/world'

const BODY = [{ type: 'BODY', text: 'Your order is on its way to you' }]

interface Shop extends AsyncDisposable {
  world: World
  /** The ID of an approved template here, and of the platform's. */
  id: string
  platformId: string
  as(who?: 'admin' | 'manager' | 'agent'): Promise<Client>
  archive(id?: string): Promise<Answer<Loose>>
  restore(id?: string): Promise<Answer<Loose>>
  get(id?: string): Promise<Loose>
  titles(): Promise<string[]>
  sync(): Promise<Loose>
  pass(time: { days?: number; hours?: number; minutes?: number }): Promise<void>
}

async function openShop(): Promise<Shop> {
  const world = await World.create()
  const made = await approvedTemplate(world, { components: BODY })
  const [id, platformId] = [String(made['id']), String(made['platform_id'])]
  const as: Shop['as'] = (who = 'manager') => world.as(who)
  return {
    world,
    id,
    platformId,
    as,
    archive: async (which = id) => await (await as()).post(`/api/templates/${which}/archive`),
    restore: async (which = id) => await (await as()).post(`/api/templates/${which}/restore`),
    get: async (which = id) => (await (await as()).get(`/api/templates/${which}`)).data,
    async titles() {
      const { data } = await (await as()).get('/api/me/notifications?limit=100')
      return (data['items'] as Loose[]).map(({ title }) => String(title))
    },
    sync: async () => (await (await as()).post('/api/templates/sync', {})).data,
    async pass({ days = 0, ...time }) {
      world.clock.advance({ ...time, hours: (time.hours ?? 0) + days * 24 })
      await world.settle()
    },
    [Symbol.asyncDispose]: () => world.stop(),
  }
}

const archiveCalls = ({ world }: Shop) => world.simulator.callsOf({ route: 'template_archive' })
const codeOf = ({ status, body }: Answer<Loose>) => ({ status, code: body.code })

describe('archiving a template', () => {
  test('moves it to the archive of WhatsApp, from which it is deleted 28 days later', async () => {
    await using shop = await openShop()
    const { world } = shop
    const nowMs = world.clock.nowMs()
    const { status, data } = await shop.archive()
    expect(status).toBe(200)
    expect(data).toMatchObject({
      id: shop.id,
      status: 'ARCHIVED',
      archived_at: new Date(nowMs).toISOString(),
      deleted_from_archive_at: new Date(nowMs + 28 * DAY_MS).toISOString(),
    })
    expect(
      archiveCalls(shop).map(({ method, path, token, body }) => ({ method, path, token, body })),
    ).toEqual([
      {
        method: 'POST',
        path: `/${world.tenant.wabaId}/message_templates/archive`,
        token: world.simulator.phone.token,
        body: { hsm_ids: shop.platformId },
      },
    ])
    expect(world.simulator.templatesOf().map((kept) => kept.status)).toEqual(['ARCHIVED'])
    expect(await shop.get()).toEqual(data)
  })

  test('is in the audit log and tells other pages, but is no notice to the people', async () => {
    await using shop = await openShop()
    const { world } = shop
    await shop.archive()
    await world.simulator.review(shop.platformId, { event: 'ARCHIVED' })
    await world.settle()
    const { data } = await (await shop.as('admin')).get('/api/audit-logs?resource_type=template')
    expect((data['items'] as Loose[])[0]).toMatchObject({
      action: 'archived',
      resource_id: shop.id,
    })
    expect(await shop.titles()).toEqual([])
    const told = world.rows(
      "select payload from events where type = 'template.changed' order by position desc limit 1",
    )
    expect(JSON.parse(String(told[0]?.['payload']))).toMatchObject({
      templateId: shop.id,
      changed: ['status'],
    })
  })

  test('takes only approved and rejected templates', async () => {
    await using shop = await openShop()
    const draft = await draftTemplate(shop.world, { components: BODY })
    expect(codeOf(await shop.archive(String(draft['id'])))).toEqual({
      status: 409,
      code: 'wrong_state',
    })
    const waiting = await (await shop.as()).post(`/api/templates/${draft['id']}/publish`)
    expect(codeOf(await shop.archive(String(draft['id'])))).toEqual({
      status: 409,
      code: 'wrong_state',
    })
    await shop.world.simulator.review(String(waiting.data['platform_id']), { event: 'REJECTED' })
    await shop.world.settle()
    expect((await shop.archive(String(draft['id']))).status).toBe(200)
    expect(codeOf(await shop.archive(String(draft['id'])))).toEqual({
      status: 409,
      code: 'wrong_state',
    })
    expect(archiveCalls(shop)).toHaveLength(1)
  })

  test('is refused while a campaign uses the template', async () => {
    await using fixture = await CampaignFixture.open()
    const id = await fixture.draftFor(2)
    await fixture.do(id, 'schedule', {
      scheduled_at: new Date(fixture.world.clock.nowMs() + DAY_MS).toISOString(),
    })
    const manager = await fixture.manager
    const { status, body } = await manager.post(`/api/templates/${fixture.templateId}/archive`)
    expect({ status, code: body.code, details: body.details }).toEqual({
      status: 409,
      code: 'in_use',
      details: { campaign_id: id },
    })
  })

  test('is refused while a campaign with it is paused, as is its deletion in all languages', async () => {
    await using fixture = await CampaignFixture.open()
    const { world } = fixture
    const manager = await fixture.manager
    const id = await fixture.draftFor(2)
    await fixture.do(id, 'start')
    expect((await fixture.do(id, 'pause')).data['status']).toBe('paused')
    const { data: used } = await manager.get(`/api/templates/${fixture.templateId}`)
    expect(codeOf(await manager.post(`/api/templates/${fixture.templateId}/archive`))).toEqual({
      status: 409,
      code: 'in_use',
    })
    const { id: other } = await draftTemplate(world, {
      name: String(used['name']),
      language: 'fr',
      components: BODY,
    })
    const all = `/api/templates/${other}?all_languages=true`
    expect(codeOf(await manager.delete(all))).toEqual({ status: 409, code: 'in_use' })
  })

  test('needs the permissions to delete, and to restore that to update', async () => {
    await using shop = await openShop()
    const agent = await shop.as('agent')
    const asked = (what: string) => agent.post(`/api/templates/${shop.id}/${what}`)
    expect((await asked('archive')).status).toBe(403)
    expect((await asked('restore')).status).toBe(403)
    const other = await shop.world.as('admin', shop.world.other)
    expect((await other.post(`/api/templates/${shop.id}/archive`)).status).toBe(404)
    expect((await other.post(`/api/templates/${shop.id}/restore`)).status).toBe(404)
    expect(archiveCalls(shop)).toEqual([])
  })

  test('gives the reason of WhatsApp if it does not do it, and changes nothing', async () => {
    await using shop = await openShop()
    for (const kept of shop.world.simulator.templatesOf()) kept.status = 'PAUSED'
    const { status, body } = await shop.archive()
    expect({ status, code: body.code, message: body.message }).toEqual({
      status: 400,
      code: 'platform_rejected',
      message:
        'WhatsApp did not archive this template: Only approved or rejected templates can be archived.',
    })
    expect(await shop.get()).toMatchObject({ status: 'APPROVED', archived_at: null })
    shop.world.simulator.fail({ code: 100, details: 'Not now.' }, { route: 'template_archive' })
    expect((await shop.archive()).body.message).toBe(
      'WhatsApp did not archive this template: Not now.',
    )
  })

  test('is found by the next sync if the answer of WhatsApp is lost', async () => {
    await using shop = await openShop()
    shop.world.simulator.loseAnswer({ route: 'template_archive' })
    expect(codeOf(await shop.archive())).toEqual({ status: 503, code: 'platform_unreachable' })
    await shop.pass({ minutes: 5 })
    expect(await shop.get()).toMatchObject({ status: 'ARCHIVED' })
  })

  test('stays when older news of the template comes later', async () => {
    await using shop = await openShop()
    const { simulator, clock } = shop.world
    simulator.slow(300, { route: 'templates', times: 1 })
    const listed = simulator.waitForCalls(1, { route: 'templates', where: ({ answer }) => !answer })
    const syncing = shop.sync()
    await listed
    clock.advance({ ms: 5 })
    await shop.archive()
    for (const kept of simulator.templatesOf()) kept.status = 'APPROVED'
    expect(await syncing).toMatchObject({ updated: 0, unchanged: 1 })
    expect((await shop.get())['status']).toBe('ARCHIVED')
    for (const kept of simulator.templatesOf()) kept.status = 'ARCHIVED'
    expect((await shop.restore()).status).toBe(200)
    await shop.pass({ minutes: 20 })
    expect((await shop.archive()).status).toBe(200)
    const beforeS = Math.floor(clock.nowMs() / 1_000) - 600
    await simulator.review(shop.platformId, { event: 'APPROVED', at: beforeS })
    await shop.world.settle()
    expect((await shop.get())['status']).toBe('ARCHIVED')
  })

  test('runs once at a time', async () => {
    await using shop = await openShop()
    const answers = await Promise.all([shop.archive(), shop.archive()])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    expect(archiveCalls(shop)).toHaveLength(1)
  })
})

describe('an archived template', () => {
  test('cannot be sent or published, but is listed, and can be deleted', async () => {
    await using shop = await openShop()
    await shop.archive()
    const manager = await shop.as()
    const contact = await shop.world.contactOf()
    const sent = await (
      await shop.as('admin')
    ).post('/api/messages/template', { contact_id: contact['id'], template_id: shop.id })
    expect(codeOf(sent)).toEqual({ status: 400, code: 'template_not_approved' })
    await manager.put(`/api/templates/${shop.id}`, {
      components: [{ type: 'BODY', text: 'Your order has left our shop.' }],
    })
    expect(codeOf(await manager.post(`/api/templates/${shop.id}/publish`))).toEqual({
      status: 409,
      code: 'wrong_state',
    })
    const listed = await manager.get('/api/templates?status=archived')
    expect((listed.data['items'] as Loose[]).map(({ id }) => id)).toEqual([shop.id])
    const sendable = await manager.get('/api/templates?sendable=true')
    expect(sendable.data['items']).toEqual([])
    expect((await manager.delete(`/api/templates/${shop.id}`)).status).toBe(200)
  })

  test('can be restored and sent again', async () => {
    await using shop = await openShop()
    await shop.archive()
    await shop.pass({ days: 27 })
    const { status, data } = await shop.restore()
    expect(status).toBe(200)
    expect(data).toMatchObject({
      status: 'APPROVED',
      archived_at: null,
      deleted_from_archive_at: null,
    })
    expect(archiveCalls(shop).at(-1)).toMatchObject({
      path: `/${shop.world.tenant.wabaId}/message_templates/unarchive`,
      body: { hsm_ids: shop.platformId },
    })
    expect(shop.world.simulator.templatesOf().map((kept) => kept.status)).toEqual(['APPROVED'])
    const { data: log } = await (
      await shop.as('admin')
    ).get('/api/audit-logs?resource_type=template')
    expect((log['items'] as Loose[])[0]?.['action']).toBe('restored')
    const contact = await shop.world.contactOf()
    const sent = await (
      await shop.as('admin')
    ).post('/api/messages/template', { contact_id: contact['id'], template_id: shop.id })
    expect(sent.status).toBe(201)
  })

  test('is not looked up once more: its status is known', async () => {
    await using shop = await openShop()
    await shop.archive()
    await shop.world.settle()
    const lists = (): number => shop.world.simulator.callsOf({ route: 'templates' }).length
    const before = lists()
    await shop.restore()
    await shop.world.settle()
    expect(lists()).toBe(before)
  })

  test('comes back as rejected if it was', async () => {
    await using shop = await openShop()
    await shop.world.simulator.review(shop.platformId, { event: 'REJECTED' })
    await shop.world.settle()
    await shop.archive()
    expect((await shop.restore()).data['status']).toBe('REJECTED')
  })

  test('cannot be restored when it is not archived, or is deleted by then', async () => {
    await using shop = await openShop()
    expect(codeOf(await shop.restore())).toEqual({ status: 409, code: 'wrong_state' })
    await shop.archive()
    await shop.pass({ days: 29 })
    expect((await shop.restore()).body.message).toBe(
      'WhatsApp did not restore this template: Template not found.',
    )
  })

  test('is kept while WhatsApp does not list it, until it deletes it', async () => {
    await using shop = await openShop()
    shop.world.simulator.hideArchive()
    await shop.archive()
    await shop.pass({ days: 27 })
    expect(await shop.sync()).toMatchObject({ removed: 0 })
    expect((await shop.get())['status']).toBe('ARCHIVED')
    await shop.pass({ days: 2 })
    await shop.sync()
    expect((await shop.get())['status']).toBe('DELETED')
  })
})

describe('a template that WhatsApp archives by itself', () => {
  test('says so to the people who may change it, with the date on which it is deleted', async () => {
    await using shop = await openShop()
    const atS = Math.floor(shop.world.clock.nowMs() / 1_000) + 60
    await shop.world.simulator.review(shop.platformId, { event: 'ARCHIVED', at: atS })
    await shop.world.settle()
    expect(await shop.get()).toMatchObject({
      status: 'ARCHIVED',
      archived_at: new Date(atS * 1_000).toISOString(),
      deleted_from_archive_at: new Date(atS * 1_000 + 28 * DAY_MS).toISOString(),
    })
    const [title] = await shop.titles()
    expect(title).toStartWith('Template archived: ')
  })

  test('is found by a sync too, and can be restored', async () => {
    await using shop = await openShop()
    for (const kept of shop.world.simulator.templatesOf())
      Object.assign(kept, {
        archived: { atMs: shop.world.clock.nowMs(), from: 'APPROVED' },
        status: 'ARCHIVED',
      })
    await shop.sync()
    expect((await shop.get())['status']).toBe('ARCHIVED')
    expect(await shop.titles()).toHaveLength(1)
    expect((await shop.restore()).data['status']).toBe('APPROVED')
  })

  test('comes back with its status when it is restored elsewhere', async () => {
    await using shop = await openShop()
    await shop.world.simulator.review(shop.platformId, { event: 'REJECTED' })
    await shop.pass({ minutes: 1 })
    await shop.world.simulator.review(shop.platformId, { event: 'ARCHIVED' })
    await shop.pass({ minutes: 1 })
    await shop.world.simulator.review(shop.platformId, { event: 'UNARCHIVED' })
    await shop.pass({ minutes: 1 })
    expect(await shop.get()).toMatchObject({ status: 'REJECTED', archived_at: null })
    await shop.world.simulator.review(shop.platformId, { event: 'UNARCHIVED' })
    await shop.world.settle()
    expect((await shop.get())['status']).toBe('REJECTED')
  })

  test('that was in the archive before it was known gets its status from the next sync', async () => {
    await using shop = await openShop()
    const kept = shop.world.simulator.keepTemplate(
      { name: 'old_one', status: 'ARCHIVED', components: BODY },
      shop.world.tenant.wabaId,
    )
    kept.archived = { atMs: shop.world.clock.nowMs(), from: 'REJECTED' }
    await shop.sync()
    const { data } = await (await shop.as()).get('/api/templates?search=old_one')
    const [found] = data['items'] as Loose[]
    expect(found).toMatchObject({
      status: 'ARCHIVED',
      archived_at: null,
      deleted_from_archive_at: null,
    })
    await shop.restore(String(found?.['id']))
    await shop.pass({ minutes: 5 })
    expect((await shop.get(String(found?.['id'])))['status']).toBe('REJECTED')
  })
})
