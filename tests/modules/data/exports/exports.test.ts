import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { fetchRaw } from '../../../support/files'
import { exported, handIn, imported, countsOf } from '../../../support/imports'
import { personWith } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

let world: World
let manager: Client
let admin: Client

beforeAll(async () => {
  world = await World.create()
  manager = await world.as('manager')
  admin = await world.as('admin')
  await admin.post('/api/contact-attributes', { key: 'plan', label: 'Plan', type: 'text' })
})

afterAll(() => world.stop())

const created = async (body: Loose): Promise<string> =>
  (await manager.post('/api/contacts', body)).data['id'] as string

describe('an export of contacts', () => {
  test('is written by a job that reports when it is done', async () => {
    const id = await created({
      phone_number: '15550500001',
      name: 'Ana Sol',
      tags: ['vip', 'Lima'],
      attributes: { plan: 'gold' },
      language: 'es',
    })
    const socket = await world.socket('manager')
    const answer = await manager.post('/api/export', {
      table: 'contacts',
      columns: ['name', 'phone_number', 'id', 'tags', 'attributes.plan'],
    })
    expect([answer.status, answer.data]).toMatchObject([
      201,
      {
        table: 'contacts',
        format: 'csv',
        status: 'queued',
        rows: 0,
        created_by: world.tenant.userIds.manager,
      },
    ])
    const early = await manager.get(`/api/exports/${answer.data['id']}/download`)
    expect([early.status, early.body.code, early.headers.get('retry-after')]).toEqual([
      409,
      'export_pending',
      '5',
    ])
    await world.settle()
    const { data: about } = await manager.get(`/api/exports/${answer.data['id']}`)
    const response = await fetchRaw(manager, `/api/exports/${about['id']}/download`)
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)).toBe(
      `\uFEFFname,phone_number,id,tags,attributes.plan\r\nAna Sol,15550500001,${id},Lima;vip,gold\r\n`,
    )
    expect(about).toMatchObject({ status: 'completed', rows: 1, bytes: bytes.length, error: null })
    expect(Date.parse(String(about['expires_at'])) - Date.parse(String(about['finished_at']))).toBe(
      7 * 24 * 3_600_000,
    )
    expect(
      [
        'content-type',
        'content-disposition',
        'etag',
        'x-content-type-options',
        'accept-ranges',
      ].map((name) => response.headers.get(name)),
    ).toEqual([
      'text/csv; charset=utf-8',
      `attachment; filename="contacts-2026-11-21.csv"`,
      `"${about['id']}"`,
      'nosniff',
      'bytes',
    ])
    const frames = (await socket.caughtUp())
      .filter(({ type }) => type === 'notification:new')
      .map(({ payload }) => payload)
    expect(frames).toMatchObject([{ kind: 'export_done', link: `/exports/${about['id']}` }])
    const { data: entries } = await admin.get('/api/audit-logs?action=exported')
    expect(entries['items']).toMatchObject([
      {
        user_id: world.tenant.userIds.manager,
        resource_type: 'contact',
        changes: [{ field: 'rows', new_value: 1 }],
      },
    ])
  })

  test('can be downloaded in ranges and with a conditional request', async () => {
    const { about, text } = await exported(world, manager, {
      table: 'contacts',
      columns: ['phone_number'],
    })
    const path = `/api/exports/${about['id']}/download`
    const part = await fetchRaw(manager, path, { range: 'bytes=3-7' })
    expect([part.status, await part.text()]).toEqual([
      206,
      new TextDecoder().decode(new TextEncoder().encode(text).slice(3, 8)),
    ])
    expect((await fetchRaw(manager, path, { 'if-none-match': `"${about['id']}"` })).status).toBe(
      304,
    )
  })

  test('contains no formula, follows RFC 4180 and shows phone numbers as digits', async () => {
    const names = [
      '=1+1',
      '+1',
      '-1',
      '@SUM(1)',
      'a,b',
      'say "hi"',
      'two lines',
      "'quoted",
      'Zoë 😀',
      '=HYPERLINK("http://x","y")',
      '＝1+1',
      '＋1',
      '－1',
      '＠A1',
    ]
    for (const [nth, name] of names.entries())
      // listed in the order they were made
      await created({ phone_number: `155505001${String(nth).padStart(2, '0')}`, name })
    world.program.http.db.sqlite.run(
      "update contacts set name = replace(name, 'two lines', 'two\nlines')",
    ) // as the platform may tell it
    const { lines } = await exported(world, manager, {
      table: 'contacts',
      columns: ['phone_number', 'name'],
      filters: { search: '155505001' },
    })
    expect(lines).toEqual([
      'phone_number,name',
      ...[
        "'=1+1",
        "'+1",
        "'-1",
        "'@SUM(1)",
        '"a,b"',
        '"say ""hi"""',
        '"two\nlines"',
        "'quoted",
        'Zoë 😀',
        '"\'=HYPERLINK(""http://x"",""y"")"',
        "'＝1+1",
        "'＋1",
        "'－1",
        "'＠A1",
      ].map((name, nth) => `155505001${String(nth).padStart(2, '0')},${name}`),
    ])
  })

  test('also guards cells that begin with a tab, CR, LF or NUL', async () => {
    const [id] = [await created({ phone_number: '15550500201' })]
    for (const sign of ['\t', '\r', '\n', '\0']) {
      changeRows(world.program.http.db.sqlite, 'update contacts set name = ? where id = ?', [
        `${sign}x`,
        id,
      ])
      const { text } = await exported(world, manager, {
        table: 'contacts',
        columns: ['name'],
        filters: { search: '15550500201' },
      })
      expect(text).toBe(
        sign === '\r' || sign === '\n'
          ? `\uFEFFname\r\n"'${sign}x"\r\n`
          : `\uFEFFname\r\n'${sign}x\r\n`,
      )
    }
  })

  test('can be imported again and changes nothing', async () => {
    await created({
      phone_number: '15550500301',
      name: '=sum',
      tags: ['One', 'Two'],
      language: 'pt_BR',
      attributes: { plan: '+plus' },
    })
    const { text } = await exported(world, manager, {
      table: 'contacts',
      filters: { search: '15550500301' },
    })
    const find = async (): Promise<unknown> =>
      (await manager.get('/api/contacts?search=15550500301')).data['items']
    const before = await find()
    world.clock.advance({ seconds: 5 })
    const about = await imported(world, manager, {
      file: text,
      fields: { update_on_duplicate: 'true' },
    })
    expect(countsOf(about)).toEqual([0, 1, 0, 0])
    expect(await find()).toEqual(before)
  })

  test('can be lines of JSON with typed values', async () => {
    await created({
      phone_number: '15550500401',
      name: '=Ana',
      tags: ['A', 'B'],
      metadata: { deep: [1] },
    })
    const { about, text } = await exported(world, manager, {
      table: 'contacts',
      columns: ['phone_number', 'name', 'tags', 'blocked', 'metadata', 'user_id', 'unread_count'],
      filters: { search: '15550500401' },
      format: 'jsonl',
    })
    expect(text.endsWith('}\n')).toBe(true)
    expect(JSON.parse(text)).toEqual({
      phone_number: '15550500401',
      name: '=Ana',
      tags: ['A', 'B'],
      blocked: false,
      metadata: { deep: [1] },
      user_id: null,
      unread_count: 0,
    })
    const response = await fetchRaw(manager, `/api/exports/${about['id']}/download`)
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
  })

  test('contains all contacts of its filters or segment, however many', async () => {
    const rows = Array.from(
      { length: 620 },
      (_, nth) => `15550501${String(nth).padStart(3, '0')},${nth % 2 === 0 ? 'even' : 'odd'}`,
    )
    await imported(world, manager, { file: `phone_number,tags\n${rows.join('\n')}\n` })
    const segment = await manager.post('/api/segments', {
      name: 'Even',
      filter: { field: 'tags', op: 'eq', value: 'even' },
    })
    const ask = async (body: Loose): Promise<number> =>
      (await exported(world, manager, { table: 'contacts', columns: ['id'], ...body })).about[
        'rows'
      ] as number
    const total = (await manager.get('/api/contacts?limit=1')).data['total'] as number
    expect(await ask({})).toBe(total)
    expect(await ask({ filters: { tags: 'odd' } })).toBe(310)
    expect(await ask({ filters: { tags: 'odd,even', tags_mode: 'all' } })).toBe(0)
    expect(await ask({ filters: { search: '1555050110' } })).toBe(10)
    expect(await ask({ segment_id: segment.data['id'] as string })).toBe(310)
    expect(await ask({ filters: { created_to: '2020-01-01T00:00:00Z' } })).toBe(0)
    const { lines } = await exported(world, manager, { table: 'contacts', columns: ['id'] })
    expect(new Set(lines).size).toBe(total + 1)
  })
})

describe('rejects invalid requests', () => {
  const bad: [body: Loose, path: string][] = [
    [{ table: 'people' }, 'body.table'],
    [{ table: 'contacts', columns: ['phone_number', 'password'] }, 'body.columns.1'],
    [{ table: 'contacts', columns: [] }, 'body.columns'],
    [{ table: 'contacts', columns: ['id', 'id'] }, 'body.columns'],
    [{ table: 'contacts', filters: { direction: 'incoming' } }, 'body.filters.direction'],
    [{ table: 'tags', filters: { consent: 'opted_in' } }, 'body.filters.consent'],
    [{ table: 'messages', filters: { search: 'x' } }, 'body.filters.search'],
    [{ table: 'contacts', filters: { created_from: 'yesterday' } }, 'body.filters.created_from'],
    [{ table: 'contacts', segment_id: NOBODY }, 'body.segment_id'],
    [{ table: 'tags', segment_id: NOBODY }, 'body.segment_id'],
    [{ table: 'contacts', format: 'xlsx' }, 'body.format'],
  ]
  for (const [body, path] of bad)
    test(JSON.stringify(body), async () => {
      const answer = await manager.post('/api/export', body)
      expect([answer.status, answer.body.errors?.map((error) => error.path)]).toEqual([400, [path]])
    })

  test('lists the tables and columns that can be exported', async () => {
    for (const table of ['contacts', 'tags', 'messages']) {
      const { data } = await manager.get(`/api/export/${table}/config`)
      const keys = (data['columns'] as Loose[]).map(({ key }) => key as string)
      expect(keys).toContain('id')
      expect((await manager.post('/api/export', { table, columns: keys })).status).toBe(201)
    }
    await admin.post('/api/contact-attributes', {
      key: 'is_member',
      label: 'Member',
      type: 'boolean',
    })
    const { data: contacts } = await manager.get('/api/export/contacts/config')
    const own = (contacts['columns'] as Loose[]).filter(({ key }) =>
      String(key).startsWith('attributes.'),
    )
    expect(own.map(({ key, type }) => [key, type])).toEqual([
      ['attributes.is_member', 'boolean'],
      ['attributes.plan', 'text'],
    ])
    expect((await manager.get('/api/export/people/config')).status).toBe(400)
    await world.settle()
  })
})

describe('exports of other tables', () => {
  test('contain tags with the number of their contacts', async () => {
    await manager.post('/api/tags', { name: 'Export me', color: 'blue' })
    const { lines } = await exported(world, manager, {
      table: 'tags',
      columns: ['name', 'color', 'contact_count'],
      filters: { search: 'export' },
    })
    expect(lines).toEqual(['name,color,contact_count', 'Export me,blue,0'])
    changeRows(
      world.program.http.db.sqlite,
      `with recursive nth(n) as (select 1 union all select n + 1 from nth where n < 100)
       insert into tags (organization_id, id, name, name_key, color, created_at_ms, updated_at_ms)
       select organization_id, randomblob(16), 'Export ' || n, 'export ' || n, color, 0, 0
       from nth, tags where name = 'Export me'`,
    )
    const all = await exported(world, manager, {
      ...{ table: 'tags', columns: ['name'], filters: { search: 'export' } },
    })
    expect(new Set(all.lines).size).toBe(102)
    changeRows(world.program.http.db.sqlite, "delete from tags where name_key like 'export %'")
  })

  test('contain messages with every column, each with its value or null', async () => {
    const contact = await world.contactOf()
    const sent = await manager.post(`/api/contacts/${contact['id']}/messages`, {
      type: 'text',
      text: 'All of it',
      client_ref: 'ref-1',
    })
    await world.settle()
    const { data: message } = await manager.get(`/api/messages/${sent.data['id']}`)
    const { data: config } = await manager.get('/api/export/messages/config')
    const columns = (config['columns'] as Loose[]).map(({ key }) => key as string)
    const filters = { contact_id: contact['id'], direction: 'outgoing' }
    const line = JSON.parse(
      (await exported(world, manager, { table: 'messages', columns, filters, format: 'jsonl' }))
        .text,
    ) as Loose
    expect(Object.keys(line)).toEqual(columns)
    const same = [
      'id',
      'type',
      'status',
      'account_id',
      'conversation_id',
      'wa_message_id',
      'client_ref',
      'campaign_id',
      'template_name',
    ]
    const taken = (from: Loose): Loose =>
      Object.fromEntries(same.map((key) => [key, from[key] as unknown]))
    expect(taken(line)).toEqual(taken(message))
    expect(line).toMatchObject({
      client_ref: 'ref-1',
      campaign_id: null,
      revoked_at: null,
      reactions: [],
    })
  })

  test('contain messages with the name and number of their contacts, oldest first', async () => {
    const contact = await world.contactOf(world.tenant, '=cmd|calc', '15550506001')
    await manager.post(`/api/contacts/${contact['id']}/messages`, {
      type: 'text',
      text: 'Good day, "Ana"',
    })
    await world.settle()
    const columns = ['direction', 'type', 'phone_number', 'text', 'status', 'sent_by']
    const { lines, about } = await exported(world, manager, {
      table: 'messages',
      columns,
      filters: { contact_id: contact['id'] },
    })
    expect(lines).toEqual([
      'direction,type,phone_number,text,status,sent_by',
      "incoming,text,15550506001,'=cmd|calc,delivered,",
      'outgoing,text,15550506001,"Good day, ""Ana""",delivered,Acme manager',
    ])
    const ask = async (filters: Loose): Promise<number> =>
      (
        await exported(world, manager, {
          table: 'messages',
          filters: { contact_id: contact['id'], ...filters },
        })
      ).about['rows'] as number
    expect([
      await ask({ direction: 'incoming' }),
      await ask({ type: 'image' }),
      await ask({ to: '2020-01-01T00:00:00Z' }),
    ]).toEqual([1, 0, 0])
    expect([
      about['rows'],
      await ask({ from: '2020-01-01T00:00:00Z', account_id: world.tenant.accountId }),
    ]).toEqual([2, 2])
    await manager.delete(`/api/contacts/${contact['id']}`)
    expect(await ask({})).toBe(0)
  })
})

describe('an export contains only what the requester may see', () => {
  test('only visible contacts and their messages', async () => {
    const person = await personWith(world, ['contacts:export', 'contacts:read', 'messages:read'])
    const contact = await world.contactOf(world.tenant, 'mine', '15550507001')
    await world.contactOf(world.tenant, 'not mine', '15550507002')
    await manager.put(`/api/contacts/${contact['id']}/assign`, { user_id: person.userId })
    const contacts = await exported(world, person.client, {
      table: 'contacts',
      columns: ['phone_number'],
    })
    const messages = await exported(world, person.client, { table: 'messages', columns: ['text'] })
    expect([contacts.lines, messages.lines]).toEqual([
      ['phone_number', '15550507001'],
      ['text', 'mine'],
    ])
    expect((await person.client.get('/api/exports')).data['total']).toBe(2)
    const { about } = await exported(world, manager, { table: 'contacts' })
    for (const path of ['', '/download'])
      expect((await person.client.get(`/api/exports/${about['id']}${path}`)).status).toBe(404)
    expect((await manager.get(`/api/exports/${contacts.about['id']}`)).status).toBe(200)
  })

  const needs: [table: string, permission: string][] = [
    ['messages', 'messages:read'],
    ['tags', 'tags:read'],
  ]
  for (const [table, permission] of needs)
    test(`${table} requires ${permission}`, async () => {
      const person = await personWith(world, ['contacts:export', 'contacts:read'])
      const answer = await person.client.post('/api/export', { table })
      expect([answer.status, answer.body.code, answer.body.message]).toEqual([
        403,
        'permission_denied',
        `This requires the permission \`${permission}\`. Ask an admin to grant it to your role ` +
          'or API key.',
      ])
    })

  test('masked numbers, also in names and messages; a file with full numbers is not available to masked callers', async () => {
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const person = await personWith(world, [
      'contacts:export',
      'contacts:read',
      'contacts:read_all',
      'messages:read',
    ])
    await created({ phone_number: '15550508001', name: '+1 555 050 8001' })
    await world.contactOf(world.tenant, 'masked', '15550508002')
    const contacts = await exported(world, person.client, { table: 'contacts' })
    const messages = await exported(world, person.client, { table: 'messages' })
    expect(contacts.text + messages.text).not.toMatch(/15550508|050 8001/)
    expect(contacts.text).toContain('*******8001')
    expect(messages.text).toContain('*******8002')
    const whole = await exported(world, manager, { table: 'contacts' })
    expect(whole.text).toContain('15550508001')
    const refused = await person.client.get(`/api/exports/${whole.about['id']}/download`)
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'This requires the permission `contacts:unmask`. Ask an admin to grant it to your role or API key.',
    ])
    await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
  })

  test('a requester who may see less later no longer gets the file', async () => {
    const person = await personWith(world, [
      'contacts:export',
      'contacts:read',
      'contacts:read_all',
    ])
    const { about } = await exported(world, person.client, { table: 'contacts' })
    person.may('contacts:export', 'contacts:read')
    expect((await person.client.get(`/api/exports/${about['id']}/download`)).body.message).toBe(
      'This requires the permission `contacts:read_all`. Ask an admin to grant it to your ' +
        'role or API key.',
    )
  })

  const removals: [
    what: string,
    remove: (person: { userId: string; may: (...pairs: string[]) => void }) => Promise<unknown>,
  ][] = [
    ['the person was removed', ({ userId }) => admin.delete(`/api/users/${userId}`)],
    ['the permission was taken away', async ({ may }) => may('contacts:read')],
  ]
  for (const [what, remove] of removals)
    test(`nothing is written after ${what}`, async () => {
      const person = await personWith(world, [
        'contacts:export',
        'contacts:read',
        'contacts:read_all',
      ])
      const { data } = await person.client.post('/api/export', { table: 'contacts' })
      await remove(person)
      await world.settle()
      expect((await manager.get(`/api/exports/${data['id']}`)).data).toMatchObject({
        status: 'failed',
        rows: 0,
        error: { code: 'permission_denied' },
      })
      expect((await manager.get(`/api/exports/${data['id']}/download`)).body).toMatchObject({
        code: 'export_failed',
      })
    })
})

const kept = async (): Promise<string[]> => {
  const names: string[] = []
  for await (const { name } of world.program.http.files.list()) names.push(name)
  return names
}

describe('permissions and fields that end while a long file is written', () => {
  const EVERYTHING = ['contacts:export', 'contacts:read', 'contacts:read_all', 'contacts:unmask']
  const COLUMNS = ['id', 'phone_number']

  /** Where files lie until they are whole. */
  const staging = (): string =>
    join(dirname(dirname(world.program.http.files.pathOf(`00/${'0'.repeat(30)}`))), 'incoming')
  const underWay = (): string[] => readdirSync(staging())

  /** Changes something as soon as some of the file is written, and lets the rest be written. */
  async function whileWritten(change: () => void): Promise<void> {
    const before = underWay().length
    const writing = world.settle()
    const written = (): number =>
      underWay().reduce((sum, name) => sum + statSync(join(staging(), name)).size, 0)
    const atFirst = written()
    while (underWay().length === before || written() <= atFirst + 200)
      await new Promise((resolve) => setImmediate(resolve))
    change()
    await writing
  }

  /** More contacts than one step looks at, many times over. */
  beforeAll(async () => {
    const rows = Array.from({ length: 9_000 }, (_, nth) => `1555052${String(nth).padStart(4, '0')}`)
    await imported(world, manager, { file: `phone_number\n${rows.join('\n')}\n` })
  })

  test('end the export and leave no file', async () => {
    const person = await personWith(world, EVERYTHING)
    const files = await kept()
    const { data } = await person.client.post('/api/export', {
      table: 'contacts',
      columns: COLUMNS,
    })
    await whileWritten(() => person.may('contacts:read', 'contacts:read_all'))
    expect((await manager.get(`/api/exports/${data['id']}`)).data).toMatchObject({
      status: 'failed',
      rows: 0,
      error: { code: 'permission_denied' },
    })
    expect([underWay(), await kept()]).toEqual([[], files])
    expect((await manager.get(`/api/exports/${data['id']}/download`)).body).toMatchObject({
      code: 'export_failed',
    })
  })

  test('narrow the rest of the export, and the file is no longer available to its requester', async () => {
    const person = await personWith(world, EVERYTHING)
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const total = (await manager.get('/api/contacts?limit=1')).data['total'] as number
    const { data } = await person.client.post('/api/export', {
      table: 'contacts',
      columns: COLUMNS,
    })
    await whileWritten(() => person.may('contacts:export', 'contacts:read', 'contacts:read_all'))
    const path = `/api/exports/${data['id']}`
    expect((await manager.get(path)).data).toMatchObject({ status: 'completed', rows: total })
    const text = await (await fetchRaw(manager, `${path}/download`)).text()
    const numbers = text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(',')[1] ?? '')
    const firstHidden = numbers.findIndex((number) => number.includes('*'))
    expect(firstHidden).toBeGreaterThan(0)
    expect(numbers.slice(firstHidden).filter((number) => !/^\*+\d{4}$/.test(number))).toEqual([])
    expect((await person.client.get(`${path}/download`)).body.message).toBe(
      'This requires the permission `contacts:unmask`. Ask an admin to grant it to your role or API key.',
    )

    person.may(...EVERYTHING)
    const second = (
      await person.client.post('/api/export', { table: 'contacts', columns: COLUMNS })
    ).data
    await whileWritten(() => person.may('contacts:export', 'contacts:read', 'contacts:unmask'))
    const { data: about } = await manager.get(`/api/exports/${second['id']}`)
    expect([about['status'], Number(about['rows']) > 0, Number(about['rows']) < total]).toEqual([
      'completed',
      true,
      true,
    ])
    const download = `/api/exports/${second['id']}/download`
    expect((await person.client.get(download)).body.message).toBe(
      'This requires the permission `contacts:read_all`. Ask an admin to grant it to your ' +
        'role or API key.',
    )
    await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
  })

  test('leave the column of a field empty and the others in their places', async () => {
    await admin.post('/api/contact-attributes', { key: 'gone', label: 'Gone', type: 'text' })
    const columns = ['attributes.gone', 'id']
    const { data } = await manager.post('/api/export', { table: 'contacts', columns })
    await whileWritten(() =>
      changeRows(world.program.http.db.sqlite, "delete from contact_attributes where key = 'gone'"),
    )
    const file = await fetchRaw(manager, `/api/exports/${data['id']}/download`)
    const [, ...lines] = (await file.text()).trim().split('\r\n')
    expect(lines.length).toBeGreaterThanOrEqual(9_000)
    expect(lines.filter((line) => !/^,[\da-f-]{36}$/.test(line))).toEqual([])
  })
})

describe('files of exports', () => {
  test('are deleted after seven days', async () => {
    const { about } = await exported(world, manager, { table: 'contacts' })
    const [row] = world.rows<{ stored_as: string }>(
      'select stored_as from exports where id = ?',
      String(about['id']),
    )
    expect(await kept()).toContain(row?.stored_as ?? '')
    world.clock.advance({ hours: 7 * 24 })
    manager = await world.as('manager')
    const late = await manager.get(`/api/exports/${about['id']}/download`)
    expect([late.status, late.body.code]).toEqual([404, 'export_expired'])
    world.clock.advance({ hours: 1 })
    manager = await world.as('manager')
    await world.settle()
    expect((await manager.get(`/api/exports/${about['id']}`)).data).toMatchObject({
      status: 'expired',
      rows: about['rows'],
    })
    expect(await kept()).not.toContain(row?.stored_as ?? '')
  })

  test('are not treated as orphans while they are kept', async () => {
    const { about } = await exported(world, manager, { table: 'contacts' })
    const { data: trial } = await handIn(manager, {
      file: 'phone_number\n15550509001\n',
      fields: { dry_run: 'true' },
    })
    await world.settle()
    world.clock.advance({ hours: 49 })
    manager = await world.as('manager')
    await world.settle()
    expect((await manager.get(`/api/exports/${about['id']}/download`)).status).toBe(200)
    await manager.post(`/api/imports/${trial['id']}/commit`)
    await world.settle()
    expect((await manager.get(`/api/imports/${trial['id']}`)).data).toMatchObject({
      status: 'completed',
      created: 1,
    })
  })
})
