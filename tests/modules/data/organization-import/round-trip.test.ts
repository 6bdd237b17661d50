import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { openDb } from '../../../../src/infra/db/connection'
import { bytesToUuid, uuidToBytes } from '../../../../src/infra/db/uuid'
import { organizationTables } from '../../../../src/infra/organization-tables'
import { CHANGED_BY_IMPORTS } from '../../../support/changed-by-imports'
import type { Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { enliven, livelyCustomer } from '../../../support/lively-organization'
import { PASSPHRASE } from '../../../support/organization-archive'
import { Receiver } from '../../../support/receiver'
import { freshDatabase, World } from '../../../support/world'

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

/** Returns a response without the times and counts of the server. */
const withoutTimes = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body, (key, value: unknown) =>
      ['generated_at', 'updated_at', 'data_as_of'].includes(key) ? undefined : value,
    ),
  )

/** What the platform said of a number to the other server. */
const VOUCHED = [
  ...['business_link', 'business_verification', 'code_verification', 'flow_key_status'],
  ...['funding_at_ms', 'funding_source', 'funding_state', 'is_funding_hidden', 'is_registered'],
  ...['last_checked_at_ms', 'marketing_status', 'messaging_limit_tier', 'portfolio_id'],
  ...['quality_rating', 'verified_name'],
]

describe('the import of an organization with rows of every kind', () => {
  let folder: string
  let source: World
  let target: World
  let bytes: Uint8Array<ArrayBuffer>
  const receiver = new Receiver()
  const env = { SMTP_URL: 'smtp://127.0.0.1:9', EGRESS_ALLOW: new URL(receiver.url).host }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-import-'))
    const path = join(folder, 'switchboard.sqlite')
    writeFileSync(path, freshDatabase().serialize())
    const db = openDb(path, { synchronous: 'normal', cacheMib: 8 })
    source = await World.create({ db, env, agentsSeeUnassigned: true })
    await enliven(source, receiver.url)
    bytes = await exported()
    target = await World.create({ names: ['Crux'], firstId: 1_000_000, env })
    target.adopt(source.tenant)
    target.clock.advance({ seconds: (source.clock.nowMs() - target.clock.nowMs()) / 1_000 })
    await target.settle()
  })
  afterAll(async () => {
    await source.stop()
    await target.stop()
    await receiver[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Exports the organization over the API and returns the file. */
  async function exported(): Promise<Uint8Array<ArrayBuffer>> {
    const superAdmin = await source.as('super')
    const { id } = source.tenant
    const { data } = await superAdmin.post(`/api/organizations/${id}/archive`, {
      passphrase: PASSPHRASE,
    })
    await source.settle()
    const response = await fetch(
      `${source.url}/api/organizations/${id}/archives/${data['id']}/download`,
      { headers: superAdmin.headers },
    )
    expect(response.status).toBe(200)
    return new Uint8Array(await response.arrayBuffer())
  }

  const tablesOf = (world: World) =>
    organizationTables(world.program.http.db.sqlite, world.program.http.tables)

  const rowsOf = (world: World, table: { name: string; owner: string }) =>
    world.program.http.db.sqlite
      .query<Record<string, unknown>, [Uint8Array]>(
        `select * from "${table.name}" where "${table.owner}" = ?`,
      )
      .all(uuidToBytes(source.tenant.id))

  /** Returns the columns in which rows of a kind differ, and rows that only one server has. */
  function differences(kind: 'carried' | 'derived'): string[] {
    const found = new Set<string>()
    for (const table of tablesOf(source).filter(({ fate }) => fate.kind === kind)) {
      const counts = table.columns.filter(({ key }) => key === 0).map(({ name }) => name)
      const isNothing = (row: Record<string, unknown>): boolean =>
        kind === 'derived' && counts.length > 0 && counts.every((column) => row[column] === 0)
      const named = (world: World) =>
        new Map(
          rowsOf(world, table)
            .filter((row) => !isNothing(row))
            .map((row) => [nameOf(table.key, row), row]),
        )
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

  test('has a row in every table that travels or is derived', () => {
    const empty = tablesOf(source).filter(
      (table) => table.fate.kind !== 'left' && rowsOf(source, table).length === 0,
    )
    expect(empty.map(({ name }) => name)).toEqual([])
  })

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
    target.simulator.fail({ code: 4 }, { route: 'phone' }) // what it says of the number comes later
    const started = await superAdmin.post(`/api/admin/organizations/imports/${id}/commit`)
    expect(started.data).toMatchObject({ state: 'running', dry_run: false })
    await target.settle()
    const done = await superAdmin.get(`/api/admin/organizations/imports/${id}`)
    expect(done.data).toMatchObject({ state: 'completed', error: null, conflicts: [] })

    expect(differences('carried')).toEqual(
      [
        ...CHANGED_BY_IMPORTS,
        // what only a server can vouch for, until the platform is asked
        ...VOUCHED.map((column) => `accounts.${column}`),
        'audit_logs: has another row', // about the import
        'audit_logs: lacks a row', // about the download of the archive
        'bot_inbox: lacks a row', // the bot starts anew
        'campaigns.is_publish_due',
        'conversations.publish_due_at_ms',
        'conversations.unpublished',
        'invitations.token_hash',
        'templates.quality_at_ms',
      ].toSorted(),
    )
    expect(differences('derived')).toEqual([])
    expect(target.program.http.db.sqlite.query('pragma foreign_key_check').all()).toEqual([])
  })

  test('opens every secret with the key of this server', async () => {
    const { http } = target.program
    const sealed = http.db.sqlite
      .query<{ id: Uint8Array; access_token_sealed: string }, [Uint8Array]>(
        'select id, access_token_sealed from accounts where organization_id = ?',
      )
      .all(uuidToBytes(source.tenant.id))
    for (const { id, access_token_sealed } of sealed)
      expect(
        http.vault.open(
          access_token_sealed,
          `${source.tenant.id}/accounts/accessTokenSealed/${bytesToUuid(id)}`,
        ),
      ).toBe(source.tenant.token)
    expect(sealed).not.toEqual([])
  })

  test('answers as the other server does', async () => {
    const [there, here] = [
      await source.as('admin'),
      await target.signIn(target.emailOf('admin', source.tenant)),
    ]
    for (const path of [
      '/api/contacts?search=49',
      '/api/contacts?sort=name',
      '/api/conversations',
      '/api/conversations/counts',
      '/api/tags',
      '/api/templates',
      '/api/campaigns',
      '/api/chatbot/keywords',
      '/api/chatbot/flows',
      '/api/chatbot/settings',
      '/api/canned-responses',
      '/api/segments',
      '/api/views',
      '/api/organizations/members',
      '/api/roles',
      '/api/messages/search?q=hello',
      '/api/analytics/messages?start_date=2026-11-15&end_date=2026-11-24',
      '/api/analytics/costs?start_date=2026-11-15&end_date=2026-11-24',
      '/api/analytics/chatbot?start_date=2026-11-15&end_date=2026-11-24',
      '/api/analytics/campaigns?start_date=2026-11-15&end_date=2026-11-24',
      '/api/analytics/agents?start_date=2026-11-15&end_date=2026-11-24',
      '/api/analytics/dashboard?start_date=2026-11-15&end_date=2026-11-24',
    ]) {
      const [before, after] = [await there.get(path), await here.get(path)]
      expect([path, after.status, withoutTimes(after.body)]).toEqual([
        path,
        200,
        withoutTimes(before.body),
      ])
    }
  })

  test('lets the files be downloaded', async () => {
    const here = await target.signIn(target.emailOf('admin', source.tenant))
    const there = await source.as('admin')
    const stored = target.program.http.db.sqlite
      .query<{ id: Uint8Array }, []>("select id from media where state = 'ready'")
      .all()
      .map(({ id }) => bytesToUuid(id))
    for (const id of stored) {
      const [one, other] = await Promise.all(
        [there, here].map(async (client) => {
          const response = await fetch(`${client.url}/api/media/${id}`, { headers: client.headers })
          return [response.status, await response.text()]
        }),
      )
      expect(other).toEqual(one)
    }
    expect(stored).not.toEqual([])
  })

  test('receives, answers and passes on what happens from now on', async () => {
    const here = await target.signIn(target.emailOf('admin', source.tenant))
    target.clock.advance({ minutes: 1 })
    receiver.received.length = 0
    const customer = livelyCustomer(target, source.tenant)
    await customer.says('A question after the move')
    await target.settle()
    target.clock.advance({ seconds: 20 }) // the bot waits for further texts
    await target.settle()
    expect(customer.received().length).toBeGreaterThan(0) // the bot answered
    expect(receiver.types).toContain('message.received')
    const { data } = await here.get('/api/contacts?sort=last_message_at&order=desc&limit=1')
    const [contact] = data['items'] as Loose[]
    const { data: thread } = await here.get(`/api/contacts/${contact?.['id']}/messages`)
    expect(JSON.stringify(thread['items'])).toContain('A question after the move')
    const sent = await here.post(`/api/contacts/${contact?.['id']}/messages`, {
      type: 'text',
      text: 'An answer after the move',
    })
    expect(sent.status).toBe(201)
    await target.settle()
    expect(target.rows('select stage from messages order by row desc limit 1')).toEqual([
      { stage: 'accepted' },
    ])
    const delivered = target.rows(
      "select event from webhook_deliveries where event = 'message.received'",
    )
    expect(delivered.length).toBeGreaterThan(0)
  })
})
