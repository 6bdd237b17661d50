import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { dump } from '../../../support/dump'
import { countsOf, handIn, imported, reportOf, textOf } from '../../../support/imports'
import { keyOf } from '../../../support/keys'
import { personWith } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { World } from '../../../support/world'

let world: World
let manager: Client
let admin: Client

beforeAll(async () => {
  world = await World.create()
  manager = await world.as('manager')
  admin = await world.as('admin')
  await admin.post('/api/contact-attributes', {
    key: 'plan',
    label: 'Plan',
    type: 'select',
    options: ['free', 'gold'],
  })
  await admin.post('/api/contact-attributes', { key: 'age', label: 'Age', type: 'number' })
})

afterAll(() => world.stop())

const byNumber = async (number: string, by: Client = manager): Promise<Loose | undefined> =>
  ((await by.get(`/api/contacts?search=${number}`)).data['items'] as Loose[])[0]
const tagNames = (contact: Loose | undefined): unknown[] =>
  ((contact?.['tags'] ?? []) as Loose[]).map(({ name }) => name as unknown)
const problems = (rows: Loose[]): unknown[] =>
  rows.map(({ row, errors }) => [row, (errors as Loose[]).map(({ column }) => column as unknown)])

describe('importing contacts', () => {
  test('imports all columns by a job, with one event, one notification and one audit entry', async () => {
    const extra = (await manager.post('/api/tags', { name: 'From the fair' })).data['id'] as string
    const file = [
      'phone_number,user_id,name,language,tags,assigned_to,marketing_consent,plan,Age,unknown column',
      `+49 (0)151 2345 6001,,Ana,pt_BR,"vip; Lima",AGENT@acme.example.com,opted_in,gold,41,x`,
      `0151 23456002,,Ben,,,${world.tenant.userIds.manager},OPTED_OUT,,,`,
      ',US.13491208655302741918,Cem,,,,,,,',
    ].join('\r\n')
    const socket = await world.socket('manager')
    const answer = await handIn(manager, {
      file,
      fields: { default_country: 'de', tag_ids: extra },
    })
    expect([answer.status, answer.data]).toMatchObject([
      201,
      {
        table: 'contacts',
        status: 'queued',
        dry_run: false,
        filename: 'people.csv',
        rows_total: 3,
        rows_done: 0,
        created_by: world.tenant.userIds.manager,
        started_at: null,
        error: null,
      },
    ])
    await world.settle()
    const { data: done } = await manager.get(`/api/imports/${answer.data['id']}`)
    expect(done).toMatchObject({
      status: 'completed',
      rows_done: 3,
      created: 3,
      updated: 0,
      skipped: 0,
      failed: 0,
    })
    const ana = await byNumber('4915123456001')
    expect(ana).toMatchObject({
      ...{
        name: 'Ana',
        language: 'pt_BR',
        country: 'DE',
        source: 'import',
        marketing_consent: 'opted_in',
        account_id: null,
      },
      ...{ assigned_to: world.tenant.userIds.agent, attributes: { plan: 'gold', age: 41 } },
    })
    expect(tagNames(ana)).toEqual(['From the fair', 'Lima', 'vip'])
    expect(await byNumber('4915123456002')).toMatchObject({
      name: 'Ben',
      assigned_to: world.tenant.userIds.manager,
      marketing_consent: 'opted_out',
    })
    expect(await byNumber('Cem')).toMatchObject({
      phone_number: null,
      user_id: 'US.13491208655302741918',
      country: 'US',
    })
    expect(
      (await manager.get(`/api/contacts/${ana?.['id']}/consents`)).data['items'],
    ).toMatchObject([{ state: 'opted_in', source: 'import' }])
    const frames = (await socket.caughtUp()).map(
      ({ type, payload }) => [type, payload] as [string, Loose],
    )
    expect(frames.filter(([type]) => type.startsWith('contact:'))).toEqual([
      [
        'contact:bulk',
        { reason: 'import', job_id: done['id'], created: 3, updated: 0, deleted: 0 },
      ],
    ])
    expect(frames.find(([type]) => type === 'notification:new')?.[1]).toMatchObject({
      kind: 'import_done',
      severity: 'info',
      link: `/imports/${done['id']}`,
    })
    const { data: entries } = await admin.get('/api/audit-logs?action=imported')
    expect(entries['items']).toMatchObject([
      {
        user_id: world.tenant.userIds.manager,
        resource_type: 'contact',
        resource_name: 'people.csv',
      },
    ])
    expect((entries['items'] as Loose[])[0]?.['changes']).toContainEqual({
      field: 'created',
      old_value: null,
      new_value: 3,
    })
    expect(await reportOf(manager, done)).toMatchObject([
      { row: 1, outcome: 'created', contact_id: ana?.['id'], errors: [] },
      { row: 2 },
      { row: 3 },
    ])
  })

  test('reports an invalid row and imports the others', async () => {
    const rows = [
      ['', 'No number', '', '', '', '', ''],
      ['12', 'Too short', '', '', '', '', ''],
      ['15550300001', 'x'.repeat(256), 'not a language', '', 'perhaps', 'silver', 'many'],
      ['15550300002', 'Nobody', '', 'nobody@example.com', '', '', ''],
      ['15550300003', 'Nobody either', '', NOBODY, '', '', ''],
      ['15550300004', 'Good', 'en', '', '', 'free', '7'],
      ['=15550300005', 'No formula', '', '', '', '', ''],
      ['15550300006', 'Clears \u001b[2J the screen', '', '', '', '', ''],
    ]
    const file = [
      'phone_number,name,language,assigned_to,marketing_consent,plan,age',
      ...rows.map((cells) => cells.join(',')),
    ].join('\n')
    const about = await imported(world, manager, { file })
    expect(countsOf(about)).toEqual([1, 0, 0, 7])
    expect(problems(await reportOf(manager, about, '&outcome=failed'))).toEqual([
      [1, ['phone_number']],
      [2, ['phone_number']],
      [3, ['marketing_consent', 'name', 'language', 'attributes.plan', 'attributes.age']],
      [4, ['assigned_to']],
      [5, ['assigned_to']],
      [7, ['phone_number']],
      [8, ['name']],
    ])
    expect(await byNumber('15550300004')).toMatchObject({
      name: 'Good',
      attributes: { plan: 'free', age: 7 },
    })
    expect(await byNumber('15550300002')).toBeUndefined()
  })

  test('skips a number repeated in any spelling and names the first row', async () => {
    const file =
      'phone_number,name\n+55 11 98765-4321,First\nbad,\n5511987654321,Same\n551187654321,Same person\n+55 (11) 9 8765 4321,Again\n'
    const about = await imported(world, manager, { file })
    expect(countsOf(about)).toEqual([1, 0, 3, 1])
    expect(
      (await reportOf(manager, about, '&outcome=skipped')).map(
        ({ row, errors }) => [row, (errors as Loose[])[0]?.['message']] as unknown,
      ),
    ).toEqual([3, 4, 5].map((row) => [row, 'is the same as in row 1']))
  })

  test('skips existing contacts, or updates non-empty columns with update_on_duplicate', async () => {
    const before = (
      await manager.post('/api/contacts', {
        phone_number: '15550301001',
        name: 'Old',
        language: 'en',
        tags: ['Kept'],
        attributes: { plan: 'free', age: 3 },
      })
    ).data
    const file =
      'phone_number,user_id,name,language,tags,age,assigned_to\n1 555 030 1001,US.13491208655302740001,New,,Added,4,agent@acme.example.com\n'
    const skipped = await imported(world, manager, { file })
    expect(await reportOf(manager, skipped)).toMatchObject([
      {
        outcome: 'skipped',
        contact_id: before['id'],
        errors: [{ column: 'phone_number', value: '1 555 030 1001' }],
      },
    ])
    expect(await byNumber('15550301001')).toEqual(before)
    world.clock.advance({ seconds: 5 })
    const socket = await world.socket('admin')
    const updated = await imported(world, manager, {
      file,
      fields: { update_on_duplicate: 'true' },
    })
    expect(countsOf(updated)).toEqual([0, 1, 0, 0])
    const after = await byNumber('15550301001')
    expect(after).toMatchObject({
      ...{
        id: before['id'],
        name: 'New',
        language: 'en',
        user_id: 'US.13491208655302740001',
        source: 'manual',
      },
      ...{ attributes: { plan: 'free', age: 4 }, assigned_to: world.tenant.userIds.agent },
    })
    expect(tagNames(after)).toEqual(['Added', 'Kept'])
    expect(
      (await socket.caughtUp()).map(
        ({ type, payload }) => [type, (payload as Loose)['updated']] as unknown,
      ),
    ).toEqual([['contact:bulk', 1]])
  })

  test('matches a contact from an earlier row by another identity', async () => {
    const fileOf = (number: string, id: string) =>
      [
        'phone_number,user_id,name,tags,marketing_consent',
        `${number},${id},First,vip,opted_in`,
        `${number.slice(0, -1)}9,,Other,vip,`,
        `,${id},Second,more,opted_out`,
      ].join('\n')
    const skipped = await imported(world, manager, {
      file: fileOf('15550301110', 'US.13491208655302740011'),
    })
    expect((await reportOf(manager, skipped)).map(({ outcome }) => outcome as unknown)).toEqual([
      'created',
      'created',
      'skipped',
    ])
    expect(await byNumber('15550301110')).toMatchObject({
      name: 'First',
      marketing_consent: 'opted_in',
    })
    const updated = await imported(world, manager, {
      file: fileOf('15550301120', 'US.13491208655302740012'),
      fields: { update_on_duplicate: 'true' },
    })
    expect((await reportOf(manager, updated)).map(({ outcome }) => outcome as unknown)).toEqual([
      'created',
      'created',
      'updated',
    ])
    const met = await byNumber('15550301120')
    expect(met).toMatchObject({
      name: 'Second',
      user_id: 'US.13491208655302740012',
      marketing_consent: 'opted_out',
    })
    expect(tagNames(met)).toEqual(['more', 'vip'])
    const { data } = await manager.get(`/api/contacts/${met?.['id']}/consents`)
    expect(new Set((data['items'] as Loose[]).map(({ state }) => state as unknown))).toEqual(
      new Set(['opted_in', 'opted_out']),
    )
    const [vip] = (await manager.get('/api/tags?search=vip')).data['items'] as Loose[]
    expect(
      world.rows('select count(*) as n from contact_tags where tag_id = ?', String(vip?.['id'])),
    ).toEqual([{ n: vip?.['contact_count'] }])
  })

  test('rejects a row whose number and user ID belong to two contacts', async () => {
    await manager.post('/api/contacts', { phone_number: '15550301101' })
    await manager.post('/api/contacts', { user_id: 'US.13491208655302740002' })
    const about = await imported(world, manager, {
      file: 'phone_number,user_id\n15550301101,US.13491208655302740002\n',
      fields: { update_on_duplicate: 'true' },
    })
    expect(countsOf(about)).toEqual([0, 0, 0, 1])
  })

  test('restores a deleted contact', async () => {
    const { data } = await manager.post('/api/contacts', {
      phone_number: '15550301201',
      name: 'Gone',
      tags: ['Regular'],
    })
    await manager.delete(`/api/contacts/${data['id']}`)
    const about = await imported(world, manager, {
      file: 'phone_number,language\n15550301201,es\n',
    })
    expect(await reportOf(manager, about)).toMatchObject([
      { outcome: 'created', contact_id: data['id'] },
    ])
    expect(await byNumber('15550301201')).toMatchObject({
      id: data['id'],
      name: 'Gone',
      language: 'es',
    })
  })

  test('imported contacts can receive messages and are matched when they write', async () => {
    await imported(world, manager, {
      file: 'phone_number,name,assigned_to\n15550301301,Ina,agent@acme.example.com\n',
    })
    const contact = await byNumber('15550301301')
    const message = { type: 'text', text: 'Hello', account_id: world.tenant.accountId }
    expect(
      (await manager.post(`/api/contacts/${contact?.['id']}/messages`, message)).body.code,
    ).toBe('window_closed')
    await world.simulator.customer({ phone: world.tenant.phoneId, waId: '15550301301' }).says('Hi')
    await world.settle()
    expect(await byNumber('15550301301')).toMatchObject({
      id: contact?.['id'],
      name: 'Ina',
      unread_count: 1,
    })
  })
})

describe('a dry run', () => {
  const file =
    'phone_number,name,tags\n15550302001,Tria,Brand new tag\nbad,Bad,\n15550302001,Twice,\n15550302009,Known,\n'

  test('is the default, reports results and changes nothing', async () => {
    await manager.post('/api/contacts', { phone_number: '15550302009' })
    const before = dump(world.program.http.db.sqlite)
    const { data } = await handIn(manager, { file, fields: { dry_run: 'true' } })
    await world.settle()
    const { data: about } = await manager.get(`/api/imports/${data['id']}`)
    expect([about['dry_run'], about['status'], countsOf(about)]).toEqual([
      true,
      'completed',
      [1, 0, 2, 1],
    ])
    expect(
      (await reportOf(manager, about)).map(({ row, outcome }) => [row, outcome] as unknown),
    ).toEqual([
      [1, 'created'],
      [2, 'failed'],
      [3, 'skipped'],
      [4, 'skipped'],
    ])
    const after = dump(world.program.http.db.sqlite)
    const changed = Object.keys(after).filter(
      (table) => JSON.stringify(after[table]) !== JSON.stringify(before[table]),
    )
    const ofTrials = [
      'imports',
      'import_rows',
      'jobs',
      'notifications',
      'events',
      'event_heads',
      'relay_state',
      'sqlite_sequence',
      'works',
    ]
    expect(changed.filter((table) => !ofTrials.includes(table))).toEqual([])
    const types = world.rows<{ type: string }>(
      `select type from events where type <> 'work.progressed' order by position desc limit 1`,
    )
    expect(types).toEqual([{ type: 'notification.created' }])
  })

  test.each([
    ['false', ['created', 'created', 'skipped', 'failed', 'skipped', 'skipped', 'created']],
    ['true', ['created', 'created', 'updated', 'failed', 'updated', 'updated', 'created']],
  ])(
    'says what becomes of rows that name one person by other ids, update_on_duplicate=%p',
    async (updates, wanted) => {
      const nth = updates === 'true' ? '2' : '1'
      const [made, known, gone] = ['1', '2', '3'].map(
        (kind) => [`155503021${nth}${kind}`, `US.1349120865530274030${nth}${kind}`] as const,
      )
      await manager.post('/api/contacts', { phone_number: known?.[0] })
      const { data: deleted } = await manager.post('/api/contacts', {
        phone_number: gone?.[0],
        user_id: gone?.[1],
      })
      await manager.delete(`/api/contacts/${deleted['id']}`)
      const file = [
        'phone_number,user_id,name',
        `${made?.[0]},${made?.[1]},First`,
        `${gone?.[0]},,Comes back`,
        `,${made?.[1]},The first again`,
        `${known?.[0]},${made?.[1]},Of two`,
        `,${gone?.[1]},The second again`,
        `155503029${nth}1,${made?.[1]},The first with another number`,
        `155503029${nth}2,,Somebody else`,
      ].join('\n')
      const fields = { update_on_duplicate: updates }
      const trial = await imported(world, manager, { file, fields: { ...fields, dry_run: 'true' } })
      const outcomes = async (about: Loose) =>
        (await reportOf(manager, about)).map(({ outcome }) => outcome as unknown)
      const foretold = await outcomes(trial)
      const really = await outcomes(await imported(world, manager, { file, fields }))
      expect([foretold, really]).toEqual([wanted, wanted])
    },
  )

  test('can be committed with the same rows and gets a new report', async () => {
    const trial = await imported(world, manager, { file, fields: { dry_run: 'true' } })
    const answer = await manager.post(`/api/imports/${trial['id']}/commit`)
    expect([answer.status, answer.data]).toMatchObject([
      200,
      {
        id: trial['id'],
        dry_run: false,
        status: 'queued',
        rows_done: 0,
        created: 0,
        finished_at: null,
      },
    ])
    await world.settle()
    const { data: about } = await manager.get(`/api/imports/${trial['id']}`)
    expect([about['status'], countsOf(about)]).toEqual(['completed', [1, 0, 2, 1]])
    expect((await reportOf(manager, about)).length).toBe(4)
    expect(tagNames(await byNumber('15550302001'))).toEqual(['Brand new tag'])
    expect((await manager.post(`/api/imports/${trial['id']}/commit`)).body).toMatchObject({
      code: 'wrong_state',
    })
  })

  test('is kept for seven days', async () => {
    const trial = await imported(world, manager, {
      file: 'phone_number\n15550302101\n',
      fields: { dry_run: 'true' },
    })
    world.clock.advance({ hours: 7 * 24 + 7 })
    const late = await world.as('manager')
    expect((await late.post(`/api/imports/${trial['id']}/commit`)).body.code).toBe('too_late')
    await world.settle()
    expect(world.rows('select stored_as from imports where id = ?', String(trial['id']))).toEqual([
      { stored_as: null },
    ])
    manager = late
    admin = await world.as('admin')
  })
})

describe('permissions of an import', () => {
  test('limit a caller without contacts:read_all to own imports and assign the contacts to them', async () => {
    const person = await personWith(world, ['contacts:import', 'contacts:read'])
    const about = await imported(world, person.client, {
      file: 'phone_number,name,assigned_to\n15550303001,Mine,\n15550303002,Yours,agent@acme.example.com\n',
    })
    expect(countsOf(about)).toEqual([2, 0, 0, 0])
    expect(await byNumber('15550303001')).toMatchObject({ assigned_to: person.userId })
    expect(await byNumber('15550303002')).toMatchObject({ assigned_to: person.userId })
    expect((await person.client.get('/api/imports')).data['total']).toBe(1)
    const { data: others } = await handIn(manager, { file: 'phone_number\n15550303003\n' })
    for (const path of ['', '/rows'])
      expect((await person.client.get(`/api/imports/${others['id']}${path}`)).status).toBe(404)
    for (const verb of ['commit', 'cancel', 'undo'])
      expect((await person.client.post(`/api/imports/${others['id']}/${verb}`)).status).toBe(404)
    expect((await manager.get(`/api/imports/${about['id']}`)).status).toBe(200)
    await world.settle()
  })

  test('prevent changing or revealing contacts out of sight', async () => {
    const { data: hidden } = await manager.post('/api/contacts', {
      phone_number: '15550303101',
      name: 'Hidden',
    })
    const person = await personWith(world, ['contacts:import', 'contacts:read'])
    const about = await imported(world, person.client, {
      file: 'phone_number,name\n15550303101,Taken over\n',
      fields: { update_on_duplicate: 'true' },
    })
    expect(await reportOf(person.client, about)).toMatchObject([
      { outcome: 'skipped', contact_id: null },
    ])
    expect(await byNumber('15550303101')).toMatchObject({ name: 'Hidden', id: hidden['id'] })
  })

  test('require tags:create for new tags and transfers:assign for assignees', async () => {
    const person = await personWith(world, [
      'contacts:import',
      'contacts:read',
      'contacts:read_all',
    ])
    const about = await imported(world, person.client, {
      file: 'phone_number,tags,assigned_to\n15550303201,Not there yet,\n15550303202,,agent@acme.example.com\n15550303203,vip,\n',
    })
    expect(problems(await reportOf(person.client, about, '&outcome=failed'))).toEqual([
      [1, ['tags']],
      [2, ['assigned_to']],
    ])
    expect(tagNames(await byNumber('15550303203'))).toEqual(['vip'])
  })

  const removals: [
    what: string,
    remove: (person: { userId: string; may: (...pairs: string[]) => void }) => Promise<unknown>,
  ][] = [
    ['the person was removed', ({ userId }) => admin.delete(`/api/users/${userId}`)],
    ['the permission was taken away', async ({ may }) => may('contacts:read')],
  ]
  for (const [what, remove] of removals)
    test(`stops importing once ${what}`, async () => {
      const person = await personWith(world, [
        'contacts:import',
        'contacts:read',
        'contacts:read_all',
      ])
      const { data } = await handIn(person.client, { file: 'phone_number\n15550303301\n' })
      await remove(person)
      await world.settle()
      expect((await manager.get(`/api/imports/${data['id']}`)).data).toMatchObject({
        status: 'failed',
        created: 0,
        error: { code: 'permission_denied' },
      })
      expect(await byNumber('15550303301')).toBeUndefined()
    })

  test('let an API key import as its owner', async () => {
    const { client } = await keyOf(world, {
      permissions: ['contacts:import', 'contacts:read', 'contacts:read_all'],
    })
    const about = await imported(world, client, { file: 'phone_number\n15550303401\n' })
    expect(countsOf(about)).toEqual([1, 0, 0, 0])
  })
})

describe('the import report', () => {
  test('is a paged list, and a CSV file guarded against formulas', async () => {
    const rows = Array.from({ length: 25 }, (_, nth) =>
      nth % 2 === 0 ? `155503040${String(nth).padStart(2, '0')},ok` : `=${nth}+1,bad`,
    )
    const about = await imported(world, manager, {
      file: `phone_number,name\n${rows.join('\n')}\n`,
    })
    const seen: number[] = []
    let path = `/api/imports/${about['id']}/rows?limit=10`
    for (let cursor: string | null = ''; cursor !== null;) {
      const { data }: { data: Loose } = await manager.get(
        `${path}${cursor === '' ? '' : `&cursor=${cursor}`}`,
      )
      seen.push(...(data['items'] as Loose[]).map(({ row }) => row as number))
      cursor = data['next_cursor'] as string | null
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, nth) => nth + 1))
    path = `/api/imports/${about['id']}/rows?format=csv&outcome=failed`
    const text = await textOf(manager, path)
    expect(text.split('\r\n').slice(0, 2)).toEqual([
      '\uFEFFrow,outcome,contact_id,column,message,value',
      "2,failed,,phone_number,is not a phone number of 7 to 15 digits,'=1+1",
    ])
    expect(text.split('\r\n').length).toBe(1 + 12 + 1)
    const { data: second } = await manager.get(
      `/api/imports/${about['id']}/rows?outcome=failed&page=2&limit=5`,
    )
    expect([second['total'], (second['items'] as Loose[]).map(({ row }) => row as number)]).toEqual(
      [12, [12, 14, 16, 18, 20]],
    )
    expect((await manager.get(`/api/imports/${about['id']}/rows?cursor=x`)).status).toBe(400)
  })

  test('hides numbers from callers who see them masked', async () => {
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const person = await personWith(world, [
      'contacts:import',
      'contacts:read',
      'contacts:read_all',
    ])
    const about = await imported(world, manager, {
      file: 'phone_number,name\n15550304901,Once\n+1 555 030 4901,Twice\n155503049010000000,Bad\n',
    })
    const hidden =
      JSON.stringify(await reportOf(person.client, about)) +
      (await textOf(person.client, `/api/imports/${about['id']}/rows?format=csv`))
    expect(hidden).not.toContain('0304901')
    expect(hidden).not.toContain('030 4901')
    expect(hidden).toContain('* *** *** 4901')
    expect(JSON.stringify(await reportOf(manager, about))).toContain('+1 555 030 4901')
    await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
  })

  test('drops the data of an erased contact', async () => {
    await manager.post('/api/contacts', { user_id: 'US.13491208655302740848' })
    const file = [
      'phone_number,user_id',
      '15550304801,',
      '+1 555 030-4801,',
      '15550304801,US.13491208655302740848',
      '15550304802,',
    ].join('\n')
    const trial = await imported(world, manager, { file, fields: { dry_run: 'true' } })
    const about = await imported(world, manager, { file })
    const again = await imported(world, manager, {
      file: `${file}\n`,
      fields: { update_on_duplicate: 'true' },
    })
    const contact = await byNumber('15550304801')
    await manager.delete(`/api/contacts/${contact?.['id']}?purge=true`)
    await world.settle()
    const kept = JSON.stringify(
      world.rows(
        "select * from import_rows where row <= 3 and (identity like '%304801' or former like '%304801%' or errors like '%4801%')",
      ),
    )
    expect(kept).toBe('[]')
    const others = await Promise.all(
      [trial, about, again].map(async (one) => await reportOf(manager, one)),
    )
    expect(others.map((rows) => rows.length)).toEqual([4, 4, 4])
    expect(JSON.stringify(others)).toContain('is the same as in row 1')
    expect(
      world.rows("select count(*) as n from import_rows where identity = '15550304802'"),
    ).toEqual([{ n: 3 }])
    expect((await reportOf(manager, about))[0]).toMatchObject({ contact_id: null, errors: [] })
  })

  test('is kept for thirty days', async () => {
    const about = await imported(world, manager, { file: 'phone_number\n15550304701\n' })
    world.clock.advance({ hours: 30 * 24 + 7 })
    manager = await world.as('manager')
    await world.settle()
    expect([
      await reportOf(manager, about),
      (await manager.get(`/api/imports/${about['id']}`)).data['created'],
    ]).toEqual([[], 1])
  })
})
