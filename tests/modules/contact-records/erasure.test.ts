import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openDb } from '../../../src/infra/db'
import { migrate } from '../../../src/infra/migrate'
import { Office } from '../../support/campaigns'
import { Client, type Loose } from '../../support/client'
import { upload } from '../../support/files'
import { handIn } from '../../support/imports'
import { World } from '../../support/world'

const NUMBER = '4915112345678'
const folder = mkdtempSync(join(tmpdir(), 'erasure-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A world whose database is a file, in a folder of its own. */
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
    bytes: () => [...files(place), ...files(world.filesFolder)].map((path) => readFileSync(path).toString('latin1')).join('\n'),
  }
}

const withKey = (world: World, client: Client, key: string): Client => new Client(world.url, { ...client.headers, 'idempotency-key': key })

describe('an erasure that is completed', () => {
  test('left nothing of the person in the bytes of any file of the data folder, and its receipt counts each place', async () => {
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
    expect((await withKey(world, admin, 'noted').post(`${path}/notes`, { content: 'flumoxia, twice' })).status).toBe(201)
    const leaflet = { bytes: new TextEncoder().encode('flumoxia leaflet'), type: 'text/plain', name: 'leaflet.txt' }
    const { data: file } = await upload(withKey(world, admin, 'file'), leaflet)
    await admin.post(`${path}/messages`, { type: 'document', media_id: file['id'] })
    await world.settle()
    const { data: archive } = await withKey(world, admin, 'archive').post(`${path}/privacy-export`, { reason: 'Wants to read of flumoxia' })
    const { data: people } = await admin.post('/api/export', { table: 'contacts' })
    const { data: texts } = await admin.post('/api/export', { table: 'messages', format: 'jsonl' })
    const { data: tags } = await admin.post('/api/export', { table: 'tags' })
    const { data: trial } = await handIn(admin, {
      file: `phone_number,name\n+${NUMBER},Zacharias Unmistakable\n`,
      fields: { dry_run: 'true' },
    })
    await world.settle()
    const downloads = [`/api/privacy/requests/${archive['id']}`, `/api/exports/${people['id']}`, `/api/exports/${texts['id']}`]
    for (const one of downloads) expect((await fetch(`${world.url}${one}/download`, { headers: admin.headers })).status).toBe(200)
    expect(words.filter((word) => !bytes().includes(word))).toEqual([])

    const asked = await withKey(world, admin, 'erased').post(`${path}/erase`, { confirm: id, reason: 'No flumoxia any more' })
    expect([asked.status, asked.data['reason']]).toEqual([201, 'No flumoxia any more'])
    await world.settle()
    const { data: done } = await admin.get(`/api/privacy/requests/${asked.data['id']}`)
    expect(done).toMatchObject({ state: 'completed', reason: null })
    const left = bytes()
    expect(words.filter((word) => left.includes(word))).toEqual([])
    expect((done['receipt'] as Loose)['counts']).toEqual({
      ...{ messages: 3, files: 1, reactions: 0, notes: 1, conversations: 1, identities: 2, consents: 0, events: expect.any(Number) },
      ...{ deliveries: expect.any(Number), import_rows: 1, import_files: 1, campaign_recipients: 0, idempotency_answers: 5 },
      ...{ privacy_archives: 1, exports: 2, reasons: 2 },
    })
    for (const place of ['events', 'deliveries']) expect(((done['receipt'] as Loose)['counts'] as Loose)[place]).toBeGreaterThan(0)
    for (const one of downloads) expect((await admin.get(`${one}/download`)).status).toBe(404)
    expect((await fetch(`${world.url}/api/exports/${tags['id']}/download`, { headers: admin.headers })).status).toBe(200)
    expect((await admin.post(`/api/imports/${trial['id']}/commit`)).status).toBe(409)
    expect((await admin.get(`/api/privacy/requests/${archive['id']}`)).data).toMatchObject({ state: 'expired', reason: null })
  })

  test('has taken the answers under keys that tell of the person, and no others', async () => {
    await using world = await World.create({ tenants: 1 })
    const [one, two] = [await world.contactOf(world.tenant, 'Hello', NUMBER), await world.contactOf(world.tenant, 'Hello', '15550700002')]
    const admin = await world.as('admin')
    const say = async (to: Loose, key: string) =>
      withKey(world, admin, key).post(`/api/contacts/${to['id']}/messages`, { type: 'text', text: 'Private words' })
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
    expect([kept.status, kept.headers.get('idempotent-replay'), kept.data['text'] ?? JSON.stringify(kept.data)]).toEqual([
      201,
      'true',
      expect.stringContaining('Private words'),
    ])
    expect(world.rows('select count(*) as n from messages')).toEqual([{ n: 2 }])
  })

  test('is not undone by an export that was being written meanwhile: it is written anew', async () => {
    await using world = await World.create({ tenants: 1 })
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
    expect((await admin.post(`/api/contacts/${contact['id']}/erase`, { confirm: contact['id'] })).status).toBe(201)
    erased.resolve()
    await settled
    expect((await admin.get(`/api/exports/${data['id']}`)).data['status']).toBe('running')
    world.clock.advance({ seconds: 2 })
    await world.settle()
    const file = await fetch(`${world.url}/api/exports/${data['id']}/download`, { headers: admin.headers })
    const text = await file.text()
    expect([file.status, text.includes(NUMBER), text.includes('15550700002')]).toEqual([200, false, true])
  })

  test('has forgotten a number that was brought in for a campaign before anybody knew the person', async () => {
    await using office = await Office.open({ tenants: 1 })
    const { world } = office
    const campaign = await office.draftFor([NUMBER, '15550700002'])
    const contact = await world.contactOf(world.tenant, 'Hello', NUMBER)
    const { data } = await (await world.as('admin')).post(`/api/contacts/${contact['id']}/erase`, { confirm: contact['id'] })
    await world.settle()
    expect((await (await world.as('admin')).get(`/api/privacy/requests/${data['id']}`)).data).toMatchObject({
      state: 'completed',
      receipt: { counts: { campaign_recipients: 1 } },
    })
    const left = (await office.recipients(campaign)).map(({ phone_number }) => phone_number as string | null)
    expect(new Set(left)).toEqual(new Set(['15550700002', null]))
    expect(JSON.stringify(world.rows('select * from campaign_recipients'))).not.toContain(NUMBER)
    // Nobody is written to who has no number any more.
    await office.do(campaign, 'start')
    await office.run(campaign)
    expect([...office.calls().keys()]).toEqual(['15550700002'])
  })

  test('waits for the bytes of its own files, and not for those of others who are erased after it', async () => {
    await using world = await World.create({ tenants: 1 })
    const people = [await world.contactOf(world.tenant, 'Hello', NUMBER), await world.contactOf(world.tenant, 'Hello', '15550700002')]
    const admin = await world.as('admin')
    for (const [nth, { id }] of people.entries()) {
      const { data } = await upload(admin, { bytes: new TextEncoder().encode(`flumoxia ${nth}`), type: 'text/plain', name: 'leaflet.txt' })
      await admin.post(`/api/contacts/${id}/messages`, { type: 'document', media_id: data['id'] })
    }
    await world.settle()
    const { files } = world.program.http
    const remove = files.remove.bind(files)
    let isBroken = true
    files.remove = (name) => (isBroken ? Promise.reject(new Error('the disk has trouble')) : remove(name))
    const ended = async () =>
      ((await (await world.as('admin')).get('/api/privacy/requests?state=completed')).data['items'] as Loose[]).length
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
})
