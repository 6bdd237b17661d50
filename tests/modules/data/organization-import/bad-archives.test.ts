import { mkdirSync, symlinkSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'

import { ARCHIVE_VERSION } from '../../../../src/modules/data/organization-archive/archive-format'
import { upload } from '../../../support/files'
import {
  archiveOf,
  columnOf,
  packed,
  PASSPHRASE,
  smallArchive,
  type TestArchive,
} from '../../../support/organization-archive'
import { World } from '../../../support/world'

const IMPORT = '/api/admin/organizations/import'

let world: World
let before: unknown

const stored = (): unknown => [
  world.rows('select hex(id) as id, state from organizations'),
  world.rows('select hex(id) as id, email from users'),
  world.rows('select * from organization_imports'),
]

beforeAll(async () => {
  world = await World.create()
  before = stored()
})
afterAll(() => world.stop())
afterEach(() => expect(stored()).toEqual(before)) // nothing is written

/** Sends an archive and returns the answer in short. */
async function refusalOf(
  bytes: Uint8Array,
  fields: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const { status, body } = await upload(await world.as('super'), {
    ...{ bytes, fields, path: IMPORT, name: 'a.zip' },
    type: 'application/zip',
  })
  const { code, details } = body as { code?: string; details?: Record<string, unknown> }
  return { status, code, ...details }
}

const edited = async (edit: (archive: TestArchive) => void): Promise<Record<string, unknown>> => {
  const archive = await smallArchive(world)
  edit(archive)
  return refusalOf(await packed(archive))
}

/** Edits the first row of a part. */
const inRow = (table: string, edit: (line: unknown[], archive: TestArchive) => void) =>
  edited((archive) => edit(archive.parts.get(table)?.[0] as unknown[], archive))

describe('an archive with', () => {
  test('a wrong passphrase, or none', async () => {
    const bytes = await packed(await archiveOf(world, world.other))
    expect(await refusalOf(bytes, { passphrase: 'another passphrase' })).toEqual({
      status: 400,
      code: 'wrong_passphrase',
    })
    expect(await refusalOf(bytes)).toEqual({ status: 400, code: 'invalid_input' })
    expect(await refusalOf(bytes, { passphrase: PASSPHRASE, dry_run: 'false' })).toEqual({
      status: 409,
      code: 'organization_exists',
    })
  })

  test('a number that is connected in another organization', async () => {
    const archive = await archiveOf(world, world.other, { hasSecrets: false })
    archive.manifest.organization.id = '01ff0000-0000-8000-8000-000000000000'
    expect(await refusalOf(await packed(archive), { dry_run: 'false' })).toEqual({
      ...{ status: 400, code: 'number_in_use' },
      ...{ file: 'tables/accounts.ndjson', line: 1 },
    })
  })

  test('a number with the id of another organization’s, whose webhooks it could sign', async () => {
    const archive = await archiveOf(world, world.other, { hasSecrets: false })
    archive.manifest.organization.id = '01ff0000-0000-8000-8000-000000000000'
    const columns = archive.manifest.parts.find(({ table }) => table === 'accounts')?.columns ?? []
    const [line] = archive.parts.get('accounts') as [unknown[]]
    line[columns.findIndex(({ name }) => name === 'phone_id')] = '301000000009999'
    expect(await refusalOf(await packed(archive), { dry_run: 'false' })).toEqual({
      ...{ status: 400, code: 'number_in_use' },
      ...{ file: 'tables/accounts.ndjson', line: 1 },
    })
  })

  test('a newer format, of another product, or no archive at all', async () => {
    const archive = await smallArchive(world)
    const as = async (more: object) =>
      refusalOf(await packed(archive, (manifest) => ({ ...manifest, ...more })))
    expect(await as({ version: ARCHIVE_VERSION + 1 })).toEqual({
      ...{ status: 400, code: 'archive_newer' },
    })
    expect(await as({ version: 0 })).toMatchObject({ status: 400, code: 'archive_damaged' })
    expect(await as({ format: 'other' })).toEqual({ status: 400, code: 'not_an_archive' })
    const { manifest: _, ...rest } = archive
    expect(rest).toBeDefined()
    for (const text of ['', 'PK', 'a text that is no archive', '{"format":1}'])
      expect(await refusalOf(new TextEncoder().encode(text || ' '))).toEqual({
        status: 400,
        code: 'not_an_archive',
      })
  })

  test('missing or changed bytes', async () => {
    const bytes = await packed(await smallArchive(world))
    for (const length of [1, bytes.length >> 1, bytes.length - 1])
      expect(await refusalOf(bytes.slice(0, length))).toMatchObject({ status: 400 })
    // The directory and the end of the file hold times and sizes; rows and manifest are before it.
    const directory = Buffer.from(bytes).lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]))
    for (let at = 60; at < directory; at += Math.ceil(bytes.length / 40)) {
      const changed = bytes.slice()
      changed[at] = (changed[at] ?? 0) ^ 0x40
      const { status, code } = await refusalOf(changed)
      // A time in the header of an entry means nothing.
      if (status === 202) world.program.http.db.sqlite.run('delete from organization_imports')
      else
        expect([at, status, code]).toEqual([
          at,
          400,
          expect.stringMatching(/^(archive_damaged|not_an_archive)$/) as never,
        ])
    }
  })

  test('entries that are no files of an archive', async () => {
    const bytes = new TextEncoder().encode('[]\n')
    const withEntry = (name: string, mode?: number) =>
      edited(
        ({ extra }) => void extra.push({ name, bytes, ...(mode === undefined ? {} : { mode }) }),
      )
    for (const name of ['secret.key', 'tables/Users.ndjson', 'media/../../x', 'media/aa/short'])
      expect(await withEntry(name).catch(() => ({ status: 400 }))).toMatchObject({ status: 400 })
    expect(await withEntry(`media/00/${'0'.repeat(30)}`, 0o120_777)).toMatchObject({
      code: 'archive_damaged',
    })
    expect(await withEntry(`media/00/${'0'.repeat(30)}`)).toMatchObject({
      ...{ status: 400, code: 'archive_invalid' },
    })
    expect(await withEntry('tables/users.ndjson')).toMatchObject({ code: 'archive_damaged' })
    expect(await withEntry('tables/jobs.ndjson')).toMatchObject({ code: 'archive_invalid' })
    // A name that leads out of the archive is not even in the library's list.
    const traversal = Buffer.from(await packed(await smallArchive(world))).toString('latin1')
    const outside = traversal.replaceAll('tables/users.ndjson', '../../../etc/passwd')
    expect(await refusalOf(Buffer.from(outside, 'latin1'))).toMatchObject({ status: 400 })
  })

  test('parts that are larger than they say', async () => {
    const archive = await smallArchive(world)
    // 100 MB of zeros in 100 KB: the directory says what the manifest says, the bytes do not.
    const bomb = deflateRawSync(Buffer.alloc(100 * 1_024 * 1_024))
    const bytes = Buffer.from(await packed(archive))
    const start = bytes.indexOf('tables/roles.ndjson')
    const patched = Buffer.concat([bytes.subarray(0, start + 19), bomb, bytes.subarray(start + 19)])
    expect(await refusalOf(patched)).toMatchObject({ status: 400 })
    expect(
      await refusalOf(
        await packed(archive, (manifest) => ({
          ...manifest,
          parts: (manifest['parts'] as object[]).map((part) => ({ ...part, rows: 1 })),
        })),
      ),
    ).toMatchObject({ status: 400, code: 'archive_damaged' })
    expect(
      await edited(({ parts }) => parts.get('roles')?.push(`["${'x'.repeat(100_000)}"]`)),
    ).toMatchObject({ status: 400, code: 'archive_invalid', file: 'tables/roles.ndjson' })
  })

  test('parts and columns that this version does not know', async () => {
    const withPart = (table: string, kind: 'carried' | 'sums' = 'carried') =>
      edited(({ manifest, parts }) => {
        manifest.parts.push({
          ...{ table, kind, columns: [{ name: 'id', type: 'id' }], key: ['id'] },
          ...{ rows: 0, bytes: 0, sha256: '' },
        })
        parts.set(table, [])
      })
    for (const table of ['jobs', 'sessions', 'inbound_events', 'cost_totals', 'unknown_table'])
      expect(await withPart(table)).toMatchObject({
        ...{ status: 400, code: 'archive_invalid', file: `tables/${table}.ndjson` },
      })
    for (const name of ['organization_id', 'unknown_column'])
      expect(
        await edited(({ manifest, parts }) => {
          manifest.parts.find(({ table }) => table === 'roles')?.columns.push({ name, type: 'id' })
          for (const line of parts.get('roles') ?? []) (line as unknown[]).push(world.tenant.id)
        }),
      ).toMatchObject({ status: 400, code: 'archive_invalid', file: 'tables/roles.ndjson' })
  })

  test('a row of another organization', async () => {
    expect(
      await edited(({ manifest, parts }) => {
        const part = manifest.parts.find(({ table }) => table === 'organizations')
        part?.columns.push({ name: 'id', type: 'id' })
        for (const line of parts.get('organizations') ?? [])
          (line as unknown[]).push(world.tenant.id)
      }),
    ).toEqual({
      ...{ status: 400, code: 'archive_invalid' },
      ...{ file: 'tables/organizations.ndjson', line: 1 },
    })
  })

  test('rows that do not fit', async () => {
    const at = { status: 400, code: 'archive_invalid', file: 'tables/roles.ndjson', line: 1 }
    const set = (column: string, value: unknown) =>
      inRow('roles', (line, archive) => (line[columnOf(archive, 'roles', column)] = value))
    expect(await set('name', 7)).toMatchObject(at)
    expect(await set('name', null)).toMatchObject(at)
    expect(await set('id', 'no id')).toMatchObject(at)
    expect(await set('created_at_ms', 1.5)).toMatchObject(at)
    expect(await inRow('roles', (line) => void line.pop())).toMatchObject(at)
    expect(
      await edited(({ parts }) => void parts.get('roles')?.splice(0, 1, '{"name":"x"}')),
    ).toMatchObject(at)
    expect(
      await edited(({ parts }) => void parts.get('roles')?.splice(0, 1, '["x"')),
    ).toMatchObject(at)
    expect(
      await inRow('users', (line, archive) => (line[columnOf(archive, 'users', 'email')] = 'x')),
    ).toMatchObject({ code: 'archive_invalid', file: 'tables/users.ndjson', line: 1 })
  })

  test('values that its columns do not take, by file, line and field', async () => {
    const wrong: [table: string, column: string, value: unknown][] = [
      ['organizations', 'created_at_ms', 9e15],
      ['organizations', 'timezone', 'Mars/Olympus'],
      ['organizations', 'name', ''],
      ['organizations', 'name', 'x'.repeat(100_000)],
      ['organizations', 'slug', 'a b/../"'],
      ['organizations', 'default_country', 'zz'],
      ['organizations', 'spend', '{"monthlyMicros":"much"}'],
      ['organizations', 'registration_policy', 'everybody'],
      ['organizations', 'mask_phone_numbers', 2],
      ['roles', 'updated_at_ms', 9e15],
      ['roles', 'name', 'x'.repeat(1_000)],
      ['role_permissions', 'permission', 'root:everything'],
      ['memberships', 'created_at_ms', -9e15],
      ['users', 'language', 'not a language'],
      ['users', 'ui', '['.repeat(1_000) + ']'.repeat(1_000)],
    ]
    for (const [table, column, value] of wrong)
      expect(
        await inRow(table, (line, archive) => (line[columnOf(archive, table, column)] = value)),
      ).toEqual({
        ...{ status: 400, code: 'archive_invalid' },
        ...{ file: `tables/${table}.ndjson`, line: 1, field: column },
      })
  })

  test('a membership of a person who is no member in it, such as somebody of this installation', async () => {
    const victim = world.tenant.userIds.agent
    const refusal = await edited((archive) => {
      const at = (table: string, column: string) => columnOf(archive, table, column)
      const [person] = (archive.parts.get('users') ?? []) as unknown[][]
      const former = person?.[at('users', 'id')]
      for (const line of (archive.parts.get('memberships') ?? []) as unknown[][])
        if (line[at('memberships', 'user_id')] === former)
          line[at('memberships', 'user_id')] = victim
      if (!person) return
      person[at('users', 'id')] = victim
      person[at('users', 'email')] = null
      person[at('users', 'is_member')] = 0
    })
    expect(refusal).toMatchObject({
      ...{ status: 400, code: 'archive_invalid' },
      ...{ file: 'tables/memberships.ndjson', field: 'user_id' },
    })
  })

  test('a row that refers to a row of nobody, or of another organization', async () => {
    for (const id of [world.tenant.roleIds.admin, world.other.userIds.agent])
      expect(
        await inRow(
          'memberships',
          (line, archive) => (line[columnOf(archive, 'memberships', 'role_id')] = id),
        ),
      ).toEqual({
        ...{ status: 400, code: 'archive_invalid' },
        ...{ file: 'tables/memberships.ndjson', line: 1 },
      })
  })

  test('a path that is not below the folder for incoming files', async () => {
    const { incomingFolder } = world.program.http
    mkdirSync(incomingFolder ?? '', { recursive: true })
    symlinkSync(import.meta.path, `${incomingFolder}/link.zip`)
    symlinkSync('/etc', `${incomingFolder}/folder`)
    const superAdmin = await world.as('super')
    const outside = ['../x.zip', '/etc/passwd', 'link.zip', 'folder/passwd', 'missing.zip', '.']
    for (const path of outside) {
      const { status, body } = await superAdmin.post(IMPORT, { path })
      expect([path, status, body.code]).toEqual([path, 400, 'invalid_input'])
    }
    expect((await superAdmin.post(IMPORT, {})).status).toBe(400)
  })
})
