import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'

import { and, eq, gt, sql } from 'drizzle-orm'

import { bytesToUuid, uuidToBytes, LAST_UUID, NIL_UUID } from '../../src/infra/db/uuid'
import { place, uuidsIn } from '../../src/infra/db/compiled'
import { wrapDb } from '../../src/infra/db/connection'
import { systemClock } from '../../src/lib/clock'
import { timeSortedIds } from '../../src/lib/ids'
import { roles } from '../../src/modules/organization/roles/table'
import { idNamed, storedId } from '../support/ids'
import { readRows } from '../support/sql'
import { freshDatabase } from '../support/world'

const made = timeSortedIds(systemClock)

/** Random UUIDs, and those that the server makes. */
const KINDS = [() => crypto.randomUUID(), () => made.next(), () => made.random()]
const IDS = Array.from({ length: 300 }, (_, nth) => KINDS[nth % 3]?.() ?? '')

describe('the IDs that the server makes', () => {
  test('are UUIDs of version 7 with their time, in the order in which they are made', () => {
    const clock = { ...systemClock, nowMs: () => 1_700_000_000_000 }
    const source = timeSortedIds(clock)
    const ids = Array.from({ length: 10_000 }, () => source.next())
    expect(ids).toEqual([...new Set(ids)].toSorted())
    for (const id of ids.slice(0, 10))
      expect(id).toMatch(/^018bcfe5-680\d-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(ids.map((id) => id.slice(-12))).size).toBe(ids.length)
  })

  test('are UUIDs of version 4 where nobody may guess one', () => {
    expect(made.random()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/)
  })
})

describe('the bytes of a UUID', () => {
  test('are all 16, and are read back as the same text', () => {
    expect(new Set(IDS.map((id) => uuidToBytes(id).length))).toEqual(new Set([16]))
    expect(IDS.map((id) => bytesToUuid(uuidToBytes(id)))).toEqual(IDS)
    expect(bytesToUuid(uuidToBytes(IDS.map((id) => id.toUpperCase())[0] ?? ''))).toBe(IDS[0] ?? '')
  })

  test.each([...IDS.slice(0, 3), LAST_UUID])('of %s are the same in SQL', (id) => {
    const stored = new Database().query(`select ${storedId(`'${id}'`)} as id`).get()
    expect(stored).toEqual({ id: uuidToBytes(id) })
  })

  test('are none for the beginning of a scan', () => {
    expect(uuidToBytes('')).toEqual(new Uint8Array(0))
  })

  test('sort as the texts do, after nothing and before the last one', () => {
    const sorted = ['', NIL_UUID, ...IDS.toSorted(), LAST_UUID]
    expect(sorted.toSorted((a, b) => Buffer.compare(uuidToBytes(a), uuidToBytes(b)))).toEqual(
      sorted,
    )
  })

  test.each([
    'not-an-id',
    '0123456789abcdef',
    '01900000000070008000000000000001',
    '01900000-0000-7000-8000-00000000000g',
    '01900000-0000-7000-8000+000000000001',
    '01900000-0000-7000-80000-00000000001',
    '01900000-0000-7000-8000-00000000000é',
    '01900000-0000-7000-8000-0000000000011',
    '01900000-0000-7000+8000-000000000000',
    '0190000g-0000-7000-8000-000000000000',
  ])('are refused for %s', (text) => {
    expect(() => uuidToBytes(text)).toThrow(TypeError)
  })
})

describe('a column of UUIDs', () => {
  const db = wrapDb(freshDatabase(), { synchronous: 'normal', cacheMib: 2 })
  db.sqlite.run('pragma foreign_keys = off')
  const organizationId = idNamed('org')
  const row = (id: string) => ({
    ...{ organizationId, id, name: id, nameKey: id.slice(1), isSystem: false, isDefault: false },
    ...{ createdAtMs: 1, updatedAtMs: 1 },
  })
  db.orm.insert(roles).values(IDS.slice(0, 3).map(row)).run()
  const [first = '', second = '', third = ''] = IDS.slice(0, 3).toSorted()
  const found = (condition: ReturnType<typeof sql>, values: Record<string, unknown> = {}) =>
    db.orm
      .select({ id: roles.id })
      .from(roles)
      .where(
        and(eq(roles.organizationId, place(roles.organizationId, 'organizationId')), condition),
      )
      .orderBy(roles.id)
      .prepare()
      .all({ organizationId, ...values })
      .map(({ id }) => id)

  test('holds bytes, and text in the program', () => {
    expect(
      readRows(
        db.sqlite,
        'select distinct typeof(id) as type, length(id) as n from roles order by n',
      ),
    ).toEqual([{ type: 'blob', n: 16 }])
    expect(found(sql`1`)).toEqual([first, second, third])
  })

  test('is compared with values, placeholders and lists', () => {
    expect(found(eq(roles.id, second))).toEqual([second])
    expect(found(eq(roles.id, place(roles.id, 'id')), { id: third })).toEqual([third])
    expect(found(gt(roles.id, place(roles.id, 'after')), { after: first })).toEqual([second, third])
    expect(found(gt(roles.id, place(roles.id, 'after')), { after: '' })).toHaveLength(3)
    expect(found(sql`${roles.id} > ${sql.param(second, roles.id)}`)).toEqual([third])
    expect(found(sql`${roles.id} in ${uuidsIn(JSON.stringify([first, third]))}`)).toEqual([
      first,
      third,
    ])
    expect(found(sql`${roles.id} in ${uuidsIn(sql.placeholder('ids'))}`, { ids: '["x"]' })).toEqual(
      [],
    )
  })

  test('cannot be compared with a text in a test', () => {
    expect(() => found(sql`${roles.id} = ${first}`)).toThrow('bound as text')
    expect(() => found(eq(roles.id, sql.placeholder('id')), { id: first })).toThrow('bound as text')
  })
})
