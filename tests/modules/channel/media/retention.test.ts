import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test } from 'bun:test'

import { SAMPLES } from '../../../../src/simulator/sample-files'
import type { Loose } from '../../../support/client'
import { CampaignFixture } from '../../../support/campaigns'
import { upload } from '../../../support/files'
import { handIn } from '../../../support/imports'
import { approvedTemplate } from '../../../support/templates'
import { World } from '../../../support/world'

const PDF = { bytes: SAMPLES['application/pdf'], type: 'application/pdf' }

async function keptNames(world: World): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of world.program.http.files.list()) names.push(name)
  return names.toSorted()
}

const namedIn = (world: World): unknown[] =>
  world
    .rows('select stored_as from media where stored_as is not null order by 1')
    .map((row) => row['stored_as'])

/** A customer's picture and the message it became. */
async function picture(world: World): Promise<Loose> {
  await world.simulator.customer({ phone: world.tenant.phoneId }).sends({ type: 'image' })
  await world.settle()
  const [row] = world.rows('select id from messages order by id desc')
  return (await (await world.as('admin')).get(`/api/messages/${row?.['id']}`)).data
}

async function passDays(world: World, days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    world.clock.advance({ hours: 24 })
    await world.settle()
  }
}

describe('the deletion of files', () => {
  test('deletes uploads after a day if they were not sent', async () => {
    await using world = await World.create()
    const message = await picture(world)
    const manager = await world.as('manager')
    const unused = (await upload(manager, PDF)).data
    const used = (await upload(manager, PDF)).data
    await manager.post(`/api/contacts/${message['contact_id']}/messages`, {
      type: 'document',
      media_id: used['id'],
    })
    await world.settle()
    world.clock.advance({ hours: 23 })
    await world.settle()
    expect((await (await world.as('manager')).get(`/api/media/${unused['id']}`)).status).toBe(200)
    world.clock.advance({ hours: 2 })
    await world.settle()
    expect((await (await world.as('manager')).get(`/api/media/${unused['id']}`)).status).toBe(404)
    expect((await (await world.as('manager')).get(`/api/media/${used['id']}`)).status).toBe(200)
    expect(
      (await (await world.as('manager')).get(`/api/media/${used['id']}/info`)).data['expires_at'],
    ).toBeNull()
    expect(await keptNames(world)).toEqual(namedIn(world) as string[])
  })

  test('deletes files after the retention period of their organization; their messages stay and the file answers media_expired', async () => {
    await using world = await World.create()
    const message = await picture(world)
    await world.simulator.customer({ phone: world.other.phoneId }).sends({ type: 'image' })
    await world.settle()
    await passDays(world, 8)
    expect((await (await world.as('admin')).get(`/api/media/${message['id']}`)).status).toBe(200)
    world.rows(
      'insert into retention_settings (organization_id, media_days, changed_at_ms) values (?, 7, 0)',
      world.tenant.id,
    )
    const since = (await (await world.socket('admin')).ask({ type: 'ping' })).payload['seq']
    await passDays(world, 1)
    const socket = await world.socket('admin', world.tenant, `&since=${String(since)}`)
    await socket.until('the end of the replay', () =>
      socket.frames.some(({ type }) => type === 'resumed'),
    )
    expect(
      socket
        .events('message:updated')
        .map(({ payload }) => [payload['id'], payload['changed'], payload['media']]),
    ).toMatchObject([[message['id'], ['media'], { state: 'expired', url: null }]])
    const admin = await world.as('admin')
    expect(await admin.get(`/api/media/${message['id']}`)).toMatchObject({
      status: 404,
      body: { code: 'media_expired' },
    })
    expect((await admin.get(`/api/messages/${message['id']}`)).data).toMatchObject({
      type: 'image',
      media: { state: 'expired', url: null },
    })
    expect(world.rows("select id from media where state = 'ready'").length).toBe(1)
    expect(await keptNames(world)).toEqual(namedIn(world) as string[])
  })

  test('keeps all files during a legal hold and deletes them when it ends', async () => {
    await using world = await World.create({ tenants: 1 })
    const [old, deleted] = [await picture(world), await picture(world)]
    const admin = await world.as('admin')
    await upload(admin, PDF)
    await admin.put('/api/retention', { media_days: 7, legal_hold: true })
    expect((await admin.delete(`/api/contacts/${deleted['contact_id']}`)).status).toBe(200)
    await passDays(world, 10)
    expect(old['contact_id']).not.toBe(deleted['contact_id'])
    const statusOf = async ({ media }: Loose): Promise<number> =>
      (await (await world.as('admin')).get(`/api/media/${media['id']}`)).status
    expect([await statusOf(old), await statusOf(deleted)]).toEqual([200, 404])
    expect(namedIn(world).length).toBe(3)
    expect(await keptNames(world)).toEqual(namedIn(world) as string[])
    await (await world.as('admin')).put('/api/retention', { legal_hold: false })
    await passDays(world, 2)
    expect([await keptNames(world), namedIn(world)]).toEqual([[], []])
  })

  test('keeps files of privacy exports, exports and dry runs of imports as long as those are kept', async () => {
    await using world = await World.create({ tenants: 1 })
    world.stays('exports')
    const contact = await world.contactOf()
    const admin = await world.as('admin')
    const { data: archive } = await admin.post(`/api/contacts/${contact['id']}/privacy-export`)
    const { data: file } = await admin.post('/api/export', { table: 'contacts' })
    const { data: trial } = await handIn(admin, {
      file: 'phone_number\n+15550700009\n',
      fields: { dry_run: 'true' },
    })
    await world.settle()
    for (const name of await keptNames(world)) {
      const at = world.clock.nowMs() / 1_000
      utimesSync(join(world.filesFolder, name), at, at)
    }
    await passDays(world, 6)
    const boss = await world.as('admin')
    const paths = [
      `/api/privacy/requests/${archive['id']}/download`,
      `/api/exports/${file['id']}/download`,
    ]
    for (const path of paths)
      expect((await fetch(`${world.url}${path}`, { headers: boss.headers })).status).toBe(200)
    expect((await boss.post(`/api/imports/${trial['id']}/commit`)).status).toBe(200)
    await world.settle()
    await passDays(world, 3)
    expect(await keptNames(world)).toEqual([])
  })

  test('keeps files of canned responses, however old', async () => {
    await using world = await World.create()
    const { data } = await upload(await world.as('admin'), PDF)
    const kept = await (
      await world.as('admin')
    ).post('/api/canned-responses', { name: 'Prices', content: 'Here', media_id: data['id'] })
    expect(kept.status).toBe(201)
    world.rows(
      'insert into retention_settings (organization_id, media_days, changed_at_ms) select id, 7, 0 from organizations',
    )
    await passDays(world, 9)
    expect((await (await world.as('agent')).get(`/api/media/${data['id']}`)).status).toBe(200)
  })

  test('keeps files of carousel cards until their campaign is deleted, however old', async () => {
    await using fixture = await CampaignFixture.open()
    const { world } = fixture
    const picked = async (): Promise<string> =>
      String(
        (
          await upload(await world.as('manager'), {
            bytes: SAMPLES['image/jpeg'],
            type: 'image/jpeg',
          })
        ).data['id'],
      )
    const text = 'Now with ten percent off all of it'
    const buttons = [{ type: 'QUICK_REPLY', text: 'More' }]
    const cards = [1, 2].map(() => ({
      components: [
        { type: 'HEADER', format: 'IMAGE' },
        { type: 'BODY', text },
        { type: 'BUTTONS', buttons },
      ],
    }))
    const { id: template_id } = await approvedTemplate(world, {
      category: 'MARKETING',
      components: [
        { type: 'BODY', text },
        { type: 'CAROUSEL', cards },
      ],
    })
    const [byDefault, mapped, unused] = [await picked(), await picked(), await picked()]
    const id = await fixture.draft({
      template_id,
      default_params: { 'cards.0.header.media': byDefault },
      variable_mapping: { 'cards.1.header.media': { value: mapped } },
    })
    await (await world.as('admin')).put('/api/retention', { media_days: 7 })
    const found = async (): Promise<number[]> => {
      const admin = await world.as('admin')
      const statuses: number[] = []
      for (const file of [byDefault, mapped, unused])
        statuses.push((await admin.get(`/api/media/${file}`)).status)
      return statuses
    }
    await passDays(world, 9)
    expect(await found()).toEqual([200, 200, 404])
    expect((await (await world.as('manager')).delete(`/api/campaigns/${id}`)).status).toBe(200)
    await passDays(world, 2)
    expect(await found()).toEqual([404, 404, 404])
  })

  test.each(['deleted', 'given another one'])(
    'the file of an answer that is %s goes a day later, unless a message has it',
    async (how) => {
      await using world = await World.create()
      const message = await picture(world)
      const manager = await world.as('manager')
      const [alone, sent] = [
        (await upload(manager, PDF)).data['id'],
        (await upload(manager, PDF)).data['id'],
      ]
      await manager.post(`/api/contacts/${message['contact_id']}/messages`, {
        type: 'document',
        media_id: sent,
      })
      for (const media_id of [alone, sent]) {
        const { id } = (
          await manager.post('/api/canned-responses', {
            name: `With ${media_id}`,
            content: 'Here',
            media_id,
          })
        ).data
        const path = `/api/canned-responses/${id}`
        expect(
          (await (how === 'deleted' ? manager.delete(path) : manager.put(path, { media_id: null })))
            .status,
        ).toBe(200)
      }
      await passDays(world, 2)
      const statusOf = async (id: unknown): Promise<number> =>
        (await (await world.as('manager')).get(`/api/media/${String(id)}`)).status
      expect([await statusOf(alone), await statusOf(sent)]).toEqual([404, 200])
      expect(await keptNames(world)).toEqual(namedIn(world) as string[])
    },
  )

  test('deletes a file on disk without a row after a day, staged or stored, and no other file', async () => {
    await using world = await World.create()
    await picture(world)
    const orphan = 'ab/0123456789abcdef0123456789abcd'
    const folder = world.filesFolder
    mkdirSync(join(folder, 'ab'), { recursive: true })
    for (const path of [join(folder, orphan), join(folder, 'incoming', 'left-behind')]) {
      writeFileSync(path, 'x')
      utimesSync(path, world.clock.nowMs() / 1_000, world.clock.nowMs() / 1_000)
    }
    writeFileSync(join(folder, 'ab', 'not-ours.txt'), 'x')
    await world.settle()
    expect(await keptNames(world)).toContain(orphan)
    await passDays(world, 3)
    expect(await keptNames(world)).toEqual(namedIn(world) as string[])
    expect(await world.program.http.files.clearStaged(Infinity)).toBe(0)
    const told = world.logLines
      .map((line) => JSON.parse(line) as Loose)
      .filter(({ msg }) => msg === 'unused files deleted')
    expect(told.map(({ files }) => files as unknown)).toEqual([2])
    expect(await Bun.file(join(folder, 'ab', 'not-ours.txt')).exists()).toBe(true)
  })

  test('deletes the file of a revoked message', async () => {
    await using world = await World.create()
    const customer = world.simulator.customer({ phone: world.tenant.phoneId })
    const { id } = await customer.sends({ type: 'image', caption: 'Oops' })
    await world.settle()
    expect((await keptNames(world)).length).toBe(1)
    await customer.deletes(id)
    await world.settle()
    const [row] = world.rows('select id from messages')
    expect(await (await world.as('admin')).get(`/api/media/${row?.['id']}`)).toMatchObject({
      status: 404,
    })
    expect(await keptNames(world)).toEqual([])
  })

  test('deletes the files of an erased contact', async () => {
    await using world = await World.create()
    const message = await picture(world)
    expect(
      (await (await world.as('admin')).delete(`/api/contacts/${message['contact_id']}?purge=true`))
        .status,
    ).toBe(200)
    await world.settle()
    expect(world.rows('select id from media')).toEqual([])
    expect(await keptNames(world)).toEqual([])
  })
})
