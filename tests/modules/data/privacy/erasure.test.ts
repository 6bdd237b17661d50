import { afterAll, describe, expect, test } from 'bun:test'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { openDb } from '../../../../src/infra/db/connection'
import { migrate } from '../../../../src/infra/db/migrate'
import { CampaignFixture } from '../../../support/campaigns'
import { Client, type Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { handIn } from '../../../support/imports'
import { deliver, lineOf, secondsIn } from '../../../support/lines'
import { bookEntry } from '../../../../src/simulator/coexistence'
import { World } from '../../../support/world'

const NUMBER = '4915112345678'
const folder = mkdtempSync(join(tmpdir(), 'erasure-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Creates a world whose database is a file in its own folder. */
async function worldOnDisk(): Promise<{ world: World; bytes: () => string }> {
  const place = mkdtempSync(join(folder, 'data-'))
  const db = openDb(join(place, 'db.sqlite'), { synchronous: 'normal', cacheMib: 8 })
  migrate(db.sqlite, { clock: { nowMs: () => Date.UTC(2026, 10, 20) } })
  const world = await World.create({ tenants: 1, db })
  const files = (at: string): string[] =>
    readdirSync(at, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  return {
    world,
    bytes: () =>
      [...files(place), ...files(world.filesFolder)]
        .map((path) => readFileSync(path).toString('latin1'))
        .join('\n'),
  }
}

const withKey = (world: World, client: Client, key: string): Client =>
  new Client(world.url, { ...client.headers, 'idempotency-key': key })

/**
 * Runs jobs beside a blocked one until a condition holds. Resolves to a promise that settles when
 * the blocked job has ended.
 */
async function settleUntil(world: World, holds: () => boolean): Promise<Promise<void>[]> {
  const runs: Promise<void>[] = []
  await world.eventually(() => {
    if (holds()) return true
    runs.push(world.settle())
    return false
  })
  return runs
}

const isAsleep = (world: World, kind: string): boolean =>
  world.rows("select 1 from jobs where kind = ? and state = 'scheduled'", kind).length === 1

describe('a completed erasure', () => {
  test('leaves no data of the person in any file of the data folder, and its receipt counts each place', async () => {
    const { world, bytes } = await worldOnDisk()
    await using _ = world
    const contact = await world.contactOf(world.tenant, 'My secret illness is flumoxia', NUMBER)
    const id = contact['id'] as string
    const path = `/api/contacts/${id}`
    const admin = await world.as('admin')
    const words = ['flumoxia', 'Unmistakable', 'unmistakable', NUMBER, 'leaflet']
    await admin.put(path, { name: 'Zacharias Unmistakable' })
    const said = { type: 'text', text: 'Get well from flumoxia' }
    expect((await withKey(world, admin, 'said').post(`${path}/messages`, said)).status).toBe(201)
    expect(
      (await withKey(world, admin, 'noted').post(`${path}/notes`, { content: 'flumoxia, twice' }))
        .status,
    ).toBe(201)
    const transferred = { contact_id: id, notes: 'Asks about flumoxia' }
    expect(
      (await withKey(world, admin, 'given').post('/api/chatbot/transfers', transferred)).status,
    ).toBe(201)
    const leaflet = {
      bytes: new TextEncoder().encode('flumoxia leaflet'),
      type: 'text/plain',
      name: 'leaflet.txt',
    }
    const { data: file } = await upload(withKey(world, admin, 'file'), leaflet)
    await admin.post(`${path}/messages`, { type: 'document', media_id: file['id'] })
    await world.simulator
      .customer({ phone: world.tenant.phoneId, waId: NUMBER })
      .orders([
        { product_retailer_id: 'flumoxia-77', quantity: 1, item_price: 30, currency: 'USD' },
      ])
    await world.settle()
    const { data: archive } = await withKey(world, admin, 'archive').post(
      `${path}/privacy-export`,
      { reason: 'Wants to read of flumoxia' },
    )
    const { data: people } = await admin.post('/api/export', { table: 'contacts' })
    const { data: texts } = await admin.post('/api/export', { table: 'messages', format: 'jsonl' })
    const { data: tags } = await admin.post('/api/export', { table: 'tags' })
    const { data: trial } = await handIn(admin, {
      file: `phone_number,name\n+${NUMBER},Zacharias Unmistakable\n`,
      fields: { dry_run: 'true' },
    })
    await world.settle()
    const downloads = [
      `/api/privacy/requests/${archive['id']}`,
      `/api/exports/${people['id']}`,
      `/api/exports/${texts['id']}`,
    ]
    for (const one of downloads)
      expect((await fetch(`${world.url}${one}/download`, { headers: admin.headers })).status).toBe(
        200,
      )
    expect(words.filter((word) => !bytes().includes(word))).toEqual([])

    const asked = await withKey(world, admin, 'erased').post(`${path}/erase`, {
      confirm: id,
      reason: 'No flumoxia any more',
    })
    expect([asked.status, asked.data['reason']]).toEqual([201, 'No flumoxia any more'])
    await world.settle()
    const { data: done } = await admin.get(`/api/privacy/requests/${asked.data['id']}`)
    expect(done).toMatchObject({ state: 'completed', reason: null })
    const left = bytes()
    expect(words.filter((word) => left.includes(word))).toEqual([])
    expect((done['receipt'] as Loose)['counts']).toEqual({
      ...{
        messages: 4,
        calls: 0,
        orders: 1,
        ai_questions: 0,
        ai_usage: 0,
        bot_sessions: 0,
        bot_trace: 0,
        thread_facts: 0,
        transfers: 1,
        webhook_payloads: 0,
        scheduled_messages: 0,
        timeline: 1,
        files: 1,
        reactions: 0,
        notes: 1,
        conversations: 1,
        identities: 3,
        consents: 0,
        excluded_numbers: 0,
        views: 0,
        export_searches: 0,
        segments: 0,
        events: expect.any(Number),
      },
      ...{
        deliveries: expect.any(Number),
        import_rows: 1,
        import_files: 1,
        campaign_recipients: 0,
        idempotency_answers: 6,
      },
      ...{ privacy_archives: 1, exports: 2, organization_archives: 0, reasons: 2 },
    })
    for (const place of ['events', 'deliveries'])
      expect(((done['receipt'] as Loose)['counts'] as Loose)[place]).toBeGreaterThan(0)
    for (const one of downloads) expect((await admin.get(`${one}/download`)).status).toBe(404)
    expect(
      (await fetch(`${world.url}/api/exports/${tags['id']}/download`, { headers: admin.headers }))
        .status,
    ).toBe(200)
    expect((await admin.post(`/api/imports/${trial['id']}/commit`)).status).toBe(409)
    expect((await admin.get(`/api/privacy/requests/${archive['id']}`)).data).toMatchObject({
      state: 'expired',
      reason: null,
    })
  })

  test('deletes the kept exports about the person, under a former contact too, and none about others', async () => {
    await using world = await World.create({ tenants: 1 })
    world.stays('exports')
    const admin = await world.as('admin')
    const contacts: string[] = []
    for (const number of [NUMBER, '15550700002', '15550700003'])
      contacts.push(String((await world.contactOf(world.tenant, 'Hello', number))['id']))
    const [person, former, neighbor] = contacts
    const archives: string[] = []
    for (const id of contacts) {
      const about = { reason: 'Asked in the shop' }
      archives.push(
        String((await admin.post(`/api/contacts/${id}/privacy-export`, about)).data['id']),
      )
      await world.settle() // one at a time is written for an organization
    }
    const { data: people } = await admin.post('/api/export', { table: 'contacts' })
    await world.settle()
    const merged = await admin.post(`/api/contacts/${person}/merge`, { source_id: former })
    expect(merged.status).toBe(200)
    await world.settle()
    const { data: asked } = await admin.post(`/api/contacts/${person}/erase`, { confirm: person })
    await world.settle()
    const { data: done } = await admin.get(`/api/privacy/requests/${asked['id']}`)
    expect(done).toMatchObject({
      state: 'completed',
      receipt: { counts: { privacy_archives: 2, reasons: 2, exports: 1 } },
    })
    const kept: unknown[] = []
    for (const id of archives) {
      const { data } = await admin.get(`/api/privacy/requests/${id}`)
      const file = await fetch(`${world.url}/api/privacy/requests/${id}/download`, {
        headers: admin.headers,
      })
      kept.push([data['state'], data['reason'], file.status])
    }
    expect(kept).toEqual([
      ['expired', null, 404],
      ['expired', null, 404],
      ['completed', 'Asked in the shop', 200],
    ])
    expect((await admin.get(`/api/contacts/${neighbor}`)).status).toBe(200)
    expect((await admin.get(`/api/exports/${people['id']}`)).data['status']).toBe('expired')
    const late = await admin.get(`/api/exports/${people['id']}/download`)
    expect([late.status, late.body.code]).toEqual([404, 'export_expired'])
  })

  test('is refused while an export is written about a contact that was merged into the person', async () => {
    await using world = await World.create({ tenants: 1 })
    world.stays('exports')
    const admin = await world.as('admin')
    const person = String((await world.contactOf(world.tenant, 'Hello', NUMBER))['id'])
    const former = String((await world.contactOf(world.tenant, 'Hello', '15550700002'))['id'])
    const { data: archive } = await admin.post(`/api/contacts/${former}/privacy-export`)
    await admin.post(`/api/contacts/${person}/merge`, { source_id: former })
    const erase = async () => await admin.post(`/api/contacts/${person}/erase`, { confirm: person })
    const refused = await erase()
    expect([refused.status, refused.body.code]).toEqual([409, 'request_open'])
    await world.settle()
    expect((await erase()).status).toBe(201)
    await world.settle()
    expect((await admin.get(`/api/privacy/requests/${archive['id']}`)).data['state']).toBe(
      'expired',
    )
  })

  test('removes the stored responses that mention the person, and no others', async () => {
    await using world = await World.create({ tenants: 1 })
    world.stays('answers to repeated requests')
    const [one, two] = [
      await world.contactOf(world.tenant, 'Hello', NUMBER),
      await world.contactOf(world.tenant, 'Hello', '15550700002'),
    ]
    const admin = await world.as('admin')
    const say = async (to: Loose, key: string) =>
      withKey(world, admin, key).post(`/api/contacts/${to['id']}/messages`, {
        type: 'text',
        text: 'Private words',
      })
    for (const [to, key] of [
      [one, 'first'],
      [two, 'second'],
    ] as const)
      expect((await say(to, key)).status).toBe(201)
    await world.settle()
    await admin.post(`/api/contacts/${one['id']}/erase`, { confirm: one['id'] })
    await world.settle()
    const [gone, kept] = [await say(one, 'first'), await say(two, 'second')]
    expect(gone.status).toBeGreaterThanOrEqual(400)
    expect(JSON.stringify(gone.body)).not.toContain('Private words')
    expect([
      kept.status,
      kept.headers.get('idempotent-replay'),
      kept.data['text'] ?? JSON.stringify(kept.data),
    ]).toEqual([201, 'true', expect.stringContaining('Private words')])
    expect(world.rows('select count(*) as n from messages')).toEqual([{ n: 2 }])
  })

  test('restarts an export that was being written meanwhile', async () => {
    await using world = await World.create({ tenants: 1 })
    world.stays('exports')
    const contact = await world.contactOf(world.tenant, 'Hello', NUMBER)
    await world.contactOf(world.tenant, 'Hello', '15550700002')
    const admin = await world.as('admin')
    const { files } = world.program.http
    const stage = files.stage.bind(files)
    const [written, erased] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    files.stage = async (...given) => {
      const staged = await stage(...given)
      written.resolve()
      await erased.promise
      return staged
    }
    const { data } = await admin.post('/api/export', { table: 'contacts' })
    const settled = world.settle()
    await written.promise
    expect(
      (await admin.post(`/api/contacts/${contact['id']}/erase`, { confirm: contact['id'] })).status,
    ).toBe(201)
    erased.resolve()
    await settled
    expect((await admin.get(`/api/exports/${data['id']}`)).data['status']).toBe('running')
    world.clock.advance({ seconds: 2 })
    await world.settle()
    const file = await fetch(`${world.url}/api/exports/${data['id']}/download`, {
      headers: admin.headers,
    })
    const text = await file.text()
    expect([file.status, text.includes(NUMBER), text.includes('15550700002')]).toEqual([
      200,
      false,
      true,
    ])
  })

  test('removes a number imported for a campaign before the contact existed', async () => {
    await using fixture = await CampaignFixture.open({ tenants: 1 })
    const { world } = fixture
    const campaign = await fixture.draftFor([NUMBER, '15550700002'])
    const contact = await world.contactOf(world.tenant, 'Hello', NUMBER)
    const { data } = await (
      await world.as('admin')
    ).post(`/api/contacts/${contact['id']}/erase`, { confirm: contact['id'] })
    await world.settle()
    expect(
      (await (await world.as('admin')).get(`/api/privacy/requests/${data['id']}`)).data,
    ).toMatchObject({
      state: 'completed',
      receipt: { counts: { campaign_recipients: 1 } },
    })
    const left = (await fixture.recipients(campaign)).map(
      ({ phone_number }) => phone_number as string | null,
    )
    expect(new Set(left)).toEqual(new Set(['15550700002', null]))
    expect(JSON.stringify(world.rows('select * from campaign_recipients'))).not.toContain(NUMBER)
    // A recipient without a number gets no message.
    await fixture.do(campaign, 'start')
    await fixture.run(campaign)
    expect([...fixture.calls().keys()]).toEqual(['15550700002'])
  })

  test('waits for its own files, and not for those of later erasures', async () => {
    await using world = await World.create({ tenants: 1 })
    world.stays('faults of a disk')
    const people = [
      await world.contactOf(world.tenant, 'Hello', NUMBER),
      await world.contactOf(world.tenant, 'Hello', '15550700002'),
    ]
    const admin = await world.as('admin')
    for (const [nth, { id }] of people.entries()) {
      const { data } = await upload(admin, {
        bytes: new TextEncoder().encode(`flumoxia ${nth}`),
        type: 'text/plain',
        name: 'leaflet.txt',
      })
      await admin.post(`/api/contacts/${id}/messages`, { type: 'document', media_id: data['id'] })
    }
    await world.settle()
    const { files } = world.program.http
    const remove = files.remove.bind(files)
    let isBroken = true
    files.remove = (name) =>
      isBroken ? Promise.reject(new Error('the disk has trouble')) : remove(name)
    const ended = async () =>
      (
        (await (await world.as('admin')).get('/api/privacy/requests?state=completed')).data[
          'items'
        ] as Loose[]
      ).length
    for (const { id } of people) await admin.post(`/api/contacts/${id}/erase`, { confirm: id })
    for (let minute = 0; minute < 3; minute += 1) {
      await world.settle()
      world.clock.advance({ minutes: 1 })
    }
    expect(await ended()).toBe(0)
    isBroken = false
    for (let minute = 0; minute < 10 && (await ended()) < 2; minute += 1) {
      world.clock.advance({ minutes: 1 })
      await world.settle()
    }
    expect(await ended()).toBe(2)
    expect(await Array.fromAsync(files.list())).toEqual([])
  })

  test("removes the person's name from the business phone's address book", async () => {
    const { world, bytes } = await worldOnDisk()
    await using _ = world
    await deliver(
      world,
      bookEntry(NUMBER, 'Zacharias Bookish', {
        line: lineOf(world.tenant),
        timestamp: secondsIn(world),
      }),
    )
    expect(bytes()).toContain('Zacharias Bookish')
    const [{ id } = { id: '' }] = world.rows<{ id: string }>('select id from contacts')
    const { data } = await (
      await world.as('admin')
    ).post(`/api/contacts/${id}/erase`, { confirm: id })
    await world.settle()
    expect(
      (await (await world.as('admin')).get(`/api/privacy/requests/${data['id']}`)).data['state'],
    ).toBe('completed')
    expect(world.rows('select book_name, book_named_at_ms from contacts')).toEqual([
      { book_name: null, book_named_at_ms: null },
    ])
    expect(bytes()).not.toContain('Zacharias Bookish')
  })

  test('removes files left behind by a killed process', async () => {
    const { world, bytes } = await worldOnDisk()
    await using _ = world
    const contact = await world.contactOf(world.tenant, 'Hello', NUMBER)
    const admin = await world.as('admin')
    const [staged, kept, fresh] = [
      'incoming/1f',
      'ab/0123456789abcdef0123456789abcd',
      'incoming/2f',
    ].map((name) => join(world.filesFolder, name))
    for (const path of [staged, kept, fresh] as string[]) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(
        path,
        path === fresh ? 'somebody uploads this' : 'half an archive about flumoxia',
      )
    }
    for (const path of [staged, kept] as string[])
      utimesSync(path, new Date(2020, 1, 1), new Date(2020, 1, 1))
    const { data } = await admin.post(`/api/contacts/${contact['id']}/erase`, {
      confirm: contact['id'],
    })
    await world.settle()
    expect((await admin.get(`/api/privacy/requests/${data['id']}`)).data['state']).toBe('completed')
    expect([bytes().includes('flumoxia'), bytes().includes('somebody uploads this')]).toEqual([
      false,
      true,
    ])
  })

  test('waits for a running export that may contain the person', async () => {
    await using world = await World.create({ tenants: 1 })
    const contact = await world.contactOf(world.tenant, 'Hello', NUMBER)
    const admin = await world.as('admin')
    const { files } = world.program.http
    const stage = files.stage.bind(files)
    const [written, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    files.stage = async (...given) => {
      const staged = await stage(...given)
      written.resolve()
      await released.promise
      return staged
    }
    await admin.post('/api/export', { table: 'contacts' })
    const settled = world.settle()
    await written.promise
    const { data } = await admin.post(`/api/contacts/${contact['id']}/erase`, {
      confirm: contact['id'],
    })
    const others = await settleUntil(world, () => isAsleep(world, 'privacy.complete'))
    expect(world.rows('select state from privacy_requests')).toEqual([{ state: 'running' }])
    released.resolve()
    await Promise.all([settled, ...others])
    for (let nth = 0; nth < 3; nth += 1) {
      world.clock.advance({ seconds: 2 })
      await world.settle()
    }
    expect((await admin.get(`/api/privacy/requests/${data['id']}`)).data['state']).toBe('completed')
  })

  for (const isTrial of ['true', 'false'])
    test(`waits for a running ${isTrial === 'true' ? 'dry run with stored rows' : 'import'} that names the person`, async () => {
      const { world, bytes } = await worldOnDisk()
      await using _ = world
      const contact = await world.contactOf(world.tenant, 'Hello', NUMBER)
      const admin = await world.as('admin')
      const { files } = world.program.http
      const has = files.has.bind(files)
      const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      files.has = async (name) => {
        begun.resolve()
        await released.promise
        return has(name)
      }
      const file = `phone_number,name,country\n+${NUMBER},Zacharias Unmistakable,ZZZ\n`
      expect((await handIn(admin, { file, fields: { dry_run: isTrial } })).status).toBe(201)
      const settled = world.settle()
      await begun.promise
      const { data } = await admin.post(`/api/contacts/${contact['id']}/erase`, {
        confirm: contact['id'],
      })
      const others = await settleUntil(world, () => isAsleep(world, 'import.erase-in-reports'))
      expect([
        bytes().includes('Unmistakable'),
        world.rows('select state from privacy_requests'),
      ]).toEqual([true, [{ state: 'running' }]])
      released.resolve()
      await Promise.all([settled, ...others])
      for (let nth = 0; nth < 4; nth += 1) {
        world.clock.advance({ seconds: 2 })
        await world.settle()
      }
      expect((await admin.get(`/api/privacy/requests/${data['id']}`)).data['state']).toBe(
        'completed',
      )
      expect([bytes().includes('Unmistakable'), bytes().includes(NUMBER)]).toEqual([false, false])
    })
})
