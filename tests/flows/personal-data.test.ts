import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openDb } from '../../src/infra/db/connection'
import { filledAtMerge } from '../../src/infra/db/define-table'
import { contacts } from '../../src/modules/contacts/table'
import type { Loose } from '../support/client'
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
async function requireExports({ isMerged = false } = {}): Promise<void> {
  const isLeft = ({ place }: Cell): boolean =>
    isMerged && /^conversations\.(first|last)_referral$/.test(place)
  for (const id of contactsIn()) {
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
  requireExports())

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

/** Fields of a contact that a merge fills, as the export names them. */
const FILLED = filledAtMerge(contacts).map((key) =>
  key.replace(/Ms$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
)

test('of two merged contacts the one that remains keeps its own values and takes those it has not', async () => {
  const admin = await world.as('admin')
  const { data: bare } = await admin.post('/api/contacts', { phone_number: '+4915112349999' })
  const [first = '', second = '', third = ''] = contactsIn()
  for (const [target, source] of [
    [String(bare['id']), first],
    [second, third],
  ] as const) {
    const [before, other] = [await contactOf(target), await contactOf(source)]
    const { status } = await (
      await world.as('admin')
    ).post(`/api/contacts/${target}/merge`, { source_id: source })
    expect(status).toBe(200)
    await world.settle()
    const after = await contactOf(target)
    const expected = FILLED.map((field) => [field, before[field] ?? other[field]])
    expect(FILLED.map((field) => [field, after[field]])).toEqual(expected)
    for (const json of ['metadata', 'attributes'])
      expect(after[json]).toEqual({ ...(other[json] as object), ...(before[json] as object) })
  }
  await requireExports({ isMerged: true })
})

test('an erasure leaves no byte of any of them', async () => {
  const admin = await world.as('admin')
  const { data: campaigns } = await admin.get('/api/campaigns?limit=100')
  for (const { id } of campaigns['items'] as Loose[])
    await admin.post(`/api/campaigns/${id}/cancel`)
  await world.settle()
  const ids = contactsIn()
  for (const id of ids) {
    const { status, body } = await (
      await world.as('admin')
    ).post(`/api/contacts/${id}/erase`, { confirm: id })
    expect([status, body.message]).toEqual([201, undefined])
  }
  await world.settle()
  expect(
    world.rows("select state from privacy_requests where kind = 'erase' and state <> 'completed'"),
  ).toEqual([])
  const left = bytes() + world.logLines.join('\n')
  const found = [...people.cells].filter(([marker, { place }]) =>
    place.endsWith('.stored_as')
      ? existsSync(join(world.filesFolder, marker))
      : left.includes(marker),
  )
  expect(placesOf(found.map(([marker]) => marker))).toEqual([])
  // Events that tell of the erasure are as new as it is, and hold ids alone.
  expect(people.leftOf(ids)).toEqual(['events'])
  expect(
    world.rows('select distinct type from events where contact_id is not null order by type'),
  ).toEqual([{ type: 'contact.deleted' }, { type: 'conversation.changed' }])
  const { sqlite } = world.program.http.db
  sqlite.run("create virtual table temp.words using fts5vocab('main', 'message_search', 'row')")
  expect(world.rows("select term from temp.words where term like '%qz'")).toEqual([])
})
