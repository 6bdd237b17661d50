import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { uuidToBytes } from '../../../src/infra/db/uuid'
import { organizationTables } from '../../../src/infra/organization-tables'
import { upload } from '../../support/files'
import { fillOrganization } from '../../support/full-organization'
import { archiveOf, packed, PASSPHRASE } from '../../support/organization-archive'
import { World } from '../../support/world'

const IMPORT = '/api/admin/organizations/import'

/** Columns that belong to the database, the keys or the file store of a server. */
const isOfServer = (column: string): boolean =>
  column === 'row' || column === 'stored_as' || column.endsWith('_sealed')

/** Names rows by what they are on every server. */
const nameOf = (key: readonly string[], row: Record<string, unknown>): string =>
  JSON.stringify(
    (key.includes('row') && 'id' in row ? ['id'] : key.filter((column) => column !== 'row')).map(
      (column) => comparable(row[column]),
    ),
  )

const comparable = (value: unknown): unknown =>
  value instanceof Uint8Array ? value.toHex() : value

describe('the import of an organization with rows of every kind', () => {
  let source: World
  let target: World
  let bytes: Uint8Array<ArrayBuffer>

  beforeAll(async () => {
    source = await World.create({ env: { SMTP_URL: 'smtp://127.0.0.1:9' } })
    await fillOrganization(source)
    bytes = await packed(await archiveOf(source, source.tenant))
    target = await World.create({ names: ['Crux'], firstId: 1_000_000 })
    target.adopt(source.tenant)
  })
  afterAll(async () => {
    await source.stop()
    await target.stop()
  })

  const tablesOf = (world: World) =>
    organizationTables(world.program.http.db.sqlite, world.program.http.tables)

  const rowsOf = (world: World, table: { name: string; owner: string }) =>
    world.program.http.db.sqlite
      .query<Record<string, unknown>, [Uint8Array]>(
        `select * from "${table.name}" where "${table.owner}" = ?`,
      )
      .all(uuidToBytes(source.tenant.id))

  /** Returns the columns in which carried rows differ, and rows that only one server has. */
  function differences(): string[] {
    const found = new Set<string>()
    for (const table of tablesOf(source).filter(({ fate }) => fate.kind === 'carried')) {
      const named = (world: World) =>
        new Map(rowsOf(world, table).map((row) => [nameOf(table.key, row), row]))
      const [before, after] = [named(source), named(target)]
      for (const name of new Set([...before.keys(), ...after.keys()])) {
        const [one, other] = [before.get(name), after.get(name)]
        if (!one || !other) found.add(`${table.name}: ${one ? 'lacks a row' : 'has another row'}`)
        else
          for (const column of Object.keys(one).filter((column) => !isOfServer(column)))
            if (comparable(one[column]) !== comparable(other[column]))
              found.add(`${table.name}.${column}`)
      }
    }
    return [...found].toSorted()
  }

  test('is checked first, then runs, and stores every row', async () => {
    const superAdmin = await target.as('super')
    const checked = await upload(superAdmin, {
      path: IMPORT,
      bytes,
      name: 'acme.zip',
      type: 'application/zip',
      fields: { passphrase: PASSPHRASE },
    })
    expect(checked.body).toMatchObject({
      status: 'success',
      data: { state: 'checked', conflicts: [], organization: { id: source.tenant.id } },
    })
    const { id } = checked.data
    const started = await superAdmin.post(`/api/admin/organizations/imports/${id}/commit`)
    expect(started.data).toMatchObject({ state: 'running', dry_run: false })
    await target.settle()
    const done = await superAdmin.get(`/api/admin/organizations/imports/${id}`)
    expect(done.data).toMatchObject({ state: 'completed', error: null })

    expect(differences()).toEqual([
      'audit_logs: has another row', // about the import
      'conversations.publish_due_at_ms',
      'conversations.published_at_ms',
      'conversations.unpublished',
      'scheduled_report_mails.state', // what was being sent is left out
      'scheduled_report_runs.ended_at_ms',
      'scheduled_report_runs.state',
      'webhook_endpoints.since_position', // in another event log
    ])
    expect(target.program.http.db.sqlite.query('pragma foreign_key_check').all()).toEqual([])
  })
})
