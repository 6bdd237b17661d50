import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Loose } from '../support/client'
import { runHere } from '../support/command-here'
import { PROGRAM } from '../support/process'
import { readRows } from '../support/sql'
import { ROOT_KEY, World } from '../support/world'
import {
  importFrom,
  openWhatomate,
  reasonsOf,
  undoImport,
} from '../../src/modules/data/product-imports/cli'
import { deliver, lineOf, statusTo, textTo } from '../support/lines'
import {
  chatwootAccount,
  chatwootConversations,
  ChatwootServer,
  message,
} from '../simulator/chatwoot'

const FIXTURES = join(import.meta.dir, 'come-from')
const DUMP = join(FIXTURES, 'whatomate.sql')
/** The number of the dump, at the platform. */
const DUMP_NUMBER = '106540352242922'

let folder: string
let empty: Uint8Array
let env: Record<string, string>
let organization: string

/** An installation with two organizations, the first of which has the number of the dump. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'come-from-'))
  await using world = await World.create()
  organization = world.tenant.name
  const { sqlite } = world.program.http.db
  sqlite.run(
    `update accounts set phone_id = '${DUMP_NUMBER}', phone_number = '15550100001' where phone_id = ?`,
    [world.tenant.phoneId],
  )
  empty = sqlite.serialize()
  env = {
    DATA_DIR: join(folder, 'data'),
    SECRET_KEY: ROOT_KEY.toString('hex'),
    WEBHOOK_VERIFY_TOKEN: 'a verify token of the test',
    APP_SECRET: 'an app secret of the test',
    PLATFORM_BASE_URL: 'http://127.0.0.1:1',
    PASSWORD_MEMORY_MIB: '8',
    BACKUP_INTERVAL_HOURS: '0',
    RATE_STANDARD: '0',
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

beforeEach(() => {
  rmSync(env['DATA_DIR'] ?? '', { recursive: true, force: true })
  mkdirSync(env['DATA_DIR'] ?? '')
  writeFileSync(join(env['DATA_DIR'] ?? '', 'switchboard.sqlite'), empty)
})

/** Runs the command in this process. */
const here = (args: string[], more: Record<string, string> = {}) =>
  runHere(['import', ...args], { cwd: folder, env: { ...env, ...more } })

/** Runs it for the organization and returns what it tells. */
async function told(args: string[], more: Record<string, string> = {}): Promise<Loose> {
  const result = await here([...args, '--organization', organization, '--json'], more)
  expect([result.code, result.errors]).toEqual([0, ''])
  return JSON.parse(result.out) as Loose
}

const fromDump = (args: string[] = [], path = DUMP): Promise<Loose> =>
  told(['whatomate', path, '--from', 'Fixture Shop', ...args])

const fromChatwoot = (server: ChatwootServer, args: string[] = []): Promise<Loose> =>
  told(['chatwoot', '--url', server.url, '--account', '3', ...args], {
    CHATWOOT_TOKEN: server.token,
  })

function account(): ChatwootServer {
  const server = new ChatwootServer(chatwootAccount())
  server.data.conversations.push(...chatwootConversations(server.url))
  return server
}

function rows<T = Loose>(query: string): T[] {
  using database = new Database(join(env['DATA_DIR'] ?? '', 'switchboard.sqlite'))
  return readRows<T>(database, query, [])
}

/** What an undo must give back: everything that people see. */
const state = () => ({
  contacts: rows('select name, phone_number, attributes from contacts where deleted_at_ms is null'),
  rest: rows(
    `select (select count(*) from messages) as messages, (select count(*) from conversations) as conversations,
     (select count(*) from notes) as notes, (select count(*) from tags) as tags,
     (select count(*) from canned_responses) as texts, (select count(*) from message_words) as words,
     (select count(*) from media where state = 'ready') as files, (select count(*) from message_statuses) as statuses,
     (select total(contacts) from contact_counts) as counted`,
  ),
})

/** What the customer, a colleague or another program would notice. */
const sideEffects = () =>
  rows(
    'select (select count(*) from events) as events, (select count(*) from jobs) as jobs, (select count(*) from bot_sessions) as bots, (select count(*) from cost_changes) as costs',
  )

const total = (result: Loose, kind: string): number[] => {
  const found = (result['totals'] as Loose[]).find((one) => one['kind'] === kind)
  return ['new', 'joined', 'left_out'].map((word) => Number(found?.[word] ?? 0))
}

const reasons = (result: Loose): string[] =>
  (result['reasons'] as Loose[]).map(
    ({ kind, reason, things }) => `${String(things)} ${String(kind)} ${String(reason)}`,
  )

test('a dump of whatomate is checked, brought over once with its times, and taken back', async () => {
  const before = state()
  const quiet = sideEffects()
  const media = join(FIXTURES, 'uploads')
  const check = await fromDump(['--check', '--media', media])
  expect(check['import_id']).toBeNull()
  expect(state()).toEqual(before)
  expect(rows('select * from product_imports')).toEqual([])

  const result = await fromDump(['--media', media])
  for (const kind of [
    'number',
    'agent',
    'template',
    'canned_response',
    'contact',
    'message',
    'tag',
  ])
    expect([kind, total(check, kind)]).toEqual([kind, total(result, kind)])
  expect(total(result, 'message')).toEqual([9, 0, 0])
  expect(total(result, 'contact')).toEqual([3, 0, 1])
  expect(reasons(result)).toEqual([
    '2 agent not_asked',
    '1 template templates_by_sync',
    '1 contact bad_number',
    '1 contact fields_left_out',
    '1 conversation contact_left_out',
    '1 message file_missing',
  ])
  const messages = rows(
    `select wa_message_id, direction, type, content, status, source, is_silent, timestamp_ms, cost_micros,
     cost_month, allowance_month, answered_after_ms from messages order by timestamp_ms`,
  )
  expect(messages.map((row) => [row['wa_message_id'], row['status'], row['type']])).toEqual([
    ['wamid.IN1', 'read', 'text'],
    ['wamid.IN2', 'read', 'image'],
    ['wamid.IN3', 'read', 'text'],
    ['wamid.IN4', 'read', 'text'],
    ['wamid.IN5', 'read', 'text'],
    ['wamid.IN6', 'read', 'document'],
    ['wamid.OUT1', 'read', 'text'],
    ['wamid.OUT2', 'failed', 'text'],
    ['wamid.OUT3', 'delivered', 'text'],
  ])
  const [first, , , hostile, place] = messages
  expect(first?.['timestamp_ms']).toBe(Date.parse('2026-10-02T05:10:40.357Z'))
  expect(JSON.parse(String(first?.['content']))).toEqual({
    text: "Hello, is O'Hara's order ready?\nThanks; bye",
  })
  expect(JSON.parse(String(hostile?.['content']))).toEqual({
    text: "<script>alert(1)</script>'); DROP TABLE messages;--",
  })
  expect(JSON.parse(String(place?.['content']))).toEqual({ text: '[location]' })
  for (const row of messages)
    expect([
      row['cost_micros'],
      row['cost_month'],
      row['allowance_month'],
      row['answered_after_ms'],
    ]).toEqual([null, null, null, null])
  for (const row of messages) expect(row['is_silent']).toBe(row['direction'] === 'incoming' ? 1 : 0)
  expect(sideEffects()).toEqual(quiet)
  expect(
    rows(
      'select sum(unread_count) as unread, count(last_inbound_at_ms) as windows, count(unanswered_since_ms) as waiting from conversations',
    ),
  ).toEqual([{ unread: 0, windows: 0, waiting: 0 }])
  expect(rows("select content from messages where content like '%other tenant%'")).toEqual([])

  const again = await fromDump(['--media', media])
  expect(again['import_id']).toBe(result['import_id'])
  expect(again['totals']).toEqual(result['totals'])
  expect(rows('select id from messages')).toHaveLength(9)

  const undo = await here(['undo', String(result['import_id']), '--json'])
  expect([undo.code, undo.errors]).toEqual([0, ''])
  expect(state()).toEqual(before)
  const twice = await here(['undo', String(result['import_id'])])
  expect([twice.code, twice.errors]).toEqual([1, expect.stringContaining('is already undone')])
})

test('an account of Chatwoot comes with notes, files and labels, and later only with what is new', async () => {
  await using server = account()
  const before = state()
  const quiet = sideEffects()
  server.busy = 3
  const check = await fromChatwoot(server, ['--check'])
  expect(state()).toEqual(before)

  const result = await fromChatwoot(server)
  expect(server.faults).toEqual([])
  expect(server.calls.filter((path) => path.includes('/conversations/3/messages'))).toEqual([])
  for (const kind of [
    ...['number', 'agent', 'canned_response', 'contact', 'note', 'conversation', 'message', 'tag'],
  ])
    expect([kind, total(check, kind)]).toEqual([kind, total(result, kind)])
  expect(total(result, 'contact')).toEqual([16, 1, 1])
  expect(total(result, 'conversation')).toEqual([16, 12, 2])
  expect(total(result, 'note')).toEqual([2, 0, 0])
  expect(total(result, 'message')).toEqual([9 + 230 + 26, 0, 3 + 1])
  expect(reasons(result)).toEqual([
    '1 number not_whatsapp',
    '1 agent bad_email',
    '1 agent not_asked',
    '1 canned_response bad_text',
    '1 contact fields_left_out',
    '1 contact no_number',
    '1 conversation contact_left_out',
    '1 conversation not_whatsapp',
    '2 message file_missing',
    '1 message activity',
    '1 message contact_left_out',
    '1 message deleted',
    '1 message no_text',
  ])
  expect(sideEffects()).toEqual(quiet)
  const mia = rows(
    `select name, (select group_concat(t.name, ', ') from contact_tags ct join tags t on t.id = ct.tag_id where ct.contact_id = c.id) as tags,
     (select group_concat(n.content || ' / ' || n.created_by_name, '; ') from notes n where n.contact_id = c.id) as notes, created_at_ms
     from contacts c where phone_number = '4915200000001'`,
  )
  expect(mia).toEqual([
    {
      name: 'Mia <b>Muster</b>',
      tags: expect.stringMatching(/^(?:vip, late|late, vip)$/),
      notes: 'Prefers the morning / Anna Agent; Angry customer, be nice / Anna Agent',
      created_at_ms: Date.UTC(2026, 8, 1) + 1_000,
    },
  ])
  expect(rows("select name from contacts where phone_number = '4915200000003'")).toEqual([
    { name: null },
  ])
  const thread = rows(
    `select m.wa_message_id as id, m.type, m.status, m.preview, m.sent_by_name as author, r.wa_message_id as quotes, f.state as file
     from messages m join conversations v on v.id = m.conversation_id join contacts c on c.id = m.contact_id
     left join messages r on r.id = m.reply_to_id left join media f on f.id = m.media_id
     where c.phone_number = '4915200000001' order by m.timestamp_ms, m.row`,
  )
  expect(thread.map((row) => Object.values(row))).toEqual([
    ['wamid.CW1', 'text', 'read', "It's urgent'); DROP TABLE messages;--", null, null, null],
    ['wamid.CW2', 'text', 'read', 'We look at it.', 'Anna Agent', null, null],
    ['wamid.CW5', 'image', 'read', 'shelf.png', null, null, 'ready'],
    ['wamid.CW6', 'image', 'read', 'gone', null, null, 'expired'],
    ['wamid.CW7', 'image', 'read', 'Photo', null, null, 'expired'],
    [null, 'text', 'failed', 'Rate us\n[input_select: Good]', 'Anna Agent', null, null],
    ['wamid.CW10', 'text', 'sent', 'Answer', 'Anna Agent', 'wamid.CW1', null],
    ['wamid.CW11', 'location', 'read', 'Location', null, null, null],
    [null, 'document', 'read', 'list.txt', null, null, 'ready'],
  ])
  expect(rows('select state, count(*) as n from conversations group by state')).toEqual([
    { state: 'closed', n: 15 },
    { state: 'open', n: 1 },
  ])

  const [first] = server.data.conversations
  first?.messages.push(message(9_000, 1, 'New since'))
  server.calls.length = 0
  const later = await fromChatwoot(server)
  expect(total(later, 'message')[0]).toBe((total(result, 'message')[0] ?? 0) + 1)
  expect(server.calls.filter((path) => path.includes('/conversations/4/messages'))).toHaveLength(1)
  const again = ['chatwoot', '--url', server.url, '--account', '3', '--organization', organization]
  expect((await here(again, { CHATWOOT_TOKEN: server.token })).out).toContain(
    'These are all runs together. This one brought 0.',
  )

  const [note] = rows("select hex(id) as id from notes where content like 'Prefers%'")
  using database = new Database(join(env['DATA_DIR'] ?? '', 'switchboard.sqlite'))
  database.run('update notes set is_pinned = 1 where hex(id) = ?', [String(note?.['id'])])
  database.run(
    "update contacts set updated_at_ms = updated_at_ms + 1 where phone_number = '4915200000003'",
  )
  const undo = await here(['undo', String(result['import_id'])])
  expect([undo.code, undo.errors]).toEqual([0, ''])
  expect(
    undo.out
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/))
      .slice(1),
  ).toEqual([
    ['taken back', 'kept'],
    ['message', '266', '0'],
    ['conversation', '16', '0'],
    ['note', '1', '1'],
    ['contact', '14', '2'],
    ['canned response', '1', '0'],
    ['tag', '0', '2'],
    ['What is kept was changed or used since, or belongs to something that was.'],
    [''],
  ])
})

test('what cannot be read is refused with the next step, before anything is stored', async () => {
  await using server = account()
  const before = state()
  const at = ['--organization', organization]
  const chatwoot = ['chatwoot', '--url', server.url, ...at]
  const refusals: [string[], Record<string, string>, number, string][] = [
    [[...chatwoot, '--account', '3'], {}, 2, 'Set CHATWOOT_TOKEN'],
    [[...chatwoot, '--account', '3'], { CHATWOOT_TOKEN: 'wrong' }, 1, 'refuses the token'],
    [[...chatwoot, '--account', '4'], { CHATWOOT_TOKEN: server.token }, 1, 'has no such account'],
    [[...chatwoot, '--account', '3/../4'], { CHATWOOT_TOKEN: server.token }, 2, 'must be a number'],
    [
      [...chatwoot, '--account', '3', '--number', '+1 555 99'],
      { CHATWOOT_TOKEN: server.token },
      1,
      'No phone number +1 555 99 is connected',
    ],
    [['chatwoot', '--url', 'file:///etc', '--account', '3', ...at], {}, 2, 'must be an address'],
    [['whatomate', DUMP, '--organization', 'Nobody', '--from', 'Fixture Shop'], {}, 1, 'not found'],
    [['whatomate', DUMP, ...at], {}, 1, 'has several organizations: Fixture Shop (fixture-shop-'],
    [['whatomate', DUMP, ...at, '--from', 'Shop'], {}, 1, 'has no single organization Shop'],
    [['whatomate', join(folder, 'none.sql'), ...at], {}, 1, 'none.sql'],
    [
      ['chatwoot', '--url', 'http://127.0.0.1:9', '--account', '3', ...at],
      { CHATWOOT_TOKEN: 'x' },
      1,
      'Chatwoot could not be reached. Is --url the address',
    ],
    [['wati', ...at], {}, 2, 'Unknown command "import wati"'],
    [['list', '--url', server.url], {}, 2, 'has no option --url'],
    [['undo', 'all'], {}, 2, 'needs the ID of an import'],
    [['undo', crypto.randomUUID()], {}, 1, 'Import not found'],
  ]
  for (const [args, more, code, words] of refusals) {
    const refused = await here(args, more)
    expect([args, refused.code, refused.errors]).toEqual([
      args,
      code,
      expect.stringContaining(words),
    ])
  }
  const dump = readFileSync(DUMP, 'utf8')
  const broken: [string | Uint8Array, string][] = [
    [dump.slice(0, -200), 'ends in the middle'],
    [dump.slice(0, dump.indexOf('-- PostgreSQL database dump complete')), 'ends in the middle'],
    [dump.slice(0, dump.indexOf('Pablo')), 'ends in the middle'],
    [`PGDMP${dump}`, 'is no plain text'],
    [Bun.gzipSync(dump), 'is no plain text'],
    [Buffer.from(`\uFEFF${dump}`, 'utf16le'), 'is no plain text'],
    [
      dump.replaceAll("SET client_encoding = 'UTF8'", "SET client_encoding = 'LATIN1'"),
      'is in LATIN1',
    ],
    [`COPY public.contacts (id) FROM stdin;\n\\.\n${dump}`, 'has its rows as COPY'],
    [dump.replace(/INSERT INTO public\.users VALUES \(/, '$&1, '), 'values for 11 columns'],
    [
      dump.replaceAll('CREATE TABLE public.users', 'CREATE TABLE public.others'),
      'does not say what its columns are',
    ],
    [dump.replace("'Fixture Shop'", "E'Fixture Shop'"), 'cannot be read at'],
  ]
  for (const [text, words] of broken) {
    writeFileSync(join(folder, 'broken.sql'), text)
    const refused = await here([
      'whatomate',
      join(folder, 'broken.sql'),
      ...at,
      '--from',
      'Fixture Shop',
    ])
    expect([words, refused.code, refused.errors]).toEqual([
      words,
      1,
      expect.stringContaining(words),
    ])
  }
  expect(state()).toEqual(before)
  expect(rows('select * from product_imports')).toEqual([])
})

test('a dump in another order, with broken bytes, huge texts and planted ids is stored as text', async () => {
  const dump = readFileSync(DUMP, 'utf8')
  const [users = '', accounts = ''] = ['users', 'whatsapp_accounts'].map((name) =>
    (dump.match(new RegExp(`^INSERT INTO public\\.${name} .*$`, 'gm')) ?? []).join('\n'),
  )
  const id =
    /INSERT INTO public\.organizations VALUES \('([^']+)'[^;]*Fixture Shop/.exec(dump)?.[1] ?? ''
  const contact =
    /INSERT INTO public\.contacts VALUES \('([^']+)'[^;]*Mia Muster/.exec(dump)?.[1] ?? ''
  const columns =
    '(id, created_at, organization_id, whats_app_account, contact_id, whatsapp_message_id, direction, message_type, content, media_url)'
  const planted = (nth: number, content: string, type = 'text', path = ''): string =>
    `('${crypto.randomUUID()}', '2026-09-0${nth} 10:00:00+02', '${id}', 'main', '${contact}', 'wamid.P${nth}', 'incoming', '${type}', '${content}', '${path}')`
  const rest = dump.replace(users, '').replace(accounts, '')
  const text = [
    `INSERT INTO public.messages ${columns} VALUES ${planted(1, 'x'.repeat(70_000))},\n ${planted(2, 'a;\n--b $x$ \\ "')},`,
    ` ${planted(3, 'BYTES')}, ${planted(4, '', 'image', `${'../'.repeat(20)}etc/passwd`)}, ${planted(5, '', 'sticker', '/etc/passwd')}, ${planted(2, 'twice')};`,
    rest.replace('-- PostgreSQL database dump complete', `${accounts}\n${users}\n$&`),
  ].join('\n')
  const [head = '', tail = ''] = text.split('BYTES')
  writeFileSync(
    join(folder, 'odd.sql'),
    Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xfe, 0x41]), Buffer.from(tail)]),
  )
  const report = join(folder, 'report.csv')
  const media = join(FIXTURES, 'uploads')
  const result = await fromDump(['--media', media, '--report', report], join(folder, 'odd.sql'))
  expect(total(result, 'message')).toEqual([14, 1, 0])
  expect(
    rows(
      "select content, timestamp_ms from messages where wa_message_id in ('wamid.P2', 'wamid.P3') order by 2",
    ).map(({ content, timestamp_ms }) => [JSON.parse(String(content)), timestamp_ms]),
  ).toEqual([
    [{ text: 'a;\n--b $x$ \\ "' }, Date.UTC(2026, 8, 2, 8)],
    [{ text: '\uFFFD\uFFFDA' }, Date.UTC(2026, 8, 3, 8)],
  ])
  expect(rows("select count(*) as n from media where state = 'ready'")).toEqual([{ n: 1 }])
  const lines = readFileSync(report, 'utf8').split('\r\n')
  expect(lines[0]).toBe('kind,id,outcome,reason,explanation')
  expect(lines.filter((line) => line.includes(',file_missing,'))).toHaveLength(3)
  expect(lines.filter((line) => line.includes(',shortened,'))).toHaveLength(1)
})

test('an import that is killed, or stopped at any request, ends with everything once', async () => {
  await using server = account()
  const killed = Bun.spawn(
    [
      ...[...PROGRAM, 'import', 'chatwoot', '--url', server.url, '--account', '3'],
      ...['--organization', organization, '--json'],
    ],
    {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...env, CHATWOOT_TOKEN: server.token },
      stdout: 'ignore',
      stderr: 'ignore',
    },
  )
  let answered = 0
  server.before = () => {
    answered += 1
    if (answered === 60) killed.kill('SIGKILL')
    return null
  }
  await killed.exited
  expect([killed.signalCode, rows('select count(*) as n from contacts')]).toEqual([
    'SIGKILL',
    [{ n: 16 }],
  ])
  for (const nth of [3, 20, 48, 58]) {
    answered = 0
    server.before = () =>
      ++answered === nth ? Response.json({ error: 'no' }, { status: 403 }) : null
    const args = ['chatwoot', '--url', server.url, '--account', '3', '--organization', organization]
    const stopped = await here(args, { CHATWOOT_TOKEN: server.token })
    expect([nth, stopped.code, stopped.errors]).toEqual([
      nth,
      1,
      expect.stringContaining('not of an administrator'),
    ])
  }
  server.before = () => null
  const result = await fromChatwoot(server)
  expect([total(result, 'contact'), total(result, 'note'), total(result, 'message')]).toEqual([
    [16, 1, 1],
    [2, 0, 0],
    [265, 0, 4],
  ])
  expect(rows('select count(*) as n, count(distinct wa_message_id) as ids from messages')).toEqual([
    { n: 265, ids: 263 },
  ])
  expect(rows('select count(*) as n from product_imports')).toEqual([{ n: 1 }])
}, 60_000)

test('what comes later from WhatsApp finds the messages by their IDs', async () => {
  await using world = await World.create({ tenants: 1 })
  world.program.http.db.sqlite.run(`update accounts set phone_id = '${DUMP_NUMBER}'`)
  const contact = await existing(world)
  const source = await openWhatomate({ path: DUMP, media: null, organization: 'Fixture Shop' })
  const organizationId = world.tenant.id
  const result = await importFrom(world.program.http, organizationId, source, {
    ...{ isCheck: false, number: null, country: null },
    ...{ inviteAs: world.emailOf('admin', world.tenant), onProgress: () => undefined },
  })
  const count = () => world.rows<{ n: number }>('select count(*) as n from messages')[0]?.n
  expect(count()).toBe(9)
  const admin = await world.as('admin')
  const list = async (path: string): Promise<Loose[]> =>
    (await admin.get(path)).data['items'] as Loose[]
  const thread = await list(`/api/contacts/${contact}/messages`)
  expect(
    thread.map(({ direction, status }) => `${String(direction)} ${String(status)}`).toSorted(),
  ).toEqual([
    'incoming read',
    'incoming read',
    'incoming read',
    'outgoing delivered',
    'outgoing failed',
    'outgoing read',
  ])
  expect(world.rows('select email from invitations order by email')).toEqual([
    { email: 'anna@fixture.example' },
    { email: 'owner@fixture.example' },
  ])
  const line = { ...lineOf(world.tenant), phoneNumberId: DUMP_NUMBER }
  const person = { waId: '4915110000001', name: 'Mia Muster' }
  await deliver(world, textTo(world, 'the same again', { line, person, id: 'wamid.IN1' }))
  await deliver(world, statusTo(world, 'wamid.OUT3', 'read', { line, person }))
  expect(count()).toBe(9)
  const after = await list(`/api/contacts/${contact}/messages`)
  expect(after.find(({ wa_message_id: id }) => id === 'wamid.OUT3')?.['status']).toBe('read')
  expect(world.rows('select 1 from messages where cost_micros is not null')).toEqual([])

  await admin.post(`/api/contacts/${contact}/notes`, { content: 'Still a customer' })
  undoImport(world.program.http, String(result.id), () => undefined)
  expect(count()).toBe(0)
  expect((await admin.get(`/api/contacts/${contact}`)).data).toMatchObject({ tags: [], name: null })

  await admin.delete(`/api/contacts/${contact}?purge=true`)
  await world.settle()
  const again = await importFrom(world.program.http, world.tenant.id, source, {
    ...{ isCheck: true, number: null, country: null, inviteAs: null, onProgress: () => undefined },
  })
  expect(reasonsOf(again.counts).map(({ reason }) => reason)).toContain('suppressed')
  again.close()
})

test('an import that is undone while it runs brings nothing more, and can run again', async () => {
  await using world = await World.create({ tenants: 1 })
  world.program.http.db.sqlite.run(`update accounts set phone_id = '${DUMP_NUMBER}'`)
  const source = await openWhatomate({ path: DUMP, media: null, organization: 'Fixture Shop' })
  const bring = (isCheck: boolean, onProgress: () => void) =>
    importFrom(world.program.http, world.tenant.id, source, {
      ...{ isCheck, number: null, country: null, inviteAs: null, onProgress },
    })
  const left = () =>
    world.rows(
      `select (select count(*) from contacts where deleted_at_ms is null) as contacts,
       (select count(*) from messages) as messages, (select count(*) from tags) as tags,
       (select group_concat(state) from product_imports) as state`,
    )
  let batches = 0
  const check = await bring(true, () => {
    batches += 1
  })
  check.close()
  const before = left()[0]
  const states = ['undone', 'undone,undone']
  for (const last of [4, batches]) {
    let nth = 0
    const stopped = await bring(false, () => {
      nth += 1
      const [row] = world.rows<{ id: string }>(
        "select id from product_imports where state = 'running'",
      )
      if (nth === last) undoImport(world.program.http, row?.id ?? '', () => undefined)
    }).catch(String)
    expect([nth, stopped]).toEqual([last, expect.stringContaining('was undone while it ran')])
    expect(left()).toEqual([{ ...before, state: states.shift() }])
  }
  await bring(false, () => undefined)
  expect(left()).toMatchObject([{ messages: 9, state: 'undone,undone,completed' }])
})

/** A contact of the dump that is here already. */
async function existing(world: World): Promise<string> {
  const { data } = await (
    await world.as('admin')
  ).post('/api/contacts', {
    phone_number: '+49 151 10000001',
  })
  return String(data['id'])
}
