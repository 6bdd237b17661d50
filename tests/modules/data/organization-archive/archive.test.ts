import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { openDb } from '../../../../src/infra/db/connection'
import { bytesToUuid, uuidToBytes } from '../../../../src/infra/db/uuid'
import { organizationTables } from '../../../../src/infra/organization-tables'
import {
  archivedSecretContext,
  deriveArchiveKey,
  sealerOf,
  storedSecretContext,
} from '../../../../src/modules/data/organization-archive/archive-secrets'
import type { ArchiveColumnType } from '../../../../src/modules/data/organization-archive/archive-format'
import {
  toArchived,
  type StoredValue,
} from '../../../../src/modules/data/organization-archive/archive-values'
import { writeArchiveOf } from '../../../../src/modules/data/organization-archive/write/write-archive'
import { openArchive, type OpenArchive } from '../../../support/archive'
import type { Client, Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { fillOrganization } from '../../../support/full-organization'
import { freshDatabase, PASSWORD, ROOT_KEY, World, type Tenant } from '../../../support/world'

const PASSPHRASE = 'a long passphrase for an archive'
const FOREIGN = 'foreignmarkerqz'

/** The types of columns by which their values are written in another way. */
const TYPES: Record<string, ArchiveColumnType> = { REAL: 'real', INTEGER: 'integer' }

let folder: string
let world: World
/** An archive with secrets and files, made by an admin. */
let ofAdmin: { about: Loose; archive: OpenArchive }

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-archive-'))
  const path = join(folder, 'switchboard.sqlite')
  writeFileSync(path, freshDatabase().serialize())
  const db = openDb(path, { synchronous: 'normal', cacheMib: 8 })
  world = await World.create({ db, env: { SMTP_URL: 'smtp://127.0.0.1:9' } })
  await fillOrganization(world)
  await fillOther()
  // A super admin who is a member: not everybody may have the hash of the password.
  world.program.http.db.sqlite.run('update users set is_super_admin = 1 where email = ?', [
    world.emailOf('manager', world.tenant),
  ])
  ofAdmin = await archived(await world.as('admin'), { passphrase: PASSPHRASE })
})
afterAll(async () => {
  await world.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Gives the other organization a customer, texts, a file and secrets of its own. */
async function fillOther(): Promise<void> {
  const { other } = world
  const admin = await world.as('admin', other)
  const customer = world.simulator.customer({ phone: other.phoneId, waId: '4915999000111' })
  await customer.says(`${FOREIGN} text`)
  await upload(admin, {
    bytes: new TextEncoder().encode(`${FOREIGN} in a file `.repeat(50)),
    type: 'text/plain',
  })
  await admin.post('/api/tags', { name: `${FOREIGN} tag` })
  await admin.post('/api/chatbot/ai-contexts', {
    ...{ name: FOREIGN, type: 'static', content: `${FOREIGN} in a context` },
  })
  // A person of both, with what a client keeps about the work there.
  await admin.post('/api/organizations/members', { email: world.emailOf('agent', world.tenant) })
  const agent = await world.as('agent')
  const kept = await agent.put('/api/me/settings', { ui: { searched: FOREIGN } })
  if (kept.status !== 200) throw new Error(`the settings were not kept: ${kept.status}`)
  await world.settle()
}

const pathOf = (tenant: Tenant, rest = ''): string =>
  `/api/organizations/${tenant.id}/archive${rest}`

/** Makes an archive over the API and unpacks what is downloaded. */
async function archived(
  client: Client,
  body: Loose = {},
): Promise<{ about: Loose; archive: OpenArchive }> {
  const { status, data } = await client.post(pathOf(world.tenant), body)
  expect([status, data['status']]).toEqual([202, 'queued'])
  await world.settle()
  const { data: about } = await client.get(pathOf(world.tenant, `s/${data['id']}`))
  expect([about['status'], about['error']]).toEqual(['completed', null])
  const answer = await fetch(`${world.url}${pathOf(world.tenant, `s/${data['id']}/download`)}`, {
    headers: client.headers,
  })
  expect(answer.headers.get('content-type')).toBe('application/zip')
  const path = join(folder, `${data['id']}.zip`)
  writeFileSync(path, await answer.bytes())
  return { about, archive: await openArchive(path) }
}

const travelling = () => {
  const { db, tables } = world.program.http
  return organizationTables(db.sqlite, tables).filter(
    ({ fate }) => fate.kind === 'carried' || fate.lasting !== null,
  )
}

describe('the archive of an organization', () => {
  test('has every row of it, and every file', () => {
    const { archive } = ofAdmin
    const { manifest } = archive
    const tables = travelling()
    expect(manifest.parts.map(({ table }) => table)).toEqual([
      'users',
      ...tables.map(({ name }) => name),
    ])
    const { sqlite } = world.program.http.db
    let files = 0
    for (const { name, owner, columns, fate } of tables) {
      if (['audit_logs', 'notifications'].includes(name)) continue // the archive itself adds some
      const part = manifest.parts.find(({ table }) => table === name)
      const rows = sqlite
        .query<Record<string, StoredValue>, [Uint8Array]>(
          `select * from "${name}" where "${owner}" = ? and (${fate.lasting ?? 'true'})`,
        )
        .all(uuidToBytes(world.tenant.id))
      const expected = rows.map((row) =>
        columns
          .filter((column) => part?.columns.some((one) => one.name === column.name))
          .filter((column) => !(column.name in fate.secrets) && !fate.codes.includes(column.name))
          .map(({ name: column, type }) => toArchived(row[column] ?? null, TYPES[type] ?? 'id')),
      )
      const found = archive.rows(name).map((row) =>
        Object.entries(row)
          .filter(([column]) => !(column in fate.secrets) && !fate.codes.includes(column))
          .map(([, value]) => value),
      )
      const sorted = (list: unknown[]): string[] =>
        list.map((one) => JSON.stringify(one)).toSorted()
      if (fate.hasFiles) files += rows.filter((row) => row['stored_as'] !== null).length
      expect([name, ...sorted(found)]).toEqual([name, ...sorted(expected)])
    }
    const filled = manifest.parts.filter(({ rows }) => rows > 0)
    expect(filled.length).toBeGreaterThan(60)
    expect(manifest.files.files).toBe(files)
    expect(files).toBeGreaterThan(1)
    expect(manifest.files.missing).toBe(0)
  })

  test('has nothing that only a server can vouch for', () => {
    const has = (table: string, columns: string[]): string[] => {
      const part = ofAdmin.archive.manifest.parts.find((one) => one.table === table)
      const names = part?.columns.map(({ name }) => name) ?? []
      expect(names).toContain('created_at_ms')
      return columns.filter((column) => names.includes(column))
    }
    const said = ['business_link', 'last_checked_at_ms', 'is_subscribed', 'subscribed_at_ms']
    const facts = ['verified_name', 'quality_rating', 'messaging_limit_tier', 'marketing_status']
    expect(has('accounts', [...said, ...facts, 'business_id'])).toEqual(['business_id'])
    expect(has('templates', ['quality', 'quality_at_ms', 'status'])).toEqual(['status'])
    expect(has('organizations', ['moves', 'slug'])).toEqual(['slug'])
    expect(has('invitations', ['token_hash', 'email'])).toEqual(['email'])
  })

  test('has the secrets under the passphrase and nowhere in the clear', async () => {
    const { about, archive } = ofAdmin
    const { manifest } = archive
    // One is the password of a super admin.
    expect([about['has_secrets'], about['counts']['secrets_left']]).toEqual([true, 1])
    if (manifest.encryption === null) throw new Error('the archive is not encrypted')
    // A passphrase of a person is hard to guess only because each guess costs much.
    expect(manifest.encryption).toMatchObject({ memory_kib: 65_536, passes: 3 })
    const { key, encryption } = await deriveArchiveKey(PASSPHRASE, manifest.encryption)
    expect(encryption).toEqual(manifest.encryption)
    const opened: string[] = []
    for (const { table, key: keys, columns } of manifest.parts)
      for (const row of archive.rows(table))
        for (const { name: column } of columns.filter(({ type }) => type === 'secret')) {
          if (row[column] === null) continue
          const at = { organizationId: world.tenant.id, table, column }
          const context = archivedSecretContext({ ...at, key: keys.map((name) => row[name]) })
          const plain = sealerOf(key).open(row[column] as string, context)
          const fate = world.program.http.tables.find((one) => one.table === table)
          if (fate && table !== 'users') expect(plain).toBe(storedSecret(table, column, row))
          opened.push(plain)
        }
    expect(opened).toContain(world.tenant.token)
    expect(opened.length).toBeGreaterThan(5)
    const everything = textOf(archive)
    for (const plain of opened) if (plain.length > 8) expect(everything).not.toContain(plain)
    for (const secret of ownSecrets()) expect(everything).not.toContain(secret)
  })

  test('without a passphrase leaves all secrets behind and lists them', async () => {
    const { archive } = await archived(await world.as('admin'), { include_media: false })
    const { manifest } = archive
    expect(manifest.encryption).toBeNull()
    for (const { table, columns } of manifest.parts)
      for (const { name: column } of columns.filter(({ type }) => type === 'secret')) {
        expect(archive.rows(table).every((row) => row[column] === null)).toBe(true)
      }
    expect(manifest.secrets_left).toContainEqual({
      ...{ table: 'accounts', column: 'access_token_sealed', rows: expect.any(Number) },
    })
    expect(manifest.files).toMatchObject({ is_included: false, files: 0, missing: 0 })
    expect([...archive.entries.keys()].filter((name) => name.startsWith('media/'))).toEqual([])
  })

  test('has no byte of another organization', () => {
    const { archive } = ofAdmin
    const everything = textOf(archive).toLowerCase()
    const { sqlite } = world.program.http.db
    const foreign = [FOREIGN, '4915999000111', world.other.token, world.other.wabaId]
    foreign.push('bolt', world.other.phoneId, world.other.id)
    for (const { name, owner, key } of organizationTables(sqlite, world.program.http.tables))
      for (const row of sqlite
        .query<Record<string, unknown>, [Uint8Array]>(
          `select ${key.map((column) => `"${column}"`).join(', ')} from "${name}" where "${owner}" = ?`,
        )
        .all(uuidToBytes(world.other.id)))
        for (const value of Object.values(row))
          if (value instanceof Uint8Array && value.length >= 8 && value.some((byte) => byte !== 0))
            foreign.push(bytesToUuid(value))
    expect(foreign.length).toBeGreaterThan(100)
    const own = new Set(Object.values(world.tenant.userIds))
    for (const text of new Set(foreign))
      if (!own.has(text))
        expect([text, everything.includes(text.toLowerCase())]).toEqual([text, false])
  })

  test('is given up while the write-ahead log grows or the disk fills', () => {
    const { http } = world.program
    const order = {
      target: join(folder, 'given-up.zip'),
      database: http.db.sqlite.filename,
      filesFolder: http.files.folder,
      organizationId: world.tenant.id,
      nowMs: world.clock.nowMs(),
      productVersion: http.version,
      tables: http.tables,
      roots: { current: new Uint8Array(32), previous: null },
      ...{ key: null, hasFiles: false, credentials: 'managed' as const, isMove: false },
      ...{ maxWalBytes: 1_024 ** 3, spareBytes: 0 },
    }
    expect(writeArchiveOf(order).manifest.organization.id).toBe(world.tenant.id)
    expect(() => writeArchiveOf({ ...order, maxWalBytes: -1 })).toThrow('So much was written')
    expect(() => writeArchiveOf({ ...order, spareBytes: Infinity })).toThrow('disk space')
  })

  test('has no password hashes of super admins unless one of them makes it', async () => {
    const hasHash = ({ archive }: { archive: OpenArchive }): Map<string, boolean> =>
      new Map(
        archive.rows('users').map((row) => [String(row['email']), row['password_hash'] !== null]),
      )
    const byAdmin = hasHash(ofAdmin)
    expect(byAdmin.get(world.emailOf('agent', world.tenant))).toBe(true)
    expect(byAdmin.get(world.emailOf('manager', world.tenant))).toBe(false)
    const body = { passphrase: PASSPHRASE, include_media: false }
    const made = await archived(await world.as('super'), body)
    const bySuper = hasHash(made)
    expect([...bySuper.values()].every(Boolean)).toBe(true)
    // It is for super admins, who may make such archives.
    const path = pathOf(world.tenant, `s/${made.about['id']}`)
    const admin = await world.as('admin')
    for (const address of [path, `${path}/download`])
      expect((await admin.get(address)).status).toBe(404)
    const listed = async (client: Client): Promise<unknown[]> =>
      ((await client.get(pathOf(world.tenant, 's'))).data['items'] as Loose[]).map(({ id }) => id)
    const [ofOthers, own] = [await listed(admin), await listed(await world.as('super'))]
    expect(ofOthers).not.toContain(made.about['id'])
    expect(own).toEqual([made.about['id'], ...ofOthers])
    expect(readdirSync(join(world.filesFolder, 'incoming'))).toEqual([])
  })
})

/** What the server has in a row, decrypted. */
function storedSecret(table: string, column: string, row: Loose): string {
  const { vault, tables, db } = world.program.http
  const fate = tables.find((one) => one.table === table)
  const part = organizationTables(db.sqlite, tables).find(({ name }) => name === table)
  const keys = (part?.key ?? []).filter((name) => name !== 'organization_id')
  const stored = world.rows<Record<string, string>>(
    `select "${column}" as sealed from "${table}" where organization_id = ? ${keys.map((name) => `and "${name}" = ?`).join(' ')}`,
    world.tenant.id,
    ...keys.map((name) => row[name] as string),
  )[0]?.['sealed']
  return vault.open(
    stored ?? '',
    storedSecretContext(fate?.secrets[column] ?? '', (name) =>
      name === 'organization_id' ? world.tenant.id : String(row[name]),
    ),
  )
}

/** Secrets of the installation and of sign-ins, as they are and as they are stored. */
const ownSecrets = (): string[] => [
  ROOT_KEY.toString('base64'),
  PASSWORD,
  '$argon2id$',
  ...world.rows('select token_hash as t from refresh_tokens').map((row) => String(row['t'])),
  ...world.rows('select sealed as t from digest_keys').map((row) => String(row['t'])),
  ...world.rows('select access_token_sealed as t from accounts').map((row) => String(row['t'])),
]

const textOf = (archive: OpenArchive): string =>
  [...archive.entries].map(([name, bytes]) => `${name}\n${bytes.toString('latin1')}`).join('\n')
