import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import {
  archivedSecretContext,
  sealerOf,
} from '../../../../src/modules/data/organization-archive/archive-secrets'
import { routeByBusinessId } from '../../../../src/modules/channel/accounts/queries'
import type { Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import {
  archiveKey,
  archiveOf,
  columnOf,
  packed,
  PASSPHRASE,
  type TestArchive,
} from '../../../support/organization-archive'
import { travelTo } from '../../../support/travels'
import { World } from '../../../support/world'

/** An archive that somebody wrote to do harm where it is imported. */
let source: World
let target: World

beforeAll(async () => {
  source = await World.create()
  target = await World.create({ names: ['Crux'], firstId: 1_000_000 })
})
afterAll(async () => {
  await source.stop()
  await target.stop()
})

async function imported(archive: TestArchive, at = target): Promise<Loose> {
  const superAdmin = await at.as('super')
  const started = await upload(superAdmin, {
    ...{ bytes: await packed(archive), path: '/api/admin/organizations/import', name: 'a.zip' },
    type: 'application/zip',
    fields: { passphrase: PASSPHRASE, dry_run: 'false' },
  })
  expect(started.status).toBe(202)
  await at.work()
  return (await superAdmin.get(`/api/admin/organizations/imports/${started.data['id']}`)).data
}

describe('an imported password hash', () => {
  test('that costs more than a sign-in can pay has to be reset', async () => {
    const archive = await archiveOf(source, source.tenant)
    const { key } = await archiveKey()
    const hashes = columnOf(archive, 'users', 'password_hash')
    const people: Record<string, string> = {
      admin: 'm=1048576,t=20,p=1',
      manager: 'm=524288,t=3,p=1',
      agent: 'm=1024,t=2,p=1',
    }
    for (const [person, cost] of Object.entries(people)) {
      const email = source.emailOf(person as 'admin', source.tenant)
      const line = (archive.parts.get('users') as unknown[][]).find((values) =>
        values.includes(email),
      )
      if (!line) throw new Error(email)
      const [own] = source.rows<{ hash: string }>(
        'select password_hash as hash from users where email = ?',
        email,
      )
      line[hashes] = sealerOf(key).seal(
        (own?.hash ?? '').replace('m=1024,t=2,p=1', cost),
        archivedSecretContext({
          ...{ organizationId: source.tenant.id, table: 'users', column: 'password_hash' },
          key: [line[columnOf(archive, 'users', 'id')]],
        }),
      )
    }
    expect((await imported(archive))['state']).toBe('completed')
    const costs = target
      .rows<{ hash: string }>(
        `select password_hash as hash from users u join memberships m on m.user_id = u.id
         where m.organization_id = ?`,
        source.tenant.id,
      )
      .map(({ hash }) => hash.split('$')[3])
    expect(new Set(costs)).toEqual(new Set(['m=1024,t=2,p=1']))
    expect((await target.signIn(source.emailOf('agent', source.tenant))).token).toBeString()
  })
})

describe('what only a server can vouch for', () => {
  /** A number that claims the business account of another tenant here, and much more. */
  const CLAIMS: Record<string, unknown> = {
    business_link: 'proven',
    last_checked_at_ms: Date.UTC(2100, 0, 1),
    is_subscribed: 1,
    subscribed_at_ms: Date.UTC(2025, 0, 1),
    verified_name: 'A famous shop',
    business_verification: 'verified',
    code_verification: 'VERIFIED',
    is_registered: 1,
    quality_rating: 'GREEN',
    messaging_limit_tier: 'TIER_UNLIMITED',
    throughput_level: 'HIGH',
    marketing_status: 'onboarded',
    funding_state: 'attached',
    funding_source: 'person',
    flow_key_status: 'VALID',
  }

  const stored = (tenantId: string): Loose =>
    target.rows(
      `select ${Object.keys(CLAIMS).join(', ')} from accounts where organization_id = ?`,
      tenantId,
    )[0] ?? {}

  const ownersOf = (businessId: string): string[] =>
    routeByBusinessId(target.program.http, businessId).map((one) => one.organizationId)

  /** The business account of the tenant here, whose token proves it. */
  async function businessOfTarget(): Promise<string> {
    const admin = await target.as('admin')
    await admin.post(`/api/accounts/${target.tenant.accountId}/test`)
    const [row] = target.rows<{ id: string }>(
      'select business_id as id from accounts where organization_id = ?',
      target.tenant.id,
    )
    expect(ownersOf(row?.id ?? '')).toEqual([target.tenant.id])
    return row?.id ?? ''
  }

  test('is not believed: webhooks about the business account of another tenant stay with that tenant', async () => {
    const archive = await archiveOf(source, source.other)
    const theirs = await businessOfTarget()
    const set = (table: string, column: string, value: unknown): void => {
      const line = archive.parts.get(table)?.[0] as unknown[]
      line[columnOf(archive, table, column)] = value
    }
    for (const [column, value] of Object.entries({ ...CLAIMS, business_id: theirs }))
      set('accounts', column, value)
    set('organizations', 'moves', 900_000)
    target.simulator.fail({ code: 4 }, { route: 'phone' })
    const done = await imported(archive)
    expect(done['state']).toBe('completed')
    expect(stored(source.other.id)).toEqual({
      ...Object.fromEntries(Object.keys(CLAIMS).map((column) => [column, null])),
      ...{ business_link: 'unchecked', is_subscribed: 0, quality_rating: 'UNKNOWN' },
      ...{ throughput_level: 'STANDARD', marketing_status: 'unknown', funding_state: 'unknown' },
    })
    expect(ownersOf(theirs)).toEqual([target.tenant.id])
    expect(target.rows('select moves from organizations where id = ?', source.other.id)).toEqual([
      { moves: 0 },
    ])
    target.clock.advance({ minutes: 1 })
    await target.work() // the platform is asked again, and denies it
    expect(stored(source.other.id)['business_link']).toBe('unproven')
    expect(ownersOf(theirs)).toEqual([target.tenant.id])
  })

  test('travels in a move, but the proof is found out again', async () => {
    await using from = await World.create()
    await using next = await World.create({ tenants: 0, firstId: 5_000_000 })
    next.rows("update users set email = 'other@example.com'") // the super admins come along
    await travelTo(from.program, next.program, 'move')
    const [before, after] = [from, next].map(
      (at) =>
        at.rows(
          `select ${Object.keys(CLAIMS).join(', ')} from accounts where organization_id = ?`,
          from.tenant.id,
        )[0],
    )
    expect(before).toMatchObject({ business_link: 'proven', quality_rating: 'GREEN' })
    expect(after).toEqual({ ...before, business_link: 'unchecked', last_checked_at_ms: null })
  })
})

test('an address that no server may call is refused in a move, too', async () => {
  await using from = await World.create()
  await using next = await World.create({ tenants: 0, firstId: 5_000_000 })
  next.rows("update users set email = 'other@example.com'") // the super admins come along
  const endpoint = { name: 'CRM', url: 'https://crm.example.com/', events: ['*'] }
  expect((await (await from.as('admin')).post('/api/webhooks', endpoint)).status).toBe(201)
  from.rows("update webhook_endpoints set url = 'http://169.254.169.254/latest/meta-data/'")
  const refusal = 'tables/webhook_endpoints.ndjson, line 1: `url` has an address'
  expect(travelTo(from.program, next.program, 'move')).rejects.toThrow(refusal)
})

describe('a check refuses secrets that the API refuses', () => {
  const EVIL = { 'X-Key': 'a\r\nHost: internal' }
  const SECRETS: [table: string, column: string, value: string][] = [
    ['webhook_endpoints', 'secret_sealed', 'no secret'],
    ['webhook_endpoints', 'headers_sealed', 'no JSON'],
    ['webhook_endpoints', 'headers_sealed', JSON.stringify({ Host: 'internal' })],
    ['custom_actions', 'headers_sealed', JSON.stringify(EVIL)],
    ['custom_actions', 'headers_sealed', JSON.stringify({ 'X-Key': 5 })],
    ['bot_flows', 'completion_headers_sealed', JSON.stringify({ 'Transfer-Encoding': 'chunked' })],
    ['ai_contexts', 'headers_sealed', JSON.stringify({ '': 'a' })],
    ['accounts', 'access_token_sealed', 'token\r\nX-Key: a'],
    ['accounts', 'access_token_sealed', 'x'.repeat(10_000)],
    ['accounts', 'pin_sealed', '12'],
    ['accounts', 'verify_token_sealed', 'x'.repeat(5_000)],
  ]

  test('headers, signing secrets, tokens and PINs', async () => {
    await using from = await World.create({ tenants: 1 })
    const admin = await from.as('admin')
    const [url, headers] = ['https://crm.example.com/hooks', { 'X-Key': 'a key' }]
    const made = [
      await admin.post('/api/webhooks', { name: 'CRM', url, events: ['*'], headers }),
      await admin.post('/api/custom-actions', {
        ...{ name: 'CRM', action_type: 'webhook', config: { url, headers } },
      }),
      await admin.post('/api/chatbot/ai-contexts', {
        ...{ name: 'CRM', context_type: 'api', api_config: { url, headers } },
      }),
      await admin.post('/api/chatbot/flows', {
        ...{ name: 'Prices', trigger_keywords: ['price'], on_complete_action: 'webhook' },
        graph: graphOf({ id: 'a', type: 'message', config: { message: 'From 5 euros.' } }),
        completion_config: { url, headers },
      }),
    ]
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201))
    const archive = await archiveOf(from, from.tenant)
    const { key } = await archiveKey()
    const checked = async (parts: TestArchive['parts']): Promise<Loose> => {
      const { status, body } = await upload(await target.as('super'), {
        ...{ bytes: await packed({ ...archive, parts }), name: 'a.zip', type: 'application/zip' },
        ...{ path: '/api/admin/organizations/import', fields: { passphrase: PASSPHRASE } },
      })
      target.program.http.db.sqlite.run('delete from organization_imports')
      return { status, field: body.details?.['field'], line: body.details?.['line'] }
    }
    const taken: unknown[] = []
    for (const [table, column, value] of SECRETS) {
      const [line] = archive.parts.get(table) as [unknown[]]
      const own = archive.manifest.parts.find((part) => part.table === table)?.key ?? []
      const sealed = sealerOf(key).seal(
        value,
        archivedSecretContext({
          ...{ organizationId: from.tenant.id, table, column },
          key: own.map((name) => line[columnOf(archive, table, name)]),
        }),
      )
      const changed = [line.with(columnOf(archive, table, column), sealed)]
      const answer = await checked(new Map(archive.parts).set(table, changed))
      if (answer['status'] !== 400 || answer['field'] !== column)
        taken.push([table, column, value.slice(0, 40), answer])
    }
    expect(taken).toEqual([])
    expect(await checked(archive.parts)).toMatchObject({ status: 202 })
  })
})

describe('a check refuses what the API refuses', () => {
  let archive: TestArchive
  const HOOK = 'https://crm.example.com/hooks'

  beforeAll(async () => {
    const admin = await source.as('admin', source.other)
    const contact = await source.contactOf(source.other)
    const made = [
      await admin.post('/api/tags', { name: 'VIP' }),
      await admin.post('/api/teams', { name: 'Support', description: 'Orders' }),
      await admin.post('/api/canned-responses', { name: 'Hours', content: 'From 9 to 17.' }),
      await admin.post(`/api/contacts/${contact['id']}/notes`, { content: 'Calls later.' }),
      await admin.post('/api/segments', {
        ...{ name: 'VIPs', filter: { field: 'tags', op: 'in', value: ['vip'] } },
      }),
      await admin.post('/api/views', {
        ...{ name: 'VIPs', resource: 'conversations', filter: { state: 'open', tags: 'vip' } },
      }),
      await admin.post('/api/chatbot/ai-contexts', {
        ...{ name: 'Hours', content: 'From 9 to 17.', trigger_keywords: ['open'] },
      }),
      await admin.post('/api/chatbot/ai-contexts', {
        ...{ name: 'Stock', context_type: 'api', api_config: { url: HOOK, cache_seconds: 60 } },
      }),
      await admin.post('/api/templates', {
        ...{ account_id: source.other.accountId, name: 'hello', language: 'en' },
        ...{ category: 'UTILITY', components: [{ type: 'BODY', text: 'Hello there.' }] },
      }),
      await admin.post('/api/scheduled-messages', {
        ...{ contact_id: contact['id'], message: { type: 'text', text: 'Good morning!' } },
        send_at: new Date(source.clock.nowMs() + 3_600_000).toISOString(),
      }),
      await admin.post(`/api/contacts/${contact['id']}/consents`, { state: 'opted_in' }),
      await admin.post('/api/chatbot/transfers', { contact_id: contact['id'], notes: 'Refund' }),
      await admin.post('/api/custom-actions', {
        ...{ name: 'Shop', action_type: 'url', config: { url: 'https://shop.example.com/' } },
      }),
      await admin.post('/api/webhooks', { name: 'CRM', url: HOOK, events: ['*'] }),
      await admin.post('/api/chatbot/flows', {
        ...{ name: 'Prices', trigger_keywords: ['price'], enabled: true },
        graph: graphOf({ id: 'a', type: 'message', config: { message: 'From 5 euros.' } }),
        ...{ on_complete_action: 'webhook', completion_config: { url: HOOK } },
      }),
      await admin.post('/api/chatbot/keywords', {
        ...{ name: 'Menu', keywords: ['menu'], response_type: 'media' },
        response_content: { kind: 'image', url: 'https://shop.example.com/menu.png' },
      }),
      await upload(admin, {
        ...{ bytes: new TextEncoder().encode('a text'), name: 'a.txt', type: 'text/plain' },
      }),
    ]
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201))
    const spend = { monthly: '50', currency: 'EUR', warn_at: [50, 100] }
    for (const [path, settings] of [
      ['/api/organizations/settings', { spend }],
      ['/api/chatbot/settings', { greeting_message: 'Hi {{ contact.name }}' }],
      ['/api/consent-settings', { opt_out_reply: 'Bye {{ contact.name }}' }],
      ['/api/organizations/branding', { accent: '#0a5c36' }],
    ] as const)
      expect((await admin.put(path, settings)).status).toBe(200)
    const { db } = source.program.http
    db.sqlite.run("update media set kind = 'image', mime_type = 'image/png'")
    await source.settle()
    archive = await archiveOf(source, source.other, { hasSecrets: false })
  })

  /** Checks the archive with other parts. */
  async function checked(parts: TestArchive['parts']): Promise<Loose> {
    const { body } = await upload(await target.as('super'), {
      ...{ bytes: await packed({ ...archive, parts }), name: 'a.zip', type: 'application/zip' },
      path: '/api/admin/organizations/import',
    })
    target.program.http.db.sqlite.run('delete from organization_imports')
    return { code: body.code ?? null, ...body.details }
  }

  test('as it is, it is good', async () => {
    expect(await checked(archive.parts)).toEqual({ code: null })
  })

  const VALUES: [table: string, column: string, value: string | number][] = [
    ['tags', 'name', 'x'.repeat(5_000)],
    ['tags', 'name', 'a\u0000b'],
    ['tags', 'name', ' '],
    ['teams', 'name', 'x'.repeat(5_000)],
    ['teams', 'description', 'x'.repeat(50_000)],
    ['canned_responses', 'name', 'a\u202eb'],
    ['canned_responses', 'content', ''],
    ['contacts', 'name', 'x'.repeat(5_000)],
    ['notes', 'content', 'x'.repeat(100_000)],
    ['notes', 'content', 'half of a pair: \ud800'],
    ['segments', 'name', 'x'.repeat(5_000)],
    ['organizations', 'slug', '../../x'],
    ['organizations', 'slug', 'another-slug'],
    ['custom_actions', 'config', JSON.stringify({ url: 'javascript:alert(1)' })],
    ['custom_actions', 'config', JSON.stringify({ url: 'https://shop.example.com/a/../b' })],
    ['webhook_endpoints', 'url', 'http://169.254.169.254/'],
    ['webhook_endpoints', 'url', 'https://127.0.0.1/'],
    ['webhook_endpoints', 'url', 'http://crm.example.com/'],
    ['webhook_endpoints', 'url', 'file:///etc/passwd'],
    ['media', 'mime_type', 'text/html'],
    ['media', 'mime_type', 'image/svg+xml'],
    ['media', 'filename', '../../etc/passwd'],
    ['organization_branding', 'accent', 'red;}</style><script>'],
    ['contact_consents', 'evidence', 'x'.repeat(5_000)],
    ['contact_identities', 'value', 'x'.repeat(5_000)],
    ['contacts', 'language', 'x'.repeat(100)],
    ['contacts', 'phone_number', '1'.repeat(5_000)],
    ['transfers', 'notes', 'x'.repeat(50_000)],
    ['webhook_endpoints', 'concurrency', 100_000],
    ['webhook_endpoints', 'rate_per_second', 1_000_000],
    ['webhook_endpoints', 'events', JSON.stringify(['x'.repeat(5_000)])],
    ['custom_actions', 'display_order', -5],
    ['templates', 'name', '../../x'],
    ['templates', 'name', 'x'.repeat(513)],
    ['templates', 'language', 'en; drop'],
    ['templates', 'language', 'x'.repeat(5_000)],
    ['templates', 'display_name', 'x'.repeat(5_000)],
    ['webhook_endpoints', 'events', JSON.stringify(['message.received', 'message.exploded'])],
    ['webhook_endpoints', 'events', JSON.stringify(['nope.*'])],
    ['bot_flows', 'priority', 1_000_000],
    ['ai_contexts', 'priority', 1_000_000],
  ]
  for (const [table, column, value] of VALUES)
    test(`${table}.${column}: ${JSON.stringify(value).slice(0, 40)}`, async () => {
      const lines = (archive.parts.get(table) ?? []) as unknown[][]
      const changed = lines.map((line) => line.with(columnOf(archive, table, column), value))
      expect(changed).not.toEqual([])
      expect(await checked(new Map(archive.parts).set(table, changed))).toEqual({
        ...{ code: 'archive_invalid', file: `tables/${table}.ndjson`, line: 1, field: column },
      })
    })

  /** Values inside JSON. */
  const INSIDE: [table: string, column: string, path: string[], value: unknown][] = [
    ['organizations', 'spend', ['warnAt'], ['50']],
    ['segments', 'filter', [], { field: 'shoe_size', op: 'eq', value: 1 }],
    ['segments', 'filter', [], { field: 'tags', op: 'explode', value: ['vip'] }],
    ['segments', 'filter', [], { all: Array.from({ length: 51 }, () => VIP) }],
    ['segments', 'filter', [], { not: { not: { not: { not: { not: VIP } } } } }],
    ['views', 'filter', ['state'], 'sleeping'],
    ['views', 'filter', ['team_id'], '1 or 1=1'],
    ['ai_contexts', 'trigger_keywords', [], ['x'.repeat(5_000)]],
    ['bot_flows', 'trigger_keywords', [], ['x'.repeat(256)]],
    ['bot_flows', 'trigger_keywords', [], ['two\nlines']],
    ['bot_flows', 'settings', ['initialMessage'], 'x'.repeat(5_000)],
    ['bot_flows', 'settings', ['timeoutMessage'], '{{ name'],
    ['chatbot_settings', 'fields', ['greeting_message'], '{{ name'],
    ['bot_flows', 'settings', ['panel'], { sections: [{ id: 'a' }] }],
    ['bot_flows', 'settings', ['completion', 'url'], 'http://169.254.169.254/'],
    ['bot_flows', 'settings', ['completion', 'url'], 'https://127.0.0.1/{{ phone }}'],
    ['bot_flows', 'settings', ['completion', 'url'], 'http://crm.example.com/'],
    ['bot_flows', 'settings', ['completion', 'url'], 'https://crm.example.com/{{ phone'],
    ['bot_flows', 'settings', ['completion', 'url'], 5],
    ['bot_flows', 'settings', ['completion'], {}],
    [
      'bot_flows',
      'settings',
      ['completion'],
      { url: 'https://{{ host }}/', method: 'POST', headerNames: ['X-Key'], body: null },
    ],
    ['scheduled_messages', 'message', ['text'], 'x'.repeat(5_000)],
    ['scheduled_messages', 'message', ['text'], ' '],
    ['scheduled_messages', 'message', ['text'], 5],
    ['scheduled_messages', 'message', ['direct'], 'x'],
    ['scheduled_messages', 'message', [], { type: 'explode' }],
    ['scheduled_messages', 'message', [], { type: 'image' }],
    ['scheduled_messages', 'message', [], { type: 'template' }],
    ['scheduled_messages', 'message', [], { type: 'template', template_id: 'x' }],
    ['scheduled_messages', 'fallback_template', [], {}],
    ['scheduled_messages', 'fallback_template', [], { template_id: 'x' }],
    ['scheduled_messages', 'fallback_template', [], { template_id: NOTICE, template_name: 'a' }],
    ['scheduled_messages', 'stored_files', ['message'], {}],
    ['scheduled_messages', 'stored_files', ['message', 'header'], 'x'],
    ['keyword_rules', 'keywords', [], ['x'.repeat(256)]],
    ['keyword_rules', 'response_content', ['kind'], 'program'],
    ['keyword_rules', 'response_content', [], { kind: 'image' }],
    ['keyword_rules', 'response_content', ['url'], 'http://169.254.169.254/'],
    ['keyword_rules', 'response_content', ['url'], 'https://127.0.0.1/menu.png'],
    ['keyword_rules', 'response_content', ['url'], 'http://shop.example.com/menu.png'],
    ['keyword_rules', 'response_content', ['url'], 'file:///etc/passwd'],
    ['keyword_rules', 'response_content', ['url'], ['https://shop.example.com/']],
    ['keyword_rules', 'response_content', ['url'], `https://shop.example.com/${'x'.repeat(2_000)}`],
  ]
  for (const [table, column, path, value] of INSIDE)
    test(`${[table, column, ...path].join('.')}: ${JSON.stringify(value).slice(0, 60)}`, async () => {
      const [line] = archive.parts.get(table) as [unknown[]]
      const at = columnOf(archive, table, column)
      const json = JSON.parse(String(line[at])) as Loose
      const parent = path.slice(0, -1).reduce((within, key) => within[key] as Loose, json)
      const last = path.at(-1)
      if (last !== undefined) parent[last] = value
      const changed = [line.with(at, JSON.stringify(last === undefined ? value : json))]
      expect(await checked(new Map(archive.parts).set(table, changed))).toEqual({
        ...{ code: 'archive_invalid', file: `tables/${table}.ndjson`, line: 1, field: column },
      })
    })

  const API = {
    ...{ url: HOOK, method: 'GET', headers: [], body: null, response_path: null },
    cache_seconds: 60,
  }
  /** Values of a row of which one decides what another may be. */
  const PAIRS: [table: string, values: Record<string, unknown>, field: string][] = [
    ...['(?=a)', '(a{50}){50}'].flatMap((pattern): typeof PAIRS => [
      ['keyword_rules', { match_type: 'regex', keywords: pattern }, 'keywords'],
      ['bot_flows', { trigger_match_type: 'regex', trigger_keywords: pattern }, 'trigger_keywords'],
    ]),
    ['ai_contexts', { type: 'api' }, 'api_config'],
    ...(
      [
        { response_path: '$..x' },
        { body: 'x' },
        { method: 'POST', body: 'x'.repeat(20_000) },
        { cache_seconds: -1 },
        { cache_seconds: 10 ** 9 },
        { url: `${HOOK}?${'x'.repeat(2_048)}` },
      ] as const
    ).map((wrong): (typeof PAIRS)[number] => [
      'ai_contexts',
      { type: 'api', content: null, api_config: JSON.stringify({ ...API, ...wrong }) },
      'api_config',
    ]),
    [
      'scheduled_messages',
      {
        message: JSON.stringify({ type: 'template', template_id: NOTICE }),
        fallback_template: JSON.stringify({ template_id: NOTICE }),
      },
      'fallback_template',
    ],
    ['keyword_rules', { response_type: 'text' }, 'response'],
    ['keyword_rules', { response: 'x'.repeat(1_025) }, 'response'],
    ['keyword_rules', { response: '{{ name' }, 'response'],
    ['consent_settings', { opt_out_reply: '{{ name' }, 'opt_out_reply'],
    ['consent_settings', { opt_in_reply: '{% nope %}' }, 'opt_in_reply'],
    ['views', { resource: 'campaigns' }, 'filter'],
  ]
  for (const [table, values, field] of PAIRS)
    test(`${table} with ${JSON.stringify(values).slice(0, 60)}`, async () => {
      const [line] = archive.parts.get(table) as [unknown[]]
      const changed = Object.entries(values).reduce(
        (row, [column, value]) =>
          row.with(
            columnOf(archive, table, column),
            column.endsWith('keywords') ? JSON.stringify([value]) : value,
          ),
        line,
      )
      expect(await checked(new Map(archive.parts).set(table, [changed]))).toEqual({
        ...{ code: 'archive_invalid', file: `tables/${table}.ndjson`, line: 1, field },
      })
    })

  test('of a segment, custom fields that have gone since are not missed', async () => {
    const [line] = archive.parts.get('segments') as [unknown[]]
    const filter = { all: [VIP, { field: 'attributes.size', op: 'gt', value: 3 }] }
    const at = columnOf(archive, 'segments', 'filter')
    const parts = new Map(archive.parts).set('segments', [line.with(at, JSON.stringify(filter))])
    expect(await checked(parts)).toEqual({ code: null })
  })

  /** Values of a row that the database does not take together, or where it arrives. */
  const TOGETHER: [table: string, values: Record<string, unknown>][] = [
    ['teams', { deleted_at_ms: 1, is_active: 1 }],
    ['teams', { per_agent_timeout_s: 9_999 }],
    ['teams', { max_active_per_agent: 0 }],
    ['webhook_endpoints', { disabled_at_ms: null, disabled_reason: 'manual' }],
    ['contacts', { unread_count: -1 }],
    ['media', { state: 'failed' }],
  ]
  for (const [table, values] of TOGETHER)
    test(`${table} with ${JSON.stringify(values)}`, async () => {
      const lines = (archive.parts.get(table) ?? []) as unknown[][]
      const changed = lines.map((line) =>
        Object.entries(values).reduce(
          (row, [column, value]) => row.with(columnOf(archive, table, column), value),
          line,
        ),
      )
      expect(changed).not.toEqual([])
      expect(await checked(new Map(archive.parts).set(table, changed))).toMatchObject({
        ...{ code: 'archive_invalid', file: `tables/${table}.ndjson`, line: 1 },
      })
    })

  const GRAPHS: [problem: string, node: object][] = [
    ['config', { id: 'a', type: 'message', config: {} }],
    ['a template', { id: 'a', type: 'message', config: { message: '{{ name' } }],
    ['type', { id: 'a', type: 'explode', config: {} }],
    [
      'an address',
      { id: 'a', type: 'api_call', config: { method: 'GET', url: 'http://169.254.169.254/' } },
    ],
  ]
  for (const [problem, node] of GRAPHS)
    test(`the graph of a bot flow: ${problem}`, async () => {
      const [line] = archive.parts.get('bot_flow_versions') as [unknown[]]
      const wrong = line.with(
        columnOf(archive, 'bot_flow_versions', 'graph'),
        JSON.stringify(graphOf(node)),
      )
      const answer = await checked(new Map(archive.parts).set('bot_flow_versions', [wrong]))
      expect(answer).toMatchObject({ code: 'archive_invalid', line: 1, field: 'graph' })
    })

  test('but takes what the API once took, as it takes it now: warnings of a budget, NUL', async () => {
    await using place = await World.create({ names: ['Dune'], firstId: 3_000_000 })
    const [line] = archive.parts.get('organizations') as [unknown[]]
    const at = columnOf(archive, 'organizations', 'spend')
    const spend = { ...(JSON.parse(String(line[at])) as Loose), warnAt: [150, 80, 0, 80, 50.5, 20] }
    const [team] = archive.parts.get('teams') as [unknown[]]
    const parts = new Map(archive.parts)
      .set('organizations', [line.with(at, JSON.stringify(spend))])
      .set('teams', [team.with(columnOf(archive, 'teams', 'description'), 'Or\u0000ders')])
    const done = await imported({ ...archive, parts }, place)
    expect(done).toMatchObject({
      state: 'completed',
      conflicts: [
        {
          ...{ kind: 'value_changed', file: 'tables/organizations.ndjson', line: 1 },
          message:
            'The budget warns at percentages that are not allowed any more. It will warn at 20, 80 percent.',
        },
      ],
    })
    expect(place.rows('select spend from organizations where id = ?', source.other.id)).toEqual([
      { spend: JSON.stringify({ ...spend, warnAt: [20, 80] }) },
    ])
    expect(place.rows("select description, instr(description, 'ders') as at from teams")).toEqual([
      { description: 'Orders', at: 3 },
    ])
  })

  test('of a graph, things that have gone since it was published are not missed', async () => {
    const [line] = archive.parts.get('bot_flow_versions') as [unknown[]]
    const graph = graphOf({ id: 'a', type: 'tag', config: { add: [NOTICE], remove: [] } })
    const at = columnOf(archive, 'bot_flow_versions', 'graph')
    const parts = new Map(archive.parts)
    parts.set('bot_flow_versions', [line.with(at, JSON.stringify(graph))])
    expect(await checked(parts)).toEqual({ code: null })
  })

  test('links of notifications that lead elsewhere', async () => {
    const part = archive.manifest.parts.find(({ table }) => table === 'notifications')
    const values: Record<string, unknown> = {
      ...{ id: NOTICE, user_id: source.other.userIds.admin, kind: 'account_notice' },
      ...{ severity: 'info', title: 'News', body: 'Look', created_at_ms: 1, read_at_ms: null },
    }
    const withLink = (link: string) =>
      new Map(archive.parts).set('notifications', [
        part?.columns.map(({ name }) => (name === 'link' ? link : values[name])) ?? [],
      ])
    for (const link of ['javascript:alert(1)', 'https://evil.example.com/', '//evil.example.com'])
      expect(await checked(withLink(link))).toMatchObject({
        code: 'archive_invalid',
        field: 'link',
      })
    expect(await checked(withLink('/campaigns/1'))).toEqual({ code: null })
  })

  test('rows that are there twice, and people', async () => {
    for (const table of ['tags', 'users', 'memberships', 'media', 'messages']) {
      const lines = archive.parts.get(table) ?? []
      const twice = [...lines, lines[0] as unknown[]]
      expect([table, await checked(new Map(archive.parts).set(table, twice))]).toMatchObject([
        table,
        { code: 'archive_invalid', line: twice.length },
      ])
    }
    // A second tag of the same name, which the database would refuse.
    const [first] = archive.parts.get('tags') as [unknown[]]
    const second = first.with(columnOf(archive, 'tags', 'id'), NOTICE)
    expect(await checked(new Map(archive.parts).set('tags', [first, second]))).toMatchObject({
      ...{ code: 'archive_invalid', line: 2 },
    })
  })
})

const graphOf = (node: object): object => ({
  ...{ version: 2, entry_node: 'a', nodes: [node], edges: [] },
})
const VIP = { field: 'tags', op: 'in', value: ['vip'] }
const NOTICE = '019a52b0-1c00-7000-8000-000000000077'
