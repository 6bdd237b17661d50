import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { countsOf, handIn, imported, reportOf } from '../../../support/imports'
import { personWith } from '../../../support/people'
import { World } from '../../../support/world'

let world: World
let manager: Client

beforeAll(async () => {
  world = await World.create()
  manager = await world.as('manager')
  await (
    await world.as('admin')
  ).post('/api/contact-attributes', { key: 'plan', label: 'Plan', type: 'text' })
})

afterAll(() => world.stop())

const byNumber = async (number: string): Promise<Loose | undefined> =>
  ((await manager.get(`/api/contacts?search=${number}`)).data['items'] as Loose[])[0]

/** Undoes an import and returns its final state. */
async function undone(about: Loose): Promise<Loose> {
  world.clock.advance({ seconds: 5 })
  const answer = await manager.post(`/api/imports/${about['id']}/undo`)
  expect([answer.status, answer.data['status']]).toEqual([200, 'running'])
  await world.settle()
  return (await manager.get(`/api/imports/${about['id']}`)).data
}

/** Returns a contact as the API shows it, without its update time. */
const seen = async (number: string): Promise<Loose> => {
  const { updated_at: _, ...rest } = (await byNumber(number)) ?? {}
  const { data } = await manager.get(`/api/contacts/${rest['id']}`)
  return { ...rest, identities: data['identities'] as unknown }
}

describe('undoing an import', () => {
  test('deletes created contacts and restores updated ones', async () => {
    await manager.post('/api/contacts', {
      phone_number: '15550400001',
      name: 'Old',
      tags: ['Kept', 'Both'],
      attributes: { plan: 'free' },
    })
    await manager.post('/api/contacts', { phone_number: '15550400002', name: 'Plain' })
    const { data: gone } = await manager.post('/api/contacts', {
      phone_number: '15550400003',
      name: 'Was deleted',
    })
    await manager.delete(`/api/contacts/${gone['id']}`)
    const before = [await seen('15550400001'), await seen('15550400002')]
    world.clock.advance({ seconds: 5 })
    const file = [
      'phone_number,user_id,name,language,tags,plan,assigned_to,marketing_consent',
      '15550400001,US.13491208655302750001,New,pt,Both;Added,gold,agent@acme.example.com,opted_in',
      '15550400002,,,,,,,',
      '15550400003,,Restored,,,,,',
      '15550400004,,Made,,Added,gold,,opted_out',
    ].join('\n')
    const about = await imported(world, manager, { file, fields: { update_on_duplicate: 'true' } })
    expect(countsOf(about)).toEqual([2, 2, 0, 0])
    expect(await seen('15550400001')).toMatchObject({ name: 'New', marketing_consent: 'opted_in' })
    const socket = await world.socket('admin')
    const after = await undone(about)
    expect(after).toMatchObject({ status: 'undone', created: 2, updated: 2 })
    expect([await seen('15550400001'), await seen('15550400002')]).toEqual(before)
    expect([await byNumber('15550400003'), await byNumber('15550400004')]).toEqual([
      undefined,
      undefined,
    ])
    expect(
      (await socket.caughtUp()).map(({ type, payload }) => [type, payload] as unknown),
    ).toEqual([
      [
        'contact:bulk',
        { reason: 'import', job_id: about['id'], created: 0, updated: 1, deleted: 2 },
      ],
    ])
    expect((await manager.get('/api/tags?search=added')).data['items']).toMatchObject([
      { contact_count: 0 },
    ])
    const { data: entries } = await (
      await world.as('admin')
    ).get('/api/audit-logs?action=import_undone')
    expect(entries['items']).toMatchObject([
      { user_id: world.tenant.userIds.manager, resource_id: about['id'] },
    ])
    expect(
      (await manager.post('/api/contacts', { phone_number: '15550400003' })).data,
    ).toMatchObject({
      id: gone['id'],
      name: 'Was deleted',
    })
  })

  test('reverts several rows and several files that changed one contact', async () => {
    await manager.post('/api/contacts', { phone_number: '15550400101', name: 'Old' })
    const before = await seen('15550400101')
    const [first, second] = [
      ['15550400101', 'US.13491208655302751101'] as const,
      ['15550400102', 'US.13491208655302751102'] as const,
    ]
    const rowsOf = ([number, id]: readonly [string, string]) => [
      `${number},${id},First,vip,opted_in`,
      `,${id},Second,late,opted_out`,
    ]
    const file = [
      'phone_number,user_id,name,tags,marketing_consent',
      ...rowsOf(first),
      ...rowsOf(second),
    ].join('\n')
    const fields = { update_on_duplicate: 'true' }
    world.clock.advance({ seconds: 5 })
    const one = await imported(world, manager, { file, fields })
    expect(countsOf(one)).toEqual([1, 3, 0, 0])
    const between = await seen('15550400101')
    world.clock.advance({ seconds: 5 })
    const two = await imported(world, manager, {
      file: 'phone_number,name\n15550400101,Third\n15550400102,Third\n',
      fields,
    })
    await undone(two)
    expect(await seen('15550400101')).toEqual(between)
    await undone(one)
    expect([await seen('15550400101'), await byNumber('15550400102')]).toEqual([before, undefined])
  })

  const since: [what: string, change: (contact: Loose) => Promise<unknown>][] = [
    ['changed', (contact) => manager.put(`/api/contacts/${contact['id']}`, { language: 'es' })],
    [
      'tagged',
      (contact) => manager.put(`/api/contacts/${contact['id']}/tags`, { tags: ['Later'] }),
    ],
    [
      'tagged with many others',
      (contact) =>
        manager.post('/api/contacts/bulk', {
          contact_ids: [contact['id']],
          action: 'add_tags',
          value: ['Later'],
        }),
    ],
    [
      'noted about',
      (contact) => manager.post(`/api/contacts/${contact['id']}/notes`, { content: 'A friend' }),
    ],
    [
      'written with',
      (contact) =>
        world.simulator
          .customer({ phone: world.tenant.phoneId, waId: String(contact['phone_number']) })
          .says('Hi'),
    ],
    ['deleted', (contact) => manager.delete(`/api/contacts/${contact['id']}`)],
  ]
  for (const [index, [what, change]] of since.entries())
    test(`but for what was ${what} since`, async () => {
      const [touched, other] = [`155504100${index}1`, `155504100${index}2`]
      const about = await imported(world, manager, { file: `phone_number\n${touched}\n${other}\n` })
      world.clock.advance({ seconds: 5 })
      const contact = (await byNumber(touched)) ?? {}
      await change(contact)
      await world.settle()
      const before = await byNumber(touched)
      await undone(about)
      expect([await byNumber(touched), await byNumber(other)]).toEqual([before, undefined])
      expect(
        (await reportOf(manager, about)).map(({ row, errors }) => [
          row,
          (errors as Loose[]).map(({ message }) => message as unknown),
        ]),
      ).toEqual([
        [1, ['was changed since and is not undone']],
        [2, []],
      ])
    })

  test('is possible once within seven days, and never for a dry run', async () => {
    const trial = await imported(world, manager, {
      file: 'phone_number\n15550402001\n',
      fields: { dry_run: 'true' },
    })
    expect((await manager.post(`/api/imports/${trial['id']}/undo`)).body.code).toBe('wrong_state')
    const about = await imported(world, manager, { file: 'phone_number\n15550402002\n' })
    await undone(about)
    for (const verb of ['undo', 'cancel', 'commit'])
      expect((await manager.post(`/api/imports/${about['id']}/${verb}`)).body).toMatchObject({
        code: 'wrong_state',
      })
    const old = await imported(world, manager, { file: 'phone_number\n15550402003\n' })
    world.clock.advance({ hours: 7 * 24, seconds: 1 })
    manager = await world.as('manager')
    expect((await manager.post(`/api/imports/${old['id']}/undo`)).body.code).toBe('too_late')
    expect(await byNumber('15550402003')).toBeDefined()
  })

  test('fails if the requester lost the permission before it runs', async () => {
    const person = await personWith(world, [
      'contacts:import',
      'contacts:read',
      'contacts:read_all',
    ])
    const about = await imported(world, person.client, { file: 'phone_number\n15550403001\n' })
    await person.client.post(`/api/imports/${about['id']}/undo`)
    person.may('contacts:read')
    await world.settle()
    expect((await manager.get(`/api/imports/${about['id']}`)).data).toMatchObject({
      status: 'failed',
      error: { code: 'permission_denied' },
    })
    expect(await byNumber('15550403001')).toBeDefined()
    await undone(about)
    expect(await byNumber('15550403001')).toBeUndefined()
  })

  test('takes many steps for a large import', async () => {
    const rows = Array.from({ length: 1_300 }, (_, nth) => `1555047${String(nth).padStart(4, '0')}`)
    const about = await imported(world, manager, { file: `phone_number\n${rows.join('\n')}\n` })
    const total = async (): Promise<number> =>
      (await manager.get('/api/contacts?limit=1')).data['total'] as number
    const before = await total()
    expect(countsOf(about)).toEqual([1_300, 0, 0, 0])
    await undone(about)
    expect(before - (await total())).toBe(1_300)
  })
})

describe('canceling an import', () => {
  test('in the queue imports nothing', async () => {
    const { data } = await handIn(manager, { file: 'phone_number\n15550405001\n' })
    const answer = await manager.post(`/api/imports/${data['id']}/cancel`)
    expect([answer.status, answer.data['status']]).toEqual([200, 'cancelled'])
    await world.settle()
    expect(await byNumber('15550405001')).toBeUndefined()
    expect((await manager.get(`/api/imports/${data['id']}`)).data).toMatchObject({
      status: 'cancelled',
      rows_done: 0,
    })
    expect(world.rows('select stored_as from imports where id = ?', String(data['id']))).toEqual([
      { stored_as: null },
    ])
    expect((await manager.post(`/api/imports/${data['id']}/cancel`)).body.code).toBe('wrong_state')
  })

  test('while it runs keeps the imported rows, which can be undone', async () => {
    const rows = Array.from({ length: 3_000 }, (_, nth) => `1555042${String(nth).padStart(4, '0')}`)
    const { data } = await handIn(manager, { file: `phone_number\n${rows.join('\n')}\n` })
    const working = world.settle()
    const done = (): number =>
      world.rows<{ rows_done: number }>(
        'select rows_done from imports where id = ?',
        String(data['id']),
      )[0]?.rows_done ?? 0
    await world.eventually(() => done() > 0)
    const { data: cancelled } = await manager.post(`/api/imports/${data['id']}/cancel`)
    await working
    const about = (await manager.get(`/api/imports/${data['id']}`)).data
    expect(about).toEqual(cancelled)
    expect(about['rows_done']).toBeLessThan(3_000)
    expect(
      world.rows(
        "select id from contacts where phone_number like '1555042%' and deleted_at_ms is null",
      ).length,
    ).toBe(about['created'] as number)
    await undone(about)
    expect(
      world.rows(
        "select id from contacts where phone_number like '1555042%' and deleted_at_ms is null",
      ),
    ).toEqual([])
  })
})

describe('importing tags', () => {
  test('creates, skips, updates, rejects and reverts rows', async () => {
    await manager.post('/api/tags', { name: 'Known', color: 'red' })
    const file = 'Label,Colour\nFresh,blue\nKNOWN,green\nfresh,red\n,red\nBad,pink\n'
    const fields = { table: 'tags' }
    const skipped = await imported(world, manager, { file, fields: { ...fields, dry_run: 'true' } })
    expect(countsOf(skipped)).toEqual([1, 0, 2, 2])
    world.clock.advance({ seconds: 5 })
    const about = await imported(world, manager, {
      file,
      fields: { ...fields, update_on_duplicate: 'true' },
    })
    expect(countsOf(about)).toEqual([1, 1, 1, 2])
    const tags = async (): Promise<unknown[]> =>
      ((await manager.get('/api/tags?search=n')).data['items'] as Loose[]).map(
        ({ name, color }) => [name, color] as unknown,
      )
    expect(await tags()).toContainEqual(['KNOWN', 'green'])
    expect((await manager.get('/api/tags?search=fresh')).data['items']).toMatchObject([
      { name: 'Fresh', color: 'blue' },
    ])
    await undone(about)
    expect(await tags()).toContainEqual(['Known', 'red'])
    expect((await manager.get('/api/tags?search=fresh')).data['items']).toEqual([])
  })

  test('undoes a later file before the earlier one', async () => {
    const file = (color: string) => ({
      file: `name,color\nTwice,${color}\n`,
      fields: { table: 'tags', update_on_duplicate: 'true' },
    })
    const made = await imported(world, manager, file('blue'))
    world.clock.advance({ seconds: 5 })
    const changed = await imported(world, manager, file('red'))
    await undone(changed)
    expect((await manager.get('/api/tags?search=twice')).data['items']).toMatchObject([
      { color: 'blue' },
    ])
    await undone(made)
    expect((await manager.get('/api/tags?search=twice')).data['total']).toBe(0)
  })

  test('undo keeps a tag that was changed since, and a row that changes nothing is no change', async () => {
    const fields = { table: 'tags', update_on_duplicate: 'true' }
    const file = 'name,color\nEdited,blue\n'
    const made = await imported(world, manager, { file, fields })
    const [tag] = (await manager.get('/api/tags?search=edited')).data['items'] as Loose[]
    world.clock.advance({ seconds: 5 })
    const same = await imported(world, manager, { file, fields })
    expect(countsOf(same)).toEqual([0, 1, 0, 0])
    expect((await manager.get(`/api/tags/${tag?.['id']}`)).data).toEqual(tag as Loose)
    await manager.put(`/api/tags/${tag?.['id']}`, { color: 'red' })
    await undone(made)
    expect((await manager.get(`/api/tags/${tag?.['id']}`)).data['color']).toBe('red')
  })

  test('undo keeps a tag that is in use since', async () => {
    const about = await imported(world, manager, {
      file: 'name\nCarried\nAlone\n',
      fields: { table: 'tags' },
    })
    await manager.post('/api/contacts', { phone_number: '15550406001', tags: ['Carried'] })
    await undone(about)
    expect([
      (await manager.get('/api/tags?search=carried')).data['total'],
      (await manager.get('/api/tags?search=alone')).data['total'],
    ]).toEqual([1, 0])
  })

  test('requires tags:create to create and tags:update to change', async () => {
    const person = await personWith(world, ['contacts:import'])
    const about = await imported(world, person.client, {
      file: 'name\nMine\n',
      fields: { table: 'tags' },
    })
    expect(await reportOf(person.client, about)).toMatchObject([
      { outcome: 'failed', errors: [{ message: 'requires the permission tags:create' }] },
    ])
  })
})
