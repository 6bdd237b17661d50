import { afterAll, beforeAll, expect, test } from 'bun:test'

import { uuidToBytes } from '../../src/infra/db/uuid'
import { organizationTables } from '../../src/infra/organization-tables'
import type { Client, Loose } from '../support/client'
import { upload } from '../support/files'
import { enliven } from '../support/lively-organization'
import { archiveOf, packed, smallArchive, type TestArchive } from '../support/organization-archive'
import { Receiver } from '../support/receiver'
import { requiredQuery, routesOf, takesId } from '../support/routes'
import { World } from '../support/world'

/**
 * Each column of each table of an archive gets values that nobody would write. The check refuses
 * them with their file, line and field, or no list of the installation minds them.
 */
const isWhole = process.env['HOSTILE_COLUMNS'] === 'full'

/**
 * The suite tries every fortieth value. `HOSTILE_PART=3/8` tries the third eighth of all values, so
 * that the whole can be tried in parts.
 */
const [PART, EACH] = isWhole
  ? (process.env['HOSTILE_PART'] ?? '1/1').split('/').map(Number)
  : [1, 40]

const HOSTILE: Record<string, unknown[]> = {
  integer: [9e15, -9e15, -1, '9223372036854775807', 2],
  real: [-1, 1e300, 'Infinity'],
  text: [
    ...['', ' ', '{bad', 'null', '[]', '{}', '"x"', '[null]', '[{}]', '7', '\u0000\ud800'],
    ...['x'.repeat(200_000), '['.repeat(5_000) + ']'.repeat(5_000), 'a b/../"', 'Mars/Olympus'],
  ],
  id: ['00000000-0000-0000-0000-000000000000'],
}

/** Lists that super admins read of all organizations. */
const OF_ALL = /^\/api\/(?:admin|organizations|users|jobs)\b/

interface Attempt {
  table: string
  column: string
  at: number
  line: number
  value: unknown
}

/** Columns that place a row: the database refuses those that lead to none. */
const isPlace = (column: string): boolean => column === 'row' || column === 'contact'

const receiver = new Receiver()
const env = { SMTP_URL: 'smtp://127.0.0.1:9', EGRESS_ALLOW: new URL(receiver.url).host }
let world: World
let empty: World
let archive: TestArchive

beforeAll(async () => {
  world = await World.create({ env })
  if (isWhole) await enliven(world, receiver.url)
  archive = isWhole
    ? await archiveOf(world, world.tenant, { hasSecrets: false })
    : await smallArchive(world)
  empty = await World.create({ names: ['Crux'], firstId: 1_000_000, env })
}, 60_000)
afterAll(async () => {
  world.logLines.length = 0 // rows of nobody were answered
  await world.stop()
  await empty.stop()
  await receiver[Symbol.asyncDispose]()
})

function attempts(): Attempt[] {
  const all: Attempt[] = []
  for (const { table, columns } of archive.manifest.parts) {
    const lines = (archive.parts.get(table) ?? []) as unknown[][]
    for (const [at, { name: column, type }] of columns.entries()) {
      if (lines.length === 0 || isPlace(column)) continue
      const line = Math.max(
        0,
        lines.findIndex((values) => values[at] !== null),
      )
      for (const value of HOSTILE[type] ?? []) all.push({ table, column, at, line, value })
    }
  }
  return all
}

/** Returns the answer to a dry run of the archive with one other value. */
async function judged(superAdmin: Client, { table, at, line, value }: Attempt): Promise<Loose> {
  const parts = new Map(archive.parts)
  const lines = [...(parts.get(table) ?? [])] as unknown[][]
  lines[line] = (lines[line] ?? []).with(at, value)
  parts.set(table, lines)
  const { status, body } = await upload(superAdmin, {
    bytes: await packed({ ...archive, parts }),
    ...{ path: '/api/admin/organizations/import', name: 'a.zip', type: 'application/zip' },
  })
  empty.program.http.db.sqlite.run('delete from organization_imports')
  return { status, body }
}

/** Addresses of all lists, and of one thing of each kind. */
function addresses(): string[] {
  const tables = new Map(
    organizationTables(world.program.http.db.sqlite, world.program.http.tables).map((table) => [
      table.name,
      table,
    ]),
  )
  return routesOf(world)
    .filter(({ method, path, permission }) => {
      const isList = method === 'GET' && path.startsWith('/api/') && permission !== 'public'
      return isList && !/download|\/file|\/logo|\/content|stream|\*/.test(path)
    })
    .flatMap((route) => {
      if (!takesId(route)) return [`${route.path}${requiredQuery(world, route.path)}`]
      const [, word = '', ...others] = /\/([a-z-]+)\/:\w+/.exec(route.path) ?? []
      const table = tables.get(word.replaceAll('-', '_'))
      if (
        !table?.columns.some(({ name }) => name === 'id') ||
        route.path.split(':').length > 2 ||
        others.length > 0
      )
        return []
      const [row] = world.rows(
        `select id from "${table.name}" where "${table.owner}" = ? order by id limit 1`,
        world.tenant.id,
      )
      return row ? [route.path.replace(/:\w+/, String(row['id']))] : []
    })
}

test(
  'no value of an archive breaks a list',
  async () => {
    const broken: string[] = []
    const [admin, superAdmin] = [await world.as('admin'), await world.as('super')]
    const checker = await empty.as('super')
    const paths = addresses()
    const ask = async (): Promise<string[]> => {
      const found: string[] = []
      for (const path of paths)
        for (const client of OF_ALL.test(path) ? [superAdmin, admin] : [admin])
          if ((await client.get(path)).status >= 500) found.push(path)
      return found
    }
    expect(await ask()).toEqual([])
    const all = attempts().filter((_, index) => index % (EACH ?? 1) === (PART ?? 1) - 1)
    for (const attempt of all) {
      const { table, column, value } = attempt
      const { status, body } = await judged(checker, attempt)
      const name = `${table}.${column} = ${JSON.stringify(value).slice(0, 30)}`
      if (status === 400) {
        const { code, details } = body as { code: string; details?: Loose }
        if (code !== 'archive_invalid' || details?.['line'] === undefined)
          broken.push(`${name}: ${code}`)
        continue
      }
      if (status !== 202) {
        broken.push(`${name}: ${status}`)
        continue
      }
      for (const path of await withValue(attempt, ask)) broken.push(`${name}: 500 at ${path}`)
    }
    expect(broken).toEqual([])
  },
  isWhole ? 3_600_000 : 60_000,
)

/** Runs work while a row of the organization has another value. */
async function withValue(
  { table, column, line, value }: Attempt,
  work: () => Promise<string[]>,
): Promise<string[]> {
  const { sqlite } = world.program.http.db
  const found = organizationTables(sqlite, world.program.http.tables).find(
    ({ name }) => name === table,
  )
  if (found?.columns.find(({ name }) => name === column)?.type === 'BLOB' || !found) return []
  const { owner, key } = found
  const order = key.map((name) => `"${name}"`).join(', ')
  const where = `"${owner}" = ?1 and (${order}) = (select ${order} from "${table}" where "${owner}" = ?1 order by ${order} limit 1 offset ${line})`
  const organization = uuidToBytes(world.tenant.id)
  const before = sqlite
    .query<Record<string, null>, [Uint8Array]>(
      `select "${column}" as v from "${table}" where ${where}`,
    )
    .get(organization)
  const stored = (given: unknown): never =>
    (typeof given === 'string' && column !== 'id' && /^\d{17,}$/.test(given)
      ? BigInt(given)
      : given) as never
  try {
    sqlite.run(`update "${table}" set "${column}" = ?2 where ${where}`, [
      organization,
      stored(value),
    ])
  } catch {
    return [] // the database refuses it
  }
  try {
    return await work()
  } finally {
    if (!key.includes(column))
      sqlite.run(`update "${table}" set "${column}" = ?2 where ${where}`, [
        organization,
        before?.['v'] ?? null,
      ])
  }
}
