import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'

import { knownMigrations, migrate } from '../../src/infra/db/migrate'
import type { Loose } from '../support/client'

const clock = { nowMs: () => Date.UTC(2026, 5, 1) }

/** A database as it was before a migration. */
function before(tag: string): Database {
  const all = knownMigrations()
  const nth = all.findIndex((migration) => migration.tag === tag)
  if (nth < 0) throw new Error(`there is no migration ${tag}`)
  const database = new Database(':memory:', { strict: true })
  migrate(database, { clock, migrations: all.slice(0, nth) })
  database.run('pragma foreign_keys = off')
  return database
}

/** Writes a row; columns nobody names hold something of their type. */
function insert(database: Database, table: string, row: Loose): void {
  const columns = database
    .query<{ name: string; type: string; notnull: number; dflt_value: string | null }, [string]>(
      'select * from pragma_table_info(?)',
    )
    .all(table)
    .filter(
      ({ name, notnull, dflt_value: otherwise }) =>
        name in row || (notnull === 1 && otherwise === null),
    )
  const values = columns.map(({ name, type }) =>
    name in row ? row[name] : type.toLowerCase() === 'text' ? name : 1,
  ) as string[]
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  database
    .query(`insert into "${table}" (${names}) values (${columns.map(() => '?').join(', ')})`)
    .run(...values)
}

/** Applies what came since, without looking at rows that are not there. */
function upgrade(database: Database, tag: string): void {
  const [migration] = knownMigrations().filter((known) => known.tag === tag)
  for (const statement of (migration?.sql ?? '').split('--> statement-breakpoint'))
    database.run(statement)
}

const news = (value: Loose): string => JSON.stringify({ account_update: { at_ms: 7_000, value } })
const info = (...types: string[]): Loose[] =>
  types.map((restriction_type) => ({ restriction_type }))

describe('restrictions of business accounts', () => {
  test.each<[string, { announcements: string; restricted_until_ms?: number }, number | null]>([
    [
      'that were told without an end',
      { announcements: news({ event: 'ACCOUNT_RESTRICTION' }) },
      7_000,
    ],
    [
      'of messages among others',
      {
        announcements: news({
          event: 'ACCOUNT_RESTRICTION',
          restriction_info: info(
            'RESTRICTED_ADD_PHONE_NUMBER_ACTION',
            'RESTRICTED_BIZ_INITIATED_MESSAGING',
          ),
        }),
        restricted_until_ms: 9_000,
      },
      7_000,
    ],
    [
      'of something else',
      {
        announcements: news({
          event: 'ACCOUNT_RESTRICTION',
          restriction_info: info('RESTRICTED_ADD_PHONE_NUMBER_ACTION'),
        }),
        restricted_until_ms: 9_000,
      },
      null,
    ],
    [
      'before other news',
      { announcements: news({ event: 'DISABLED_UPDATE' }), restricted_until_ms: 9_000 },
      7_000,
    ],
    ['that were lifted', { announcements: news({ event: 'ACCOUNT_RECONNECTED' }) }, null],
    ['of which nothing was told', { announcements: '{}' }, null],
  ])('%s', (_, row, since) => {
    using database = before('0035_account_restriction')
    insert(database, 'accounts', { status: 'active', ...row })
    upgrade(database, '0035_account_restriction')
    expect(database.query('select restricted_at_ms as since from accounts').all()).toEqual([
      { since },
    ])
  })
})

test('one-time codes that campaigns held in clear are forgotten, and nothing else is', () => {
  using database = before('0036_codes_of_campaigns')
  for (const category of ['AUTHENTICATION', 'UTILITY']) {
    insert(database, 'templates', { organization_id: 'o', id: category, category, name: category })
    const campaign = {
      organization_id: 'o',
      id: category,
      template_id: category,
      status: 'draft',
      audience: '{}',
    }
    insert(database, 'campaigns', {
      ...campaign,
      default_params: '{"1":"4711"}',
      variable_mapping: '{"1":{"value":"4711"}}',
    })
    insert(database, 'campaign_counts', { organization_id: 'o', campaign_id: category })
    const recipient = {
      organization_id: 'o',
      campaign_id: category,
      source: 'upload',
      status: 'pending',
    }
    insert(database, 'campaign_recipients', {
      ...recipient,
      id: '1',
      identity: 'p:1',
      params: '{"template_params":{"1":"4711"}}',
    })
    insert(database, 'campaign_recipients', { ...recipient, id: '2', identity: 'p:2' })
  }
  const counts = database.query('select * from campaign_counts').all()
  upgrade(database, '0036_codes_of_campaigns')
  expect(
    database
      .query('select campaign_id as of, params from campaign_recipients where params is not null')
      .all(),
  ).toEqual([{ of: 'UTILITY', params: '{"template_params":{"1":"4711"}}' }])
  expect(
    database.query('select id, default_params, variable_mapping from campaigns order by id').all(),
  ).toEqual([
    { id: 'AUTHENTICATION', default_params: '{}', variable_mapping: '{}' },
    { id: 'UTILITY', default_params: '{"1":"4711"}', variable_mapping: '{"1":{"value":"4711"}}' },
  ])
  expect(database.query('select * from campaign_counts').all()).toEqual(counts)
})

describe('memberships of before', () => {
  const tag = '0050_known_addresses'
  const stories: [who: string, entry: Loose | null, acceptedFromMs: number | null][] = [
    [
      'was added by others',
      { user_id: 'admin', action: 'member_added', resource_id: 'person' },
      null,
    ],
    ['did nothing there', null, null],
    [
      'joined by itself',
      { user_id: 'person', action: 'member_added', resource_id: 'person' },
      5_000,
    ],
    ['switched there', { user_id: 'person', action: 'switched_organization' }, 5_000],
    [
      'switched there as the member it was before',
      { user_id: 'person', action: 'switched_organization', created_at_ms: 4_000 },
      null,
    ],
    [
      'founded the organization',
      { user_id: 'person', action: 'created', resource_type: 'organization', resource_id: 'org' },
      5_000 + 30 * 86_400_000,
    ],
  ]
  test.each(stories)('of a person that %s', (_who, entry, acceptedFromMs) => {
    const database = before(tag)
    insert(database, 'memberships', {
      organization_id: 'org',
      id: 'm',
      user_id: 'person',
      role_id: 'role',
      created_at_ms: 5_000,
    })
    if (entry)
      insert(database, 'audit_logs', {
        organization_id: 'org',
        id: 'a',
        actor_type: 'user',
        created_at_ms: 5_000,
        ...entry,
      })
    upgrade(database, tag)
    expect(database.query('select accepted_from_ms from memberships').all()).toEqual([
      { accepted_from_ms: acceptedFromMs },
    ])
  })
})
