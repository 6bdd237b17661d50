import { createHash } from 'node:crypto'

import { ZipFile } from 'yazl'

import { bytesToUuid, uuidToBytes } from '../../src/infra/db/uuid'
import { organizationTables } from '../../src/infra/organization-tables'
import {
  ARCHIVE_ENTRIES,
  ARCHIVE_VERSION,
  LEAST_COST,
  type ArchiveColumnType,
  type ArchiveManifest,
  type ArchivePart,
} from '../../src/modules/data/organization-archive/archive-format'
import {
  archivedSecretContext,
  createArchiveKey,
  type ArchiveKey,
  sealerOf,
  storedSecretContext,
} from '../../src/modules/data/organization-archive/archive-secrets'
import { derivedTotals } from '../../src/modules/data/organization-archive/derived-totals'
import { USER_COLUMNS } from '../../src/modules/data/organization-archive/archive-users'
import type { Tenant, World } from './world'

export const PASSPHRASE = 'a passphrase of an archive'

/** The key of these archives. */
export const archiveKey = (): Promise<ArchiveKey> =>
  createArchiveKey(PASSPHRASE, (bytes) => new Uint8Array(bytes).fill(7), LEAST_COST)

/** An archive in memory, which tests may change before it is packed. */
export interface TestArchive {
  manifest: ArchiveManifest
  /** Lines of each part: a list of values each, or a text to be written as it is. */
  parts: Map<string, (unknown[] | string)[]>
  files: Map<string, Uint8Array>
  /** Further entries. */
  extra: { name: string; bytes: Uint8Array; mode?: number }[]
}

const sha256 = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex')

const TYPES: Record<string, ArchiveColumnType> = {
  INTEGER: 'integer',
  REAL: 'real',
  TEXT: 'text',
  BLOB: 'id',
}

/** Reads an organization of a world as an archive, as the format says. */
export async function archiveOf(
  world: World,
  tenant: Pick<Tenant, 'id'>,
  { hasSecrets = true }: { hasSecrets?: boolean } = {},
): Promise<TestArchive> {
  const { db, tables, vault } = world.program.http
  const derived = hasSecrets ? await archiveKey() : null
  const sealer = derived && sealerOf(derived.key)
  const organization = uuidToBytes(tenant.id)
  const parts: ArchivePart[] = []
  const lines: TestArchive['parts'] = new Map()
  const add = (
    part: Pick<ArchivePart, 'table' | 'kind' | 'columns' | 'key'>,
    rows: unknown[][],
  ): void => {
    parts.push({ ...part, rows: 0, bytes: 0, sha256: '' })
    lines.set(part.table, rows)
  }
  const sealed = (
    at: { table: string; column: string; key: unknown[] },
    plain: string | null | undefined,
  ): string | null =>
    plain == null || sealer === null
      ? null
      : sealer.seal(plain, archivedSecretContext({ organizationId: tenant.id, ...at }))
  add(
    { table: 'users', kind: 'users', columns: [...USER_COLUMNS], key: ['id'] },
    usersOf(world, tenant).map((row) => {
      const id = bytesToUuid(row['id'] as Uint8Array)
      return USER_COLUMNS.map(({ name }) => {
        if (name === 'id') return id
        if (name === 'password_hash')
          return sealed({ table: 'users', column: name, key: [id] }, row[name] as string | null)
        return name === 'totp_secret' ? null : (row[name] ?? null)
      })
    }),
  )
  for (const { name, fate, columns: all, key: stored, owner } of organizationTables(
    db.sqlite,
    tables,
  )) {
    if (fate.kind !== 'carried' && fate.lasting === null) continue
    const columns = all
      .filter((column) => column.name !== owner)
      .map((column) => ({
        name: column.name,
        type: column.name in fate.secrets ? ('secret' as const) : (TYPES[column.type] ?? 'text'),
      }))
    const own = stored.filter((column) => column !== owner)
    const keyColumns = own.length > 0 ? own : [columns[0]?.name ?? '']
    const rows = db.sqlite
      .query<Record<string, unknown>, [Uint8Array]>(
        `select * from "${name}" where "${owner}" = ? and ${fate.lasting ?? 'true'} order by ${stored.map((column) => `"${column}"`).join(', ')}`,
      )
      .all(organization)
    const textOf = (value: unknown): unknown =>
      value instanceof Uint8Array ? bytesToUuid(value) : value
    add(
      {
        table: name,
        kind: fate.kind === 'carried' ? 'carried' : 'sums',
        columns,
        key: keyColumns,
      },
      rows.map((row) =>
        columns.map((column) => {
          const value = textOf(row[column.name])
          const place = fate.secrets[column.name]
          if (place === undefined || typeof value !== 'string') return value
          const plain = vault.open(
            value,
            storedSecretContext(place, (id) =>
              id === 'organization_id' ? tenant.id : String(textOf(row[id])),
            ),
          )
          const key = keyColumns.map((one) => textOf(row[one]))
          return sealed({ table: name, column: column.name, key }, plain)
        }),
      ),
    )
  }
  return {
    manifest: {
      format: 'switchboard.organization-archive',
      version: ARCHIVE_VERSION,
      product_version: '0.0.0',
      schema_version: 'test',
      as_of: new Date(world.clock.nowMs()).toISOString(),
      organization: identityOf(world, tenant),
      encryption: derived?.encryption ?? null,
      parts,
      files: { is_included: true, files: 0, bytes: 0, missing: 0, sha256: '' },
      totals: derivedTotals(db.sqlite, tables, organization),
      secrets_left: [],
      event_seq: eventSeqOf(world, tenant),
    },
    parts: lines,
    files: await filesOf(world, lines, parts),
    extra: [],
  }
}

function identityOf(world: World, { id }: Pick<Tenant, 'id'>): ArchiveManifest['organization'] {
  const [row] = world.rows('select name, slug from organizations where id = ?', id)
  return { id, name: String(row?.['name']), slug: String(row?.['slug']) }
}

/** Tables of an archive that has only people. */
const FEW = ['users', 'organizations', 'roles', 'role_permissions', 'memberships']

/** Returns an archive of an organization that no world has, with people and without secrets. */
export async function smallArchive(world: World): Promise<TestArchive> {
  const archive = await archiveOf(world, world.other, { hasSecrets: false })
  const { manifest, parts } = archive
  for (const { table } of manifest.parts) if (!FEW.includes(table)) parts.delete(table)
  manifest.parts = manifest.parts.filter(({ table }) => FEW.includes(table))
  manifest.organization = { ...manifest.organization, id: world.program.http.ids.random() }
  return { ...archive, files: new Map() }
}

/** Members, and others whom rows name. */
const usersOf = (world: World, { id }: Pick<Tenant, 'id'>): Record<string, unknown>[] =>
  world.program.http.db.sqlite
    .query<Record<string, unknown>, [Uint8Array]>(
      `select u.*, m.user_id is not null as is_member, u.home_organization_id is ?1 as is_home, 0 as has_totp
       from users u left join memberships m on m.user_id = u.id and m.organization_id = ?1
       where m.user_id is not null or u.id in (select user_id from notifications where organization_id = ?1)
         or u.id in (select owner_user_id from api_keys where organization_id = ?1)
       order by u.id`,
    )
    .all(uuidToBytes(id))
    .map((row) =>
      row['is_member'] === 1
        ? row
        : { id: row['id'], full_name: row['full_name'], is_member: 0, is_home: 0 },
    )

async function filesOf(
  world: World,
  lines: TestArchive['parts'],
  parts: ArchivePart[],
): Promise<TestArchive['files']> {
  const files: TestArchive['files'] = new Map()
  for (const { table, columns } of parts) {
    const at = columns.findIndex(({ name }) => name === 'stored_as')
    for (const line of at === -1 ? [] : (lines.get(table) ?? [])) {
      const name = line[at]
      if (typeof name === 'string')
        files.set(
          name,
          new Uint8Array(await Bun.file(world.program.http.files.pathOf(name)).arrayBuffer()),
        )
    }
  }
  return files
}

/** Packs an archive with the digests and counts of what it contains. */
export async function packed(
  { manifest, parts, files, extra }: TestArchive,
  edit: (manifest: Record<string, unknown>) => unknown = (same) => same,
): Promise<Uint8Array<ArrayBuffer>> {
  const zip = new ZipFile()
  const add = (name: string, bytes: Uint8Array | string, mode = 0o100_600): void =>
    zip.addBuffer(Buffer.from(bytes), name, { mode })
  const described = manifest.parts.map((part) => {
    const rows = parts.get(part.table) ?? []
    const text = rows
      .map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`)
      .join('')
    add(ARCHIVE_ENTRIES.part(part.table), text)
    return { ...part, rows: rows.length, bytes: Buffer.byteLength(text), sha256: sha256(text) }
  })
  for (const [name, bytes] of files) add(ARCHIVE_ENTRIES.file(name), bytes)
  const list = [...files]
    .map(([name, bytes]) => `${JSON.stringify([name, bytes.length, sha256(bytes)])}\n`)
    .join('')
  add(ARCHIVE_ENTRIES.files, list)
  for (const { name, bytes, mode } of extra) add(name, bytes, mode)
  const bytes = [...files.values()].reduce((sum, file) => sum + file.length, 0)
  add(
    ARCHIVE_ENTRIES.manifest,
    JSON.stringify(
      edit({
        ...manifest,
        parts: described,
        files: {
          ...manifest.files,
          ...{ files: files.size, bytes, missing: 0, sha256: sha256(list) },
        },
      }),
    ),
  )
  zip.end()
  return new Uint8Array(await new Response(zip.outputStream as never).arrayBuffer())
}

/** Returns the value of a column in a line of a part. */
export function columnOf({ manifest }: TestArchive, table: string, column: string): number {
  const part = manifest.parts.find((one) => one.table === table)
  return part?.columns.findIndex(({ name }) => name === column) ?? -1
}

/** The number of an organization's newest event. */
const eventSeqOf = (world: World, { id }: { id: string }): number =>
  Number(world.rows('select seq from event_heads where organization_id = ?', id)[0]?.['seq'] ?? 0)
