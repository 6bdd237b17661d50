import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { INSTALLATION, systemCtx } from '../../../../src/infra/ctx'
import {
  ARCHIVE_VERSION,
  type ArchiveColumnType,
} from '../../../../src/modules/data/organization-archive/archive-format'
import {
  RowReader,
  type RowToStore,
} from '../../../../src/modules/data/organization-import/archive/row-reader'
import { SecretReader } from '../../../../src/modules/data/organization-import/archive/secrets'
import { importFromCell } from '../../../../src/modules/data/organization-import/start'
import type { Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import {
  columnOf,
  packed,
  PASSPHRASE,
  smallArchive,
  type TestArchive,
} from '../../../support/organization-archive'
import { World } from '../../../support/world'

const IMPORT = '/api/admin/organizations/import'
const OLDER = ARCHIVE_VERSION - 1

let world: World
let archive: TestArchive

beforeEach(async () => {
  world = await World.create()
  archive = await smallArchive(world)
  archive.manifest.version = OLDER
  archive.manifest.organization.slug = 'older'
  const slug = columnOf(archive, 'organizations', 'slug')
  for (const line of archive.parts.get('organizations') ?? []) (line as unknown[])[slug] = 'older'
})
afterEach(() => world.stop())

/** Adds a column with a value in each row, as if a version before this one had it. */
function addColumn(
  table: string,
  name: string,
  { type, value }: { type: ArchiveColumnType; value: unknown } = {
    type: 'text',
    value: 'x'.repeat(100_000),
  },
): void {
  archive.manifest.parts.find((part) => part.table === table)?.columns.push({ name, type })
  for (const line of archive.parts.get(table) ?? []) (line as unknown[]).push(value)
}

/** Adds a table with two rows. */
function addTable(table: string): void {
  archive.manifest.parts.push({
    ...{ table, kind: 'carried', columns: [{ name: 'id', type: 'id' }], key: ['id'] },
    ...{ rows: 0, bytes: 0, sha256: '' },
  })
  archive.parts.set(table, [[world.tenant.id], [world.other.id]])
}

const sent = async (edit?: (manifest: Record<string, unknown>) => unknown) =>
  upload(await world.as('super'), {
    ...{ bytes: await packed(archive, edit), path: IMPORT, name: 'a.zip' },
    ...{ fields: { passphrase: PASSPHRASE }, type: 'application/zip' },
  })

describe('an archive in an older format', () => {
  test('is imported without tables and columns that do not exist any more, and says so', async () => {
    addColumn('roles', 'former_color')
    addColumn('roles', 'former_size')
    addTable('former_things')
    addTable('exports') // exists, and does not travel
    const warnings = [
      {
        ...{ kind: 'left_out', file: 'tables/roles.ndjson' },
        message:
          'This version has no column `former_color` or `former_size` of `roles`. The values are left out.',
        reason: 'columns',
        values: { columns: 'former_color, former_size', table: 'roles' },
      },
      ...['former_things', 'exports'].map((table) => ({
        ...{ kind: 'left_out', file: `tables/${table}.ndjson` },
        message: `This version takes no table \`${table}\` from archives. Its 2 rows are left out.`,
        ...{ reason: 'table', values: { rows: 2, table } },
      })),
    ]
    const { data: checked } = await sent()
    expect(warningsOf(checked)).toEqual(warnings)
    expect(checked['counts']).not.toHaveProperty('former_things')
    const superAdmin = await world.as('super')
    await superAdmin.post(`/api/admin/organizations/imports/${checked['id']}/commit`)
    await world.settle()
    const { data: done } = await superAdmin.get(`/api/admin/organizations/imports/${checked['id']}`)
    expect(done).toMatchObject({ state: 'completed', rows_done: done['rows_total'] })
    expect(warningsOf(done)).toEqual(warnings)
    const name = columnOf(archive, 'roles', 'name')
    expect(
      world
        .rows<{ name: string }>(
          'select name from roles where organization_id = ?',
          archive.manifest.organization.id,
        )
        .map((row) => row.name)
        .toSorted(),
    ).toEqual((archive.parts.get('roles') ?? []).map((line) => String(line[name])).toSorted())
  })

  test('is refused with the column of the organization, a repeated one, or a part that is not described', async () => {
    const refused = { status: 400, body: { code: 'archive_invalid' } }
    addColumn('roles', 'organization_id', {
      ...{ type: 'id', value: archive.manifest.organization.id },
    })
    expect(await sent()).toMatchObject(refused)
    archive.manifest.parts.find(({ table }) => table === 'roles')?.columns.pop()
    for (const line of archive.parts.get('roles') ?? []) (line as unknown[]).pop()
    expect(await sent()).toMatchObject({ status: 202 })
    addColumn('roles', 'former')
    addColumn('roles', 'former')
    expect(await sent()).toMatchObject(refused)
    const without = (manifest: Record<string, unknown>) => ({
      ...manifest,
      parts: (manifest['parts'] as Loose[]).filter(({ table }) => table !== 'roles'),
    })
    expect(await sent(without)).toMatchObject(refused)
  })

  test('brings everything or nothing when an organization moves', async () => {
    const path = join(world.filesFolder, 'moving', 'a.zip')
    mkdirSync(join(world.filesFolder, 'moving'))
    const ctx = systemCtx(world.program.http, INSTALLATION)
    const moved = async (): Promise<string> => {
      writeFileSync(path, await packed(archive))
      const [moveId, organizationId] = [ctx.ids.next(), archive.manifest.organization.id]
      const from = { cell: 'http://127.0.0.1:9', path, passphrase: PASSPHRASE }
      return importFromCell(ctx, { ...{ moveId, organizationId }, ...from }).then(
        () => 'nothing was refused',
        (error: Error) => error.message,
      )
    }
    addTable('former_things')
    expect(await moved()).toContain('this version knows no table `former_things`')
    archive.manifest.parts.pop()
    archive.parts.delete('former_things')
    addColumn('roles', 'former')
    expect(await moved()).toContain('this version knows no column `former` of `roles`')
  })
})

test('an archive in a newer format is refused with the version that reads it', async () => {
  const messageOf = async (product_version: unknown): Promise<unknown> =>
    (await sent((manifest) => ({ ...manifest, product_version, version: ARCHIVE_VERSION + 1 })))
      .body['message']
  const refusal = (version: string): string =>
    `The archive has the format ${ARCHIVE_VERSION + 1}, and this version reads formats up to ` +
    `${ARCHIVE_VERSION}. Update this server to ${version}, then import the archive again.`
  expect(await messageOf('0.12.3')).toBe(refusal('0.12.3 or later'))
  for (const foreign of [7, 'a link: http://evil.example', '0.1.0\n0.2.0'])
    expect(await messageOf(foreign)).toBe(refusal('the version that wrote it'))
})

test('former names and values of columns are followed through all formats', () => {
  const upper = (value: unknown): unknown => String(value).toUpperCase()
  const of = (column: string, became: string) => ({ until: OLDER, table: 'tags', column, became })
  const former = [
    { until: OLDER - 1, table: 'tags', column: 'label', became: 'title', value: upper },
    { ...of('title', 'name'), value: (value: unknown) => `${String(value)}!` },
    of('left', 'right'),
    of('right', 'left'),
  ]
  const read = (version: number, column: string, table = 'tags'): RowToStore => {
    const columns = [{ name: column, type: 'text' as const }]
    const part = { table, kind: 'carried' as const, columns, key: [column] }
    const known = ['label', 'title', 'name', 'left', 'right'].map((name) => ({
      ...{ name, type: 'TEXT', isRequired: false, hasDefault: false },
    }))
    return new RowReader(
      { ...part, rows: 1, bytes: 5, sha256: '' },
      {
        ...{ name: table, columns: known, rules: new Map(), secrets: new Set() },
        ...{ owner: null, isOfPart0: false },
      },
      {
        ...{ version, former, leavesOut: true, secrets: new SecretReader(null) },
        organizationId: world.tenant.id,
      },
    ).read('["a"]', 1)
  }
  expect(read(OLDER - 1, 'label')).toEqual({ name: 'A!' })
  expect(read(OLDER, 'title')).toEqual({ name: 'a!' })
  expect(read(OLDER, 'label')).toEqual({ label: 'a' })
  expect([read(OLDER, 'left'), read(OLDER, 'right')]).toEqual([{ right: 'a' }, { left: 'a' }])
  expect(read(ARCHIVE_VERSION, 'title')).toEqual({ title: 'a' })
  expect(read(OLDER, 'title', 'roles')).toEqual({ title: 'a' })
})

const warningsOf = (report: Loose): unknown =>
  (report['conflicts'] as Loose[]).filter(({ kind }) => kind === 'left_out')
