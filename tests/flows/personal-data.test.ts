import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openDb } from '../../src/infra/db/connection'
import { encryptionContextOf } from '../../src/infra/idempotency/store'
import { idempotencyKeys } from '../../src/infra/idempotency/table'
import { unpackBody } from '../../src/platform/webhook/pack-body'
import { Client, type Loose } from '../support/client'
import { enliven } from '../support/lively-organization'
import { MarkedPeople, type Cell } from '../support/marked-people'
import { entriesOf, unzipped } from '../support/privacy-export'
import { Receiver } from '../support/receiver'
import { freshDatabase, World } from '../support/world'

const folder = mkdtempSync(join(tmpdir(), 'personal-data-'))
const receiver = new Receiver()
const env = { SMTP_URL: 'smtp://127.0.0.1:9', EGRESS_ALLOW: new URL(receiver.url).host }
let world: World
let people: MarkedPeople

beforeAll(async () => {
  const path = join(folder, 'switchboard.sqlite')
  writeFileSync(path, freshDatabase().serialize())
  world = await World.create({
    tenants: 1,
    env,
    db: openDb(path, { synchronous: 'normal', cacheMib: 8 }),
  })
  await enliven(world, receiver.url)
  people = new MarkedPeople(world)
}, 120_000)

afterAll(async () => {
  await world.stop()
  await receiver[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** All bytes of the data folder and of the file store. */
function bytes(): string {
  const files = (at: string): string[] =>
    readdirSync(at, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  return [...files(folder), ...files(world.filesFolder)]
    .map((path) => readFileSync(path).toString('latin1'))
    .join('\n')
}

const placesOf = (markers: Iterable<string>): string[] =>
  [...new Set([...markers].map((marker) => people.cells.get(marker)?.place ?? marker))].toSorted()

test('every personal column has a marker', () => {
  expect(people.unmarked).toEqual([])
  const stored = bytes()
  expect(placesOf([...people.cells.keys()].filter((marker) => !stored.includes(marker)))).toEqual(
    [],
  )
})

const contactsIn = (): string[] =>
  world
    .rows<{ id: string }>('select id from contacts where merged_into is null order by row')
    .map(({ id }) => id)

/** Returns all text of the export that a person gets. */
async function exportOf(id: string): Promise<Map<string, string>> {
  const admin = await world.as('admin')
  const { data } = await admin.post(`/api/contacts/${id}/privacy-export`)
  await world.settle()
  return await entriesOf(world, admin, String(data['id']))
}

const exported = (): [marker: string, cell: Cell][] =>
  [...people.cells].filter(([, cell]) => cell.class === 'personal' && !cell.isWithheld)

/**
 * Requires that the export of each person holds every personal value of that person, and no other.
 * Of two joined conversations only the first and the last ad count.
 */
async function requireExports(ids: string[], { isMerged = false } = {}): Promise<void> {
  const isLeft = ({ place }: Cell): boolean =>
    isMerged && /^conversations\.(first|last)_referral$/.test(place)
  for (const id of ids) {
    const text = [...(await exportOf(id)).values()].join('\n')
    const isOf = new Map([...people.cells].map(([marker, cell]) => [marker, people.isOf(cell, id)]))
    const missing = exported().filter(
      ([marker, cell]) => isOf.get(marker) && !text.includes(marker) && !isLeft(cell),
    )
    expect(placesOf(missing.map(([marker]) => marker))).toEqual([])
    const foreign = [...isOf].filter(([marker, isTheirs]) => !isTheirs && text.includes(marker))
    expect(placesOf(foreign.map(([marker]) => marker))).toEqual([])
  }
}

test('the export that a person gets holds every personal value of that person, and no other', () =>
  requireExports(contactsIn()))

test('an archive holds every value of the tables that travel', async () => {
  const superAdmin = await world.as('super')
  const { id } = world.tenant
  const { data } = await superAdmin.post(`/api/organizations/${id}/archive`, {})
  await world.settle()
  const path = `/api/organizations/${id}/archives/${data['id']}/download`
  const text = [...(await unzipped(world, superAdmin, path)).values()].join('\n')
  const missing = [...people.cells].filter(
    ([marker, { kind }]) => kind === 'carried' && !text.includes(marker),
  )
  expect(placesOf(missing.map(([marker]) => marker))).toEqual([])
})

const contactOf = async (id: string): Promise<Loose> =>
  JSON.parse((await exportOf(id)).get('contact.json') ?? '{}') as Loose

/** Personal fields that a merge does not simply fill. */
const OTHERWISE = ['metadata', 'attributes', 'marketing_consent', 'undeliverable_since_ms']

/** Fields of a contact that a merge fills, as the export names them. */
const filled = (): string[] => {
  const contacts = people.tables.find(({ table }) => table === 'contacts')
  const personal = (contacts?.declared ?? [])
    .filter((column) => column.class === 'personal' && column.withheld === null)
    .map(({ name }) => name)
    .filter((name) => !OTHERWISE.includes(name))
  return [...personal, 'wa_id', 'account_id'].map((name) => name.replace(/_ms$/, ''))
}

/** Merges a contact into another one. */
async function merged(target: string, source: string): Promise<void> {
  const { status } = await (
    await world.as('admin')
  ).post(`/api/contacts/${target}/merge`, { source_id: source })
  expect(status).toBe(200)
  await world.settle()
}

/** The people in whom all contacts end. */
let bare: string
let crowd: string

test('of two merged contacts the one that remains keeps its own values and takes those it has not', async () => {
  const admin = await world.as('admin')
  const [first = '', second = '', third = '', ...others] = contactsIn()
  crowd = second
  bare = String((await admin.post('/api/contacts', { phone_number: '+4915112349999' })).data['id'])
  for (const [target, source] of [
    [bare, first],
    [crowd, third],
  ] as const) {
    const [before, other] = [await contactOf(target), await contactOf(source)]
    await merged(target, source)
    const after = await contactOf(target)
    const fields = filled()
    expect(fields.length).toBeGreaterThan(12)
    expect(fields.map((field) => [field, after[field]])).toEqual(
      fields.map((field) => [field, before[field] ?? other[field]]),
    )
    for (const json of ['metadata', 'attributes'])
      expect(after[json]).toEqual({ ...(other[json] as object), ...(before[json] as object) })
  }
  for (const source of others) await merged(crowd, source)
  await requireExports([bare, crowd], { isMerged: true })
})

/** Erases a person and waits for the receipt. */
async function erase(id: string): Promise<void> {
  const admin = await world.as('admin')
  const asked = await admin.post(`/api/contacts/${id}/erase`, { confirm: id })
  expect([asked.status, asked.body.message]).toEqual([201, undefined])
  await world.settle()
  const { data } = await admin.get(`/api/privacy/requests/${asked.data['id']}`)
  expect(data['state']).toBe('completed')
}

/** Returns the columns in which markers of a person are left, in any byte or line of the log. */
function leftOf(id: string): string[] {
  const left = bytes() + world.logLines.join('\n')
  const found = [...people.cells].filter(
    ([marker, cell]) =>
      people.isOf(cell, id) &&
      (cell.place.endsWith('.stored_as')
        ? existsSync(join(world.filesFolder, marker))
        : left.includes(marker)),
  )
  return placesOf(found.map(([marker]) => marker))
}

/** What the values say in which people are only mentioned, by table. */
const MENTIONS: Record<string, () => string[]> = {
  chatbot_settings: () => textsIn('chatbot_settings', 'fields'),
  exports: () => textsIn('exports', 'options'),
  idempotency_keys: () => {
    const { db, vault } = world.program.http
    const rows = db.orm.select().from(idempotencyKeys).all()
    return rows.flatMap((row) =>
      row.answerSealed === null ? [] : [vault.open(row.answerSealed, encryptionContextOf(row))],
    )
  },
  inbound_bodies: () =>
    world
      .rows<{ body: Uint8Array }>('select body from inbound_bodies')
      .map(({ body }) => unpackBody(body).toString('utf8')),
  inbound_events: () => textsIn('inbound_events', 'outcomes', 'last_error'),
  inbound_staging: () => textsIn('inbound_staging', 'body'),
  views: () => textsIn('views', 'filter'),
}

const textsIn = (table: string, ...columns: string[]): string[] =>
  world
    .rows<Record<string, string | null>>(`select ${columns.join(', ')} from ${table}`)
    .flatMap((row) => Object.values(row).filter((text) => text !== null))

/** Lets all these values mention a person. Returns the texts that they hold. */
async function mention(id: string): Promise<string[]> {
  const admin = await world.as('admin')
  const [{ number } = { number: '' }] = world.rows<{ number: string }>(
    'select phone_number as number from contacts where id = ?',
    id,
  )
  const keyed = new Client(world.url, { ...admin.headers, 'idempotency-key': 'mentioned' })
  const answers = [
    await keyed.post(`/api/contacts/${id}/notes`, { content: `Call +${number}` }),
    await admin.put('/api/chatbot/settings', { excluded_numbers: [number] }),
    await admin.post('/api/export', { table: 'contacts', filters: { search: number } }),
    await admin.post('/api/views', {
      ...{ name: 'One', resource: 'contacts', filter: { search: number } },
    }),
  ]
  expect(answers.map(({ status }) => status < 300)).toEqual([true, true, true, true])
  await world.simulator.customer({ phone: world.tenant.phoneId, waId: number }).says('Me again')
  await world.settle()
  const outcome = { kind: 'message', index: 0, outcome: 'failed', reason: `refused ${number}` }
  world.program.http.db.sqlite.run(
    'update inbound_events set outcomes = ?, last_error = ? where id = (select max(id) from inbound_events)',
    [JSON.stringify([outcome]), outcome.reason],
  )
  return [number]
}

const mentioning = (texts: string[]): string[] =>
  Object.keys(MENTIONS).filter((table) =>
    MENTIONS[table]?.().some((value) => texts.some((text) => value.includes(text))),
  )

test('an erasure leaves no byte of the person, and everything of another one', async () => {
  const admin = await world.as('admin')
  const { data: campaigns } = await admin.get('/api/campaigns?limit=100')
  for (const { id } of campaigns['items'] as Loose[])
    await admin.post(`/api/campaigns/${id}/cancel`)
  await world.settle()
  await erase(bare)
  expect(leftOf(bare)).toEqual([])
  await requireExports([crowd], { isMerged: true })
  const mentioned = world.program.http.tables.filter(
    (fate) => 'erased' in fate.people && fate.people.erased === 'mentions',
  )
  expect(mentioned.map(({ table }) => table).toSorted()).toEqual(Object.keys(MENTIONS))
  const texts = await mention(crowd)
  const isAtRest = (table: string): boolean => table !== 'inbound_staging' // empty between deliveries
  expect(mentioning(texts)).toEqual(Object.keys(MENTIONS).filter(isAtRest))
  await erase(crowd)
  expect(leftOf(crowd)).toEqual([])
  expect(mentioning(texts)).toEqual([])
  // Events that tell of the erasure are as new as it is, and hold ids alone.
  expect(people.leftOf([bare, crowd])).toEqual(['events'])
  expect(
    world.rows(
      "select type from events where contact_id is not null and type not in ('contact.deleted', 'conversation.changed')",
    ),
  ).toEqual([])
  const { sqlite } = world.program.http.db
  sqlite.run("create virtual table temp.words using fts5vocab('main', 'message_search', 'row')")
  expect(world.rows("select term from temp.words where term like '%qz'")).toEqual([])
})
