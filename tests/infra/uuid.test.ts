import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'

import { and, eq, gt, sql } from 'drizzle-orm'

import {
  bytesToUuid,
  LAST_UUID,
  opaqueUuid,
  uuidPlaceholder,
  uuidsIn,
} from '../../src/infra/db/uuid'
import { uuidToBytes, uuidValue } from '../../src/infra/db/uuid'
import { wrapDb } from '../../src/infra/db/connection'
import { systemClock } from '../../src/lib/clock'
import { timeSortedIds } from '../../src/lib/ids'
import { roles } from '../../src/modules/organization/roles/table'
import { idNamed, storedId } from '../support/ids'
import { readRows } from '../support/sql'
import { freshDatabase } from '../support/world'

const made = timeSortedIds(systemClock)

/** Random UUIDs, and those that the server makes, whose end is not stored. */
const KINDS = [() => crypto.randomUUID(), () => made.next(), () => made.short()]
const IDS = Array.from({ length: 300 }, (_, nth) => KINDS[nth % 3]?.() ?? '')

const NO_BITS = '00000000-0000-0000-0000-000000000000'

describe('the bytes of a UUID', () => {
  test('are read back as the same text', () => {
    expect(IDS.map((id) => bytesToUuid(uuidToBytes(id)))).toEqual(IDS)
    expect(bytesToUuid(uuidToBytes(IDS.map((id) => id.toUpperCase())[0] ?? ''))).toBe(IDS[0] ?? '')
  })

  test('are 8 of an ID that the server makes, 4 of that of an organization', () => {
    expect(IDS.slice(0, 4).map((id) => uuidToBytes(id).length)).toEqual([16, 8, 4, 16])
    expect(made.short()).toMatch(/^[0-9a-f]{8}-0000-8000-8000-0{12}$/)
    expect(uuidToBytes('01900000-0000-7000-8000-010000000000')).toHaveLength(16)
    expect(bytesToUuid(uuidToBytes(NO_BITS))).toBe(NO_BITS)
  })

  test.each([
    ['ffffffff-0000-8000-8000-000000000000', 4],
    ['ffffffff-0001-8000-8000-000000000000', 16],
    ['ffffffff-ff00-7000-8000-000000000000', 8],
    ['ffffffff-ff00-7fff-8f00-000000000000', 8],
    ['FFFFFFFF-FF00-7FFF-8F00-000000000000', 8],
    ['ffffffff-ff00-7fff-8ff0-000000000000', 16],
    ['ffffffff-ff00-7000-9000-000000000000', 16],
    ['ffffffff-ff00-8000-8000-000000000000', 16],
    ['ffffffff-ff00-7000-8000-000000000001', 16],
    ['ffffffff-ffff-ffff-8000-800000000000', 16],
  ])('of %s are %i, in the program and in SQL', (id, bytes) => {
    expect(uuidToBytes(id)).toHaveLength(bytes)
    expect(bytesToUuid(uuidToBytes(id))).toBe(id.toLowerCase())
    const stored = new Database().query(`select ${storedId(`'${id}'`)} as id`).get()
    expect(stored).toEqual({ id: uuidToBytes(id) })
  })

  test('sort as the texts do, after nothing and before the last one', () => {
    const sorted = ['', ...IDS.toSorted(), LAST_UUID]
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
      .where(and(eq(roles.organizationId, opaqueUuid('organizationId')), condition))
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
    ).toEqual([
      { type: 'blob', n: 4 },
      { type: 'blob', n: 8 },
      { type: 'blob', n: 16 },
    ])
    expect(found(sql`1`)).toEqual([first, second, third])
  })

  test('is compared with values, placeholders and lists', () => {
    expect(found(eq(roles.id, second))).toEqual([second])
    expect(found(eq(roles.id, uuidPlaceholder('id')), { id: third })).toEqual([third])
    expect(found(gt(roles.id, opaqueUuid('after')), { after: first })).toEqual([second, third])
    expect(found(gt(roles.id, opaqueUuid('after')), { after: '' })).toHaveLength(3)
    expect(found(sql`${roles.id} > ${uuidValue(second)}`)).toEqual([third])
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
