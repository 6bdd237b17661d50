import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'

import type { Client, Loose } from './support/client'
import { dump } from './support/dump'
import { upload } from './support/files'
import { exampleOf, guardedRoutesOf, NOBODY, pathOf, type Route } from './support/routes'
import { freshDatabase, World, type Tenant } from './support/world'
import { changeRows } from './support/sql'

/** Things of an organization that bodies and filters name. */
interface Ids {
  contact: string
  conversation: string
  message: string
  account: string
  user: string
  segment: string
  media: string
  team: string
}

/** What only the other tenant knows; it must appear in no answer. */
const FOREIGN_WORDS = 'the combination of the safe is 4711'

let world: World
let admin: Client
let foreign: Ids
let own: Ids

async function idsOf(tenant: Tenant, words: string): Promise<Ids> {
  const contact = String((await world.contactOf(tenant, words))['id'])
  const client = await world.as('admin', tenant)
  const firstOf = async (path: string): Promise<string> =>
    String(((await client.get(path)).data['items'] as Loose[])[0]?.['id'])
  const filter = { field: 'country', op: 'eq', value: 'US' }
  const file = { bytes: new TextEncoder().encode(words), type: 'text/plain' }
  const team = (await client.post('/api/teams', { name: words })).data['team'] as Loose
  return {
    contact,
    conversation: await firstOf('/api/conversations'),
    message: await firstOf(`/api/contacts/${contact}/messages`),
    account: tenant.accountId ?? '',
    user: tenant.userIds.agent,
    segment: String((await client.post('/api/segments', { name: words, filter })).data['id']),
    media: String((await upload(client, file)).data['id']),
    team: String(team['id']),
  }
}

beforeAll(async () => {
  world = await World.create()
  own = await idsOf(world.tenant, 'hello from the first')
  foreign = await idsOf(world.other, FOREIGN_WORDS)
  admin = await world.as('admin')
})

afterAll(() => world.stop())

/**
 * A body that the route's schema accepts; of people it names those of the caller's own
 * organization.
 */
function validBody(route: Route): unknown {
  if (route.method === 'GET' || route.body === null) return undefined
  const example = exampleOf(route)
  return 'user_id' in example ? { ...example, user_id: own.user } : example
}

/**
 * `tenancy-callers.test.ts` asks every route for every id, and looks through all lists. Here are ids in
 * bodies and filters.
 */
describe('an id of another organization', () => {
  const ofContact = (action: string) => () => `/api/contacts/${own.contact}/${action}`
  const ofConversation = (action: string) => () =>
    `/api/conversations/${own.conversation}/${action}`
  const bodies: [
    what: string,
    method: string,
    path: () => string,
    field: string,
    bodyOf: () => object,
  ][] = [
    [
      'reading all of a contact',
      'POST',
      ofContact('mark-read'),
      'account_id',
      () => ({ account_id: foreign.account }),
    ],
    [
      'reading all of a contact',
      'POST',
      ofContact('mark-read'),
      'account_id',
      () => ({ account_id: NOBODY }),
    ],
    [
      'sending',
      'POST',
      ofContact('messages'),
      'account_id',
      () => ({ type: 'text', text: 'x', account_id: foreign.account }),
    ],
    [
      'sending',
      'POST',
      ofContact('messages'),
      'reply_to',
      () => ({ type: 'text', text: 'x', reply_to: foreign.message }),
    ],
    [
      'answering',
      'POST',
      ofConversation('messages'),
      'account_id',
      () => ({ type: 'text', text: 'x', account_id: foreign.account }),
    ],
    [
      'answering',
      'POST',
      ofConversation('messages'),
      'account_id',
      () => ({ type: 'text', text: 'x', account_id: NOBODY }),
    ],
    [
      'answering',
      'POST',
      ofConversation('messages'),
      'reply_to',
      () => ({ type: 'text', text: 'x', reply_to: foreign.message }),
    ],
    ['reading', 'POST', ofConversation('read'), 'up_to', () => ({ up_to: foreign.message })],
    [
      'assigning a contact',
      'PUT',
      ofContact('assign'),
      'user_id',
      () => ({ user_id: foreign.user }),
    ],
    ['assigning a contact', 'PUT', ofContact('assign'), 'user_id', () => ({ user_id: NOBODY })],
    [
      'assigning a conversation',
      'PUT',
      ofConversation('assign'),
      'user_id',
      () => ({ user_id: foreign.user }),
    ],
    [
      'exporting',
      'POST',
      () => '/api/export',
      'segment_id',
      () => ({ table: 'contacts', segment_id: foreign.segment }),
    ],
    ...Object.entries({ account_id: 'account', 'message.media_id': 'media' } as const).map(
      ([name, kind]): (typeof bodies)[number] => [
        'scheduling a message',
        'POST',
        () => '/api/scheduled-messages',
        name,
        () => ({
          contact_id: own.contact,
          message: { type: 'document', media_id: kind === 'media' ? foreign.media : own.media },
          ...(kind === 'account' ? { account_id: foreign.account } : {}),
          send_at: new Date(world.clock.nowMs() + 3_600_000).toISOString(),
        }),
      ],
    ),
    ...Object.entries({ account_id: 'account', team_id: 'team', assigned_to: 'user' } as const).map(
      ([name, kind]): (typeof bodies)[number] => [
        'saving a view',
        'POST',
        () => '/api/views',
        `filter.${name}`,
        () => ({ name: 'x', resource: 'conversations', filter: { [name]: foreign[kind] } }),
      ],
    ),
  ]
  for (const [what, method, path, field, bodyOf] of bodies)
    test(`in the body of ${what} is 400 with its path: ${field}`, async () => {
      const before = dump(world.program.http.db.sqlite)
      const answer = await admin.request(method, path(), bodyOf())
      expect({
        status: answer.status,
        paths: answer.body.errors?.map(({ path: named }) => named),
      }).toEqual({
        status: 400,
        paths: [`body.${field}`],
      })
      expect(dump(world.program.http.db.sqlite)).toEqual(before)
    })

  const filters = [
    ['/api/contacts', 'account_id', 'account'],
    ['/api/templates', 'account_id', 'account'],
    ['/api/flows', 'account_id', 'account'],
    ['/api/contacts', 'assigned_to', 'user'],
    ['/api/conversations', 'account_id', 'account'],
    ['/api/conversations', 'assigned_to', 'user'],
    ['/api/inbound/events', 'account_id', 'account'],
  ] as const
  for (const [path, parameter, kind] of filters)
    test(`in the filter ${parameter} of ${path} finds nothing`, async () => {
      const { data } = await admin.get(`${path}?${parameter}=${foreign[kind]}`)
      expect({ items: data['items'], total: data['total'] }).toEqual({ items: [], total: 0 })
    })

  test('as the place to read on from is 400', async () => {
    for (const parameter of ['before', 'after']) {
      const answer = await admin.get(
        `/api/contacts/${own.contact}/messages?${parameter}=${foreign.message}`,
      )
      expect({ status: answer.status, path: answer.body.errors?.[0]?.path }).toEqual({
        status: 400,
        path: `query.${parameter}`,
      })
    }
  })
})

test('a number connected elsewhere cannot be connected, and the answer does not say by whom', async () => {
  const answer = await admin.post('/api/accounts', {
    name: 'Stolen',
    phone_id: world.other.phoneId,
    business_id: world.other.wabaId,
    access_token: world.other.token,
  })
  expect({ status: answer.status, code: answer.body.code }).toEqual({
    status: 409,
    code: 'phone_id_in_use',
  })
  expect(JSON.stringify(answer.body)).not.toContain(world.other.name)
  expect(JSON.stringify(answer.body)).not.toContain(foreign.account)
})

test('naming another organization in the header is refused on every guarded route', async () => {
  const intruder = admin.with({ 'x-organization-id': world.other.id })
  for (const route of guardedRoutesOf(world)) {
    const { status, body } = await intruder.request(
      route.method,
      pathOf(route, foreign.contact),
      validBody(route),
    )
    expect({ route: route.label, status, code: body.code }).toEqual({
      route: route.label,
      status: 403,
      code: 'organization_mismatch',
    })
  }
})

/** Tables without an organization, each with the reason. */
const OF_NO_ORGANIZATION: Record<string, string> = {
  push_keys: 'the installation has one key pair for push services',
  backup_codes: 'of a person',
  digest_keys: 'keys of the installation',
  erased_organizations: 'what is kept of an organization has nothing that names it',
  organization_imports: 'of the installation, into which organizations are imported',
  organization_import_links: 'of one import, while it runs',
  organization_import_numbers: 'of one import, while it runs',
  organization_import_users: 'of one import, while it runs',
  password_resets: 'of a person',
  job_schedules: 'work of the whole installation that comes again and again',
  inbound_staging: 'deliveries as they came, before anything is made of them',
  inbound_bodies:
    'one delivery of the platform carries changes of several organizations; each change is a row that names its own',
  organizations: 'the tenants themselves',
  permission_seeds: 'changes of the catalogue that all organizations have been through',
  prices: 'what the platform charges everybody',
  root_keys: 'keys of the installation',
  rights_version: 'one number for the rights of everybody',
  relay_state: 'one row: how far the events have been handed on',
  webhook_reader: 'one row: up to which event deliveries were made',
  schema_migrations: 'what has been done to the schema',
  sessions: 'a sign-in of a person, who may belong to several organizations',
  throttle_failures: 'failures are counted before it is known whose they are',
  throttle_known_addresses: 'of accounts, which belong to the installation',
  users: 'a person may belong to several organizations',
}

/** Tables whose organization may be unknown, each with the reason. */
const SOMETIMES_OF_NONE: Record<string, string> = {
  inbound_events: 'a change for a number that nobody has connected belongs to nobody',
}

/** Columns with an id that no key of the database guards, each with the reason. */
const UNGUARDED: Record<string, string> = {
  'boards.user_id': 'of a person, whose membership takes it along; empty for the organization',
  'agent_message_counts.user_id': 'stays as it was when the person has gone',
  'agent_response_counts.user_id': 'stays as it was when the person has gone',
  'transfer_counts.user_id': 'stays as it was when the person has gone; empty for nobody',
  'bot_session_counts.flow_id': 'stays as it was when the flow has gone; empty for none',
  'ai_call_counts.account_id': 'of a phone number, which is never deleted; empty for none',
  'contacts_seen.account_id': 'of a phone number, which is never deleted; empty for all of them',
  'keyword_rollups.source_id': 'stays as it was when the rule or flow has gone',
  'message_words.contact_id': 'follows its message in a job, and ends with it',
  'accounts.app_id': "the platform's",
  'accounts.business_id': "the platform's",
  'accounts.funding_id': "the platform's",
  'accounts.messaging_account_id': "the platform's",
  'accounts.phone_id': "the platform's",
  'accounts.portfolio_id': "the platform's",
  'api_keys.owner_membership_id':
    'names a membership that may be gone: the key stays stopped when the person comes back with another',
  'ai_questions.message_id': 'stays as it was when the message has gone',
  'audit_logs.api_key_id': 'stays as it was when the key has gone',
  'audit_logs.request_id': 'of a request',
  'audit_logs.resource_id': 'of a thing of any kind, which may have gone',
  'audit_logs.user_id': 'stays as it was when the person has gone',
  'bot_flow_references.target_id': 'of a thing of any kind, which may have gone',
  'bot_inbox.message_id': 'waits for some seconds; the bot skips a message that has gone',
  'bot_sessions.first_message_id': 'stays as it was when the message has gone',
  'push_subscriptions.session_id': 'sessions belong to users, and end before their rows go',
  'scheduled_messages.message_id': 'stays as it was when the message has gone',
  'bot_sessions.flow_id': 'stays as it was when the flow has gone',
  'messages.bot_flow_id': 'stays as it was when the flow has gone',
  'messages.campaign_id': 'stays as it was when the campaign has gone',
  'messages.template_id': 'stays as it was when the template has gone',
  'cost_changes.campaign_id': 'stays as it was when the campaign has gone; empty for none',
  'cost_changes.template_id': 'stays as it was when the template has gone; empty for none',
  'cost_changes.bot_flow_id': 'stays as it was when the flow has gone; empty for none',
  'cost_changes.agent_id': 'stays as it was when the person has gone; empty for nobody',
  'bot_trace.flow_id': 'stays as it was when the flow has gone',
  'bot_trace.message_id': 'stays as it was when the message has gone',
  'campaign_recipients.user_id': "the platform's",
  'contact_viewers.viewer_id':
    'written by triggers alone; of a person, a team, or all holders of a permission',
  'conversation_counts.team_id':
    'written by the triggers of conversations alone; empty where there is no team',
  'contact_terms.contact_id':
    'written by the triggers of contact_words alone; a key would have to look through all terms when a contact goes',
  'contact_consents.actor_id': 'of a person or a key; stays as it was when they have gone',
  'contact_consents.message_id': 'stays as it was when the message has gone',
  'contact_merges.actor_id': 'of a person or a key; stays as it was when they have gone',
  'contacts_apart.actor_id': 'of a person or a key; stays as it was when they have gone',
  'contacts.parent_user_id': "the platform's",
  'contacts.user_id': "the platform's",
  'contacts.wa_id': "the platform's",
  'conversations.last_message_id':
    'messages name their conversation: of a circle of keys one is left out; written with the message in one transaction',
  'events.contact_id': 'of a journal that is read for a day; the contact may have gone',
  'flows.business_id': "the platform's",
  'flows.meta_flow_id': "the platform's",
  'import_rows.target_id': 'of a thing of any kind, which may have gone',
  'product_import_items.source_id': 'of another product',
  'product_import_items.target_id': 'of a thing of any kind, which may have gone',
  'calls.wa_call_id': "the platform's",
  'chatbot_settings.account_id': "the nil UUID stands for the organization's own row",
  'inbound_events.business_id': "the platform's",
  'inbound_events.phone_number_id': "the platform's",
  'media.platform_media_id': "the platform's",
  'media_uploads.platform_media_id': "the platform's",
  'message_reactions.target_wa_message_id': "the platform's",
  'message_reactions.user_id': "the platform's",
  'message_reactions.wa_message_id': "the platform's",
  'message_revisions.target_wa_message_id': "the platform's",
  'message_revisions.wa_message_id': "the platform's",
  'message_statuses.template_id': "the platform's",
  'message_statuses.wa_message_id': "the platform's",
  'messages.platform_template_id': "the platform's",
  'messages.wa_message_id': "the platform's",
  'orders.catalog_id': "the platform's",
  'refresh_tokens.successor_id': 'of a token of the same chain, which may have been cleared away',
  'send_attempts.trace_id': "the platform's",
  'templates.business_id': "the platform's",
  'webhook_deliveries.original_id': 'stays as it was when the first delivery has been pruned',
  'webhook_deliveries.payload_id': 'payloads are pruned and erased before their deliveries',
  'webhook_deliveries.contact_id': 'stays as it was when the contact has gone',
  'webhook_deliveries.replay_id': 'stays as it was when the replay has gone',
  'webhook_endpoints.first_failed_id': 'of a delivery, which may have been pruned',
  'webhook_payloads.contact_id': 'of a journal; the contact may have gone',
  'webhook_replays.after_id': 'a place in the order of deliveries',
  'templates.platform_id': "the platform's",
}

/**
 * What is wrong with a schema: tables of tenants without their organization, references that could
 * cross from one to another, and ids that refer to nothing the database knows of.
 */
function leaksOf(
  sqlite: Database,
  exempt: { none: string[]; sometimes: string[]; unguarded: string[] },
): string[] {
  // Full-text indices hold nothing of their own: each lies over a table that is walked here.
  const names = sqlite
    .query<{ name: string }, []>(
      "select name from pragma_table_list where type = 'table' and schema = 'main' and name not like 'sqlite_%' order by name",
    )
    .all()
    .map(({ name }) => name)
  const organizationOf = (table: string): { notnull: number } | null =>
    sqlite
      .query<{ notnull: number }, [string]>(
        'select "notnull" from pragma_table_info(?) where name = \'organization_id\'',
      )
      .get(table)
  const missing = names.flatMap((name) => {
    const column = organizationOf(name)
    if (!column) return exempt.none.includes(name) ? [] : [`${name} has no organization_id`]
    if (exempt.none.includes(name)) return [`${name} is exempt and has an organization_id`]
    return column.notnull === 1 || exempt.sometimes.includes(name)
      ? []
      : [`${name}.organization_id may be null`]
  })
  const crossing = names
    .filter((name) => organizationOf(name))
    .flatMap((name) =>
      sqlite
        .query<{ id: number; table: string; columns: string }, [string]>(
          `select id, "table", group_concat("from" || '>' || "to") as columns from pragma_foreign_key_list(?) group by id`,
        )
        .all(name)
        .filter(
          (key) =>
            organizationOf(key.table) &&
            !key.columns.split(',').includes('organization_id>organization_id'),
        )
        .map((key) => `${name} refers to ${key.table} by ${key.columns} alone`),
    )
  const loose = names
    .filter((name) => organizationOf(name))
    .flatMap((name) =>
      sqlite
        .query<{ column: string }, [string, string]>(
          `select name as "column" from pragma_table_info(?) where name like '%\\_id' escape '\\' and name <> 'organization_id'
           and name not in (select "from" from pragma_foreign_key_list(?))`,
        )
        .all(name, name)
        .map(({ column }) => `${name}.${column}`),
    )
  const unguarded = loose
    .filter((column) => !exempt.unguarded.includes(column))
    .map((column) => `${column} refers to nothing`)
  const guarded = exempt.unguarded
    .filter((column) => !loose.includes(column))
    .map((column) => `${column} needs no reason`)
  const stale = [...exempt.none, ...exempt.sometimes]
    .filter((name) => !names.includes(name))
    .map((name) => `there is no table ${name}`)
  return [...missing, ...crossing, ...unguarded, ...guarded, ...stale]
}

describe('the schema keeps organizations apart', () => {
  test('every table of tenants names its organization, and no reference crosses over', () => {
    const exempt = {
      none: Object.keys(OF_NO_ORGANIZATION),
      sometimes: Object.keys(SOMETIMES_OF_NONE),
      unguarded: Object.keys(UNGUARDED),
    }
    expect(leaksOf(freshDatabase(), exempt)).toEqual([])
  })

  test('the check finds what a careless schema does wrong', () => {
    const sqlite = new Database(':memory:')
    sqlite.run('create table things (organization_id text not null, id text primary key) strict')
    sqlite.run('create table orphans (id text primary key) strict')
    sqlite.run('create table loose (organization_id text, id text primary key) strict')
    sqlite.run(
      'create table parts (organization_id text not null, thing_id text references things(id)) strict',
    )
    sqlite.run(
      'create table crossed (organization_id text not null, thing_id text, foreign key (thing_id, organization_id) references things (organization_id, id)) strict',
    )
    sqlite.run(
      'create table fine (organization_id text not null, thing_id text, foreign key (organization_id, thing_id) references things (organization_id, id)) strict',
    )
    sqlite.run(
      'create table free (organization_id text not null, thing_id text, other_id text, platform_id text) strict',
    )
    expect(
      leaksOf(sqlite, {
        none: ['gone'],
        sometimes: [],
        unguarded: ['free.platform_id', 'fine.thing_id'],
      }),
    ).toEqual([
      'loose.organization_id may be null',
      'orphans has no organization_id',
      'crossed refers to things by thing_id>organization_id,organization_id>id alone',
      'parts refers to things by thing_id>id alone',
      'free.thing_id refers to nothing',
      'free.other_id refers to nothing',
      'fine.thing_id needs no reason',
      'there is no table gone',
    ])
  })

  test('a row cannot point into another organization, whatever the program does', () => {
    const { sqlite } = world.program.http.db
    const crossing = [
      [
        'contacts',
        `update contacts set account_id = '${foreign.account}' where id = '${own.contact}'`,
      ],
      [
        'contacts',
        `update contacts set assigned_to = '${foreign.user}' where id = '${own.contact}'`,
      ],
      [
        'conversations',
        `update conversations set contact_id = '${foreign.contact}' where id = '${own.conversation}'`,
      ],
      [
        'messages',
        `update messages set reply_to_id = '${foreign.message}' where id = '${own.message}'`,
      ],
      [
        'memberships',
        `update memberships set role_id = '${world.other.roleIds.admin}' where user_id = '${own.user}'`,
      ],
    ] as const
    for (const [table, statement] of crossing)
      expect({ table, run: () => changeRows(sqlite, statement) }.run).toThrow('FOREIGN KEY')
  })
})
