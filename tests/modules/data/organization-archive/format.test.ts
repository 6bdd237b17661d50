import { expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'

import {
  ARCHIVE_ENTRIES,
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  ARCHIVED_FILE,
  ArchiveManifest,
  USERS_PART,
} from '../../../../src/modules/data/organization-archive/archive-format'
import {
  ArchivedValueError,
  fromArchived,
  toArchived,
} from '../../../../src/modules/data/organization-archive/archive-values'
import {
  archivedSecretContext,
  createArchiveKey,
  deriveArchiveKey,
  sealerOf,
  storedSecretContext,
} from '../../../../src/modules/data/organization-archive/archive-secrets'
import {
  USER_COLUMNS,
  USER_KEY,
} from '../../../../src/modules/data/organization-archive/archive-users'

const ID = '0198c0de-1234-7abc-8d00-000000000000'

test('every value comes back as it was stored', () => {
  const values = [
    [null, 'integer', null],
    [42, 'integer', 42],
    [2n ** 63n - 1n, 'integer', '9223372036854775807'],
    [-(2n ** 63n), 'integer', '-9223372036854775808'],
    [0.1, 'real', 0.1],
    [Infinity, 'real', 'Infinity'],
    ['a \u0000 "b"\n😀', 'text', 'a \u0000 "b"\n😀'],
    [Uint8Array.fromHex('0198c0de12347abc8d00000000000000'), 'id', ID],
  ] as const
  for (const [stored, type, archived] of values) {
    expect(toArchived(stored, type)).toEqual(archived)
    const line = JSON.stringify([toArchived(stored, type)])
    expect(fromArchived((JSON.parse(line) as unknown[])[0], type)).toEqual(stored)
  }
})

test('refuses an integer that lost digits, and values of another type', () => {
  expect(() => toArchived(2 ** 53, 'integer')).toThrow(RangeError)
  for (const [value, type] of [
    [1.5, 'integer'],
    ['1e3', 'integer'],
    ['9223372036854775808', 'integer'],
    [true, 'integer'],
    [1, 'text'],
    [{}, 'text'],
    ['NaN', 'real'],
    ['0198c0de', 'id'],
    [['x'], 'id'],
  ] as const)
    expect(() => fromArchived(value, type)).toThrow(ArchivedValueError)
})

test('a secret opens with its passphrase, in its own row only', async () => {
  const { encryption, key } = await createArchiveKey('correct horse battery', (bytes) =>
    new Uint8Array(bytes).fill(7),
  )
  const at = { organizationId: ID, table: 'accounts', column: 'pin_sealed', key: [ID] }
  const sealed = sealerOf(key).seal('123456', archivedSecretContext(at))

  expect(encryption).toMatchObject({ memory_kib: 65_536, passes: 3, parallelism: 1 })
  const again = await deriveArchiveKey('correct horse battery', encryption)
  expect(again.encryption).toEqual(encryption)
  expect(sealerOf(again.key).open(sealed, archivedSecretContext(at))).toBe('123456')
  expect(() =>
    sealerOf(again.key).open(sealed, archivedSecretContext({ ...at, key: ['another'] })),
  ).toThrow()

  const wrong = await deriveArchiveKey('another passphrase', encryption)
  expect(wrong.encryption.key_id).not.toBe(encryption.key_id)
  expect(sealerOf(wrong.key).knows(sealed)).toBe(false)
})

test('a manifest names every part, and nothing that is no name', () => {
  const sha256 = 'a'.repeat(64)
  const users = { table: USERS_PART, kind: 'users', key: USER_KEY, rows: 0, bytes: 0, sha256 }
  const manifest = {
    format: ARCHIVE_FORMAT,
    version: ARCHIVE_VERSION,
    ...{ product_version: '1.0.0', schema_version: '0000', as_of: '2026-11-27T10:00:00.000Z' },
    organization: { id: ID, slug: 'acme', name: 'Acme' },
    encryption: null,
    parts: [{ ...users, columns: USER_COLUMNS }],
    files: { is_included: true, files: 0, bytes: 0, missing: 0, sha256 },
    totals: [{ table: 'contact_counts', column: 'contacts', total: 3 }],
    event_seq: 7,
    secrets_left: [{ table: 'accounts', column: 'pin_sealed', rows: 1 }],
  }
  const isValid = (value: unknown): boolean => Value.Check(ArchiveManifest, value)

  expect(isValid(manifest)).toBe(true)
  for (const version of [0, 1.5, ARCHIVE_VERSION + 1])
    expect(isValid({ ...manifest, version })).toBe(false)
  expect(isValid({ ...manifest, parts: [{ ...manifest.parts[0], table: '../x' }] })).toBe(false)
  expect(ARCHIVE_ENTRIES.part('users')).toBe('tables/users.ndjson')
  const storedAs = `ab/${'0'.repeat(30)}`
  expect(ARCHIVED_FILE.test(storedAs)).toBe(true)
  expect(ARCHIVE_ENTRIES.file(storedAs)).toBe(`media/${storedAs}`)
  expect(storedSecretContext('{organization_id}/x/{id}', (column) => `<${column}>`)).toBe(
    '<organization_id>/x/<id>',
  )
})
