import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { acrossOrganizations, systemCtx, type Ctx } from '../../../../src/infra/ctx'
import { transact } from '../../../../src/infra/db/transact'
import { matchRules } from '../../../../src/modules/automation/chatbot/keywords/match'
import { recordHitIn } from '../../../../src/modules/automation/chatbot/keywords/record-hit'
import { KeywordSets } from '../../../../src/modules/automation/chatbot/keywords/sets'
import { keywordRules } from '../../../../src/modules/automation/chatbot/keywords/table'
import { BotWorld } from '../../../support/bots'
import { approvedTemplate } from '../../../support/campaigns'
import type { Answer, Client, Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { NOBODY } from '../../../support/routes'
import { World } from '../../../support/world'

let world: World
let admin: Client
let ctx: Ctx

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
  ctx = systemCtx(world.program.http, world.tenant.id)
})

afterAll(() => world.stop())

const PATH = '/api/chatbot/keywords'
const verdict = ({ status, body }: Answer<unknown>) => [
  status,
  body.code,
  body.errors?.map(({ path }) => path),
]
let made = 0
const keep = (more: Loose = {}): Promise<Answer<Loose>> =>
  admin.post(PATH, { keywords: [`keyword${(made += 1)}`], response: 'Hello', ...more })
const idOf = async (more: Loose = {}): Promise<string> => String((await keep(more)).data['id'])
const tried = async (text: string, more: Loose = {}): Promise<Loose> =>
  (await admin.post(`${PATH}/test`, { text, ...more })).data
const names = async (text: string, more: Loose = {}): Promise<string[]> =>
  ((await tried(text, more))['matches'] as Loose[]).map(({ name }) => String(name))

describe('keyword rules', () => {
  test('are created with defaults, found, changed and deleted', async () => {
    const { status, data } = await keep({ keywords: ['Opening hours', 'open'], response: 'Nine.' })
    expect([status, data]).toMatchObject([
      201,
      {
        name: 'Opening hours',
        keywords: ['Opening hours', 'open'],
        match_type: 'contains',
        case_sensitive: false,
        whole_word: true,
        response_type: 'text',
        response: 'Nine.',
        response_content: {},
        priority: 10,
        enabled: true,
        account_id: null,
        active_from: null,
        active_until: null,
        active_hours: [],
        interrupts_flow: false,
        hit_count: 0,
        last_hit_at: null,
        warnings: [],
      },
    ])
    const path = `${PATH}/${String(data['id'])}`
    expect((await admin.get(path)).data).toEqual(data)
    for (const query of ['search=OPENING', 'search=nine', 'enabled=true&search=opening'])
      expect((await admin.get(`${PATH}?${query}`)).data['items']).toEqual([data])
    expect((await admin.get(`${PATH}?enabled=false`)).data['items']).toEqual([])
    expect((await admin.put(path, { priority: 0, enabled: false })).data).toMatchObject({
      ...data,
      priority: 0,
      enabled: false,
      updated_at: expect.any(String),
    })
    expect(verdict(await keep({ name: 'opening HOURS' }))).toEqual([
      409,
      'name_taken',
      ['body.name'],
    ])
    expect((await admin.delete(path)).status).toBe(200)
    expect((await admin.get(path)).status).toBe(404)
    const entries = (await admin.get('/api/audit-logs?resource_type=keyword_rule')).data['items']
    expect((entries as Loose[]).map(({ action }) => action)).toEqual([
      'deleted',
      'updated',
      'created',
    ])
  })

  test('keep what is not sent, and null clears it; the audit log has each change', async () => {
    const more = {
      name: 'Kept',
      whole_word: false,
      account_id: world.tenant.accountId,
      active_from: '2026-01-01T00:00:00.000Z',
      active_until: '2027-01-01T00:00:00.000Z',
      active_hours: [{ day: 'monday', enabled: true, start_time: '09:00', end_time: '17:00' }],
    }
    const { data } = await keep({ ...more, response_type: 'transfer', response: null })
    expect(data).toMatchObject(more)
    const path = `${PATH}/${String(data['id'])}`
    for (const query of [`account_id=${world.tenant.accountId}`, 'response_type=transfer'])
      expect((await admin.get(`${PATH}?search=kept&${query}`)).data['items']).toEqual([data])
    for (const query of [`account_id=${NOBODY}`, 'response_type=media'])
      expect((await admin.get(`${PATH}?search=kept&${query}`)).data['items']).toEqual([])
    const kept = await admin.put(path, { priority: 11 })
    expect(kept.data).toEqual({ ...data, priority: 11, updated_at: expect.any(String) })
    const none = { account_id: null, active_from: null, active_until: null, active_hours: [] }
    expect((await admin.put(path, none)).data).toMatchObject({ ...more, ...none })
    const log = await admin.get(
      `/api/audit-logs?resource_type=keyword_rule&resource_id=${String(data['id'])}`,
    )
    expect((log.data['items'] as Loose[]).map(({ changes }) => changes as unknown)).toEqual([
      Object.entries(none).map(([field, new_value]) => ({
        field,
        old_value: more[field as keyof typeof none],
        new_value,
      })),
      [{ field: 'priority', old_value: 10, new_value: 11 }],
      [],
    ])
  })

  test('are listed by priority, then by age', async () => {
    const [low, first, second] = [
      await idOf({ priority: -5, name: 'ordered 1' }),
      await idOf({ priority: 500, name: 'ordered 2' }),
      await idOf({ priority: 500, name: 'ordered 3' }),
    ]
    const { data } = await admin.get(`${PATH}?search=ordered`)
    expect((data['items'] as Loose[]).map(({ id }) => id)).toEqual([first, second, low])
    expect((await admin.get(`${PATH}?search=ordered&limit=2&page=2`)).data).toMatchObject({
      total: 3,
      items: [{ id: low }],
    })
  })

  test('warn of keywords that opt customers out or in', async () => {
    const warning = (at: number, kind: string): Loose => ({
      path: `keywords.${at}`,
      message: `is an ${kind} word: a message that is only this word gets no answer`,
    })
    const { data } = await keep({ keywords: ['hours', 'start', 'Unsubscribe!'] })
    const hidden = [warning(1, 'opt-in'), warning(2, 'opt-out')]
    expect(data['warnings']).toEqual(hidden)
    const path = `${PATH}/${String(data['id'])}`
    expect((await admin.get(path)).data['warnings']).toEqual(hidden)
    const listed = (await admin.get(`${PATH}?search=unsubscribe`)).data['items'] as Loose[]
    expect(listed.map(({ warnings }) => warnings)).toEqual([hidden])
    expect((await admin.put(path, { match_type: 'regex' })).data['warnings']).toEqual([])
    expect((await admin.put(path, { match_type: 'exact' })).data['warnings']).toEqual(hidden)
    await admin.put('/api/consent-settings', { opt_out_keywords: ['STOP'] })
    expect((await admin.get(path)).data['warnings']).toEqual([warning(1, 'opt-in')])
    // The audit log has no entry for what did not change in the rule itself.
    const entries = (await admin.get('/api/audit-logs?resource_type=keyword_rule')).data['items']
    expect(JSON.stringify(entries)).not.toContain('warnings')
  })

  test('warn of what the template they answer with lacks', async () => {
    await using bot = await BotWorld.create()
    const id = await approvedTemplate(bot.world, {
      components: [
        {
          type: 'BODY',
          text: 'Hi {{1}}, your order {{2}} is here.',
          example: { body_text: [['Ana', 'A-1']] },
        },
      ],
    })
    const answer = (params?: Loose): Loose => ({ response_content: { template_id: id, params } })
    const { status, data } = await bot.admin.post(PATH, {
      ...{ keywords: ['order'], response_type: 'template', ...answer() },
    })
    const lacking = (missing: string): Loose => ({
      path: 'response_content.params',
      message: `lacks what the template needs, so it is not sent: ${missing}`,
    })
    expect([status, data['warnings']]).toEqual([201, [lacking('1, 2')]])
    const path = `${PATH}/${String(data['id'])}`
    const saved = await bot.admin.put(path, answer({ 1: '{{ contact_name }}' }))
    expect(saved.data['warnings']).toEqual([lacking('2')])
    const listed = (await bot.admin.get(PATH)).data['items'] as Loose[]
    expect(listed.map(({ warnings }) => warnings)).toEqual([[lacking('2')]])
    const whole = await bot.admin.put(path, answer({ 1: 'Ana', 2: 'A-1' }))
    expect(whole.data['warnings']).toEqual([])
    await bot.admin.put(path, answer())
    expect((await bot.admin.delete(`/api/templates/${id}`)).status).toBe(200)
    expect((await bot.admin.get(path)).data['warnings']).toEqual([])
  })

  for (const [name, rule, paths] of [
    ['no keywords', { keywords: [] }, ['body.keywords']],
    ['a blank keyword', { keywords: ['a', ' '] }, ['body.keywords.1']],
    ['an invisible keyword', { keywords: ['\u3000'] }, ['body.keywords.0']],
    ['a long keyword', { keywords: ['x'.repeat(256)] }, ['body.keywords.0']],
    [
      '51 keywords',
      { keywords: Array.from({ length: 51 }, (_, at) => `k${at}`) },
      ['body.keywords'],
    ],
    ['a flag as text', { enabled: 'yes' }, ['body.enabled']],
    ['half a priority', { priority: 1.5 }, ['body.priority']],
    ['an unknown way to match', { match_type: 'fuzzy' }, ['body.match_type']],
    ['no text', { response: null }, ['body.response']],
    ['a broken template', { response: 'Hi {{ contact_name' }, ['body.response']],
    ['no buttons', { response_type: 'buttons' }, ['body.response_content.buttons']],
    [
      'a long text with buttons',
      {
        response_type: 'buttons',
        response: 'x'.repeat(1_025),
        response_content: { buttons: [{ title: 'a' }] },
      },
      ['body.response'],
    ],
    [
      'a long title',
      { response_type: 'buttons', response_content: { buttons: [{ title: 'x'.repeat(21) }] } },
      ['body.response_content.buttons.0.title'],
    ],
    [
      'eleven buttons',
      {
        response_type: 'buttons',
        response_content: { buttons: Array.from({ length: 11 }, (_, at) => ({ title: `B${at}` })) },
      },
      ['body.response_content.buttons'],
    ],
    [
      'no file',
      { response_type: 'media', response_content: { kind: 'image' } },
      ['body.response_content.url'],
    ],
    [
      'an unknown kind',
      {
        response_type: 'media',
        response_content: { kind: 'gif', url: 'https://example.com/a.gif' },
      },
      ['body.response_content.kind'],
    ],
    ['no template', { response_type: 'template' }, ['body.response_content.template_id']],
    ['no flow', { response_type: 'flow' }, ['body.response_content.flow_id']],
    ['content that is no object', { response_content: 'buttons' }, ['body.response_content']],
    [
      'an end before the beginning',
      { active_from: '2026-12-01T00:00:00Z', active_until: '2026-12-01T00:00:00Z' },
      ['body.active_until'],
    ],
    ['a time without a zone', { active_from: '2026-12-01T00:00:00' }, ['body.active_from']],
    [
      'a time that does not exist',
      { active_hours: [{ day: 'monday', start_time: '25:00', end_time: '26:00' }] },
      ['body.active_hours.0.start_time', 'body.active_hours.0.end_time'],
    ],
  ] as [string, Loose, string[]][])
    test(`are refused with ${name}`, async () => {
      expect(verdict(await keep(rule))).toEqual([400, 'invalid_input', paths])
    })

  test('refuse patterns that cannot be matched in linear time, and large ones', async () => {
    const regex = (pattern: string): Promise<Answer<Loose>> =>
      keep({ match_type: 'regex', keywords: ['ok', pattern] })
    const unsupported = await regex('ab(?=c)')
    expect(verdict(unsupported)).toEqual([400, 'regex_unsupported', ['body.keywords.1']])
    expect(unsupported.body.details).toEqual({ position: 3 })
    const large = await regex('(a?){30}')
    expect(verdict(large)).toEqual([400, 'regex_too_large', ['body.keywords.1']])
    expect(large.body.message).toContain('122 instructions')
    expect(verdict(await regex('(a'))).toEqual([400, 'invalid_input', ['body.keywords.1']])
    expect(verdict(await regex('x'.repeat(501)))[0]).toBe(400)
    for (const keywords of [['(a+)+$'], ['([a-z]?){24}[0-9]'], ['[a-z]{1,24}[0-9]{1,24}$']])
      expect((await keep({ match_type: 'regex', keywords, enabled: false })).status).toBe(201)
    const id = await idOf({ keywords: ['(?=a)'] })
    expect(verdict(await admin.put(`${PATH}/${id}`, { match_type: 'regex' }))[1]).toBe(
      'regex_unsupported',
    )
  })

  test('give buttons IDs that stay', async () => {
    const { data } = await keep({
      response_type: 'buttons',
      response_content: { buttons: [{ title: 'Yes' }, { id: 'no', title: 'No' }], footer: 'Acme' },
    })
    const { buttons } = data['response_content'] as { buttons: Loose[] }
    expect(buttons).toEqual([
      { id: expect.stringMatching(/.{8,}/), title: 'Yes' },
      { id: 'no', title: 'No' },
    ])
    const changed = await admin.put(`${PATH}/${String(data['id'])}`, {
      response_content: { buttons: [{ title: 'Yes' }] },
    })
    expect(changed.data['response_content']).toEqual({ buttons: [buttons[0]] })
  })

  test('store only the content of their type', async () => {
    const { data } = await keep({
      response_content: { notes: 'left out', kind: 'image', unknown: 1 },
    })
    expect(data['response_content']).toEqual({})
  })

  test('refer only to things of the organization', async () => {
    const foreign = await world.as('admin', world.other)
    const file = (await upload(foreign, { bytes: new Uint8Array([1, 2]), type: 'text/plain' })).data
    const team = (await foreign.post('/api/teams', { name: 'Theirs' })).data['team'] as Loose
    const template = await approvedTemplate(world, { tenant: world.other })
    const refused = async (rule: Loose, path: string): Promise<void> =>
      expect(verdict(await keep(rule))).toEqual([400, 'bad_reference', [path]])
    const content = (response_type: string, response_content: Loose): Loose => ({
      response_type,
      response_content,
    })
    const unknown = '019a52b0-1c00-7000-8000-000000000001'
    await refused({ account_id: world.other.accountId }, 'body.account_id')
    for (const media_id of [unknown, String(file['id'])])
      await refused(
        content('media', { kind: 'document', media_id }),
        'body.response_content.media_id',
      )
    for (const template_id of [unknown, template])
      await refused(content('template', { template_id }), 'body.response_content.template_id')
    await refused(content('flow', { flow_id: unknown }), 'body.response_content.flow_id')
    for (const team_id of [unknown, String(team['id'])])
      await refused(content('transfer', { team_id }), 'body.response_content.team_id')
    const theirs = await foreign.post('/api/chatbot/flows', { name: 'Theirs' })
    for (const id of [`flow:${String(theirs.data['id'])}`, `rule:${unknown}`])
      await refused(
        { ...content('buttons', { buttons: [{ id, title: 'Go' }] }), response: 'Where to?' },
        'body.response_content.buttons.0.id',
      )
    const own = (await admin.post('/api/teams', { name: 'Ours' })).data['team'] as Loose
    for (const team_id of [own['id'], 'general', null])
      expect((await keep(content('transfer', { team_id, notes: 'By a word' }))).status).toBe(201)
    expect(
      (await keep(content('template', { template_id: await approvedTemplate(world, {}) }))).status,
    ).toBe(201)
    expect(
      verdict(await keep(content('media', { kind: 'image', url: 'https://10.0.0.1/a.png' }))),
    ).toEqual([400, 'url_refused', ['body.response_content.url']])
  })

  test('keep their team from being deleted, unless that is forced', async () => {
    const team = (await admin.post('/api/teams', { name: 'Named by a rule' })).data['team'] as Loose
    const id = await idOf({
      name: 'leads to a team',
      response_type: 'transfer',
      response_content: { team_id: team['id'] },
    })
    const path = `/api/teams/${String(team['id'])}`
    const refused = await admin.delete(path)
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([
      409,
      'in_use',
      { used_by: [{ kind: 'keyword_rule', id, name: 'leads to a team' }] },
    ])
    expect((await admin.delete(`${path}?force=true`)).status).toBe(200)
    expect((await admin.put(`${PATH}/${id}`, { enabled: false })).status).toBe(200)
  })

  test('and buttons keep their flow from being deleted', async () => {
    const graph = { version: 2, entry_node: 'end', nodes: [{ id: 'end', type: 'end' }], edges: [] }
    const flow = (await admin.post('/api/chatbot/flows', { name: 'Named', graph })).data
    const path = `/api/chatbot/flows/${String(flow['id'])}`
    const users = async (): Promise<unknown> => {
      const { used_by: found = [] } = (await admin.delete(path)).body.details ?? {}
      return (found as Loose[]).map(({ kind }) => kind)
    }
    const rule = await idOf({ response_type: 'flow', response_content: { flow_id: flow['id'] } })
    expect(await users()).toEqual(['keyword_rule'])
    const button = { id: `flow:${String(flow['id'])}`, title: 'Begin' }
    await admin.put('/api/chatbot/settings', { greeting_buttons: [button] })
    expect(await users()).toEqual(['keyword_rule', 'chatbot_settings'])
    await admin.delete(`${PATH}/${rule}`)
    const second = await idOf({
      response_type: 'buttons',
      response_content: { buttons: [button] },
    })
    await admin.put('/api/chatbot/settings', { greeting_buttons: [] })
    expect(await users()).toEqual(['keyword_rule'])
    await admin.delete(`${PATH}/${second}`)
    expect((await admin.delete(path)).status).toBe(200)
  })

  test('keep their file while they use it', async () => {
    const { data } = await upload(admin, { bytes: new Uint8Array([7, 7, 7]), type: 'text/plain' })
    const id = await idOf({
      response_type: 'media',
      response_content: { kind: 'document', media_id: data['id'], filename: 'prices.txt' },
    })
    const expiry = (): unknown =>
      world
        .rows<Loose>('select id, expires_at_ms as at from media')
        .find((row) => row['id'] === data['id'])?.['at']
    expect(expiry()).toBeNull()
    await admin.delete(`${PATH}/${id}`)
    expect(expiry()).toBeGreaterThan(world.clock.nowMs())
  })
})

describe('a message', () => {
  test('is answered by the best rule, and the test says which match', async () => {
    const [short, long, high] = [
      await idOf({ keywords: ['parcel'], name: 'short' }),
      await idOf({ keywords: ['lost', 'lost parcel'], name: 'long' }),
      await idOf({ keywords: ['my'], name: 'high', priority: 20 }),
    ]
    const result = await tried('Where is my lost parcel?')
    expect(result).toEqual({
      matches: [
        { id: high, name: 'high', keyword: 'my', priority: 20 },
        { id: long, name: 'long', keyword: 'lost parcel', priority: 10 },
        { id: short, name: 'short', keyword: 'parcel', priority: 10 },
      ],
      winner: { id: high, name: 'high', keyword: 'my', priority: 20 },
      skipped: [],
    })
    expect(await tried('Nothing of that')).toEqual({ matches: [], winner: null, skipped: [] })
  })

  test('follows every change of a rule at once', async () => {
    const id = await idOf({ keywords: ['zebra'], name: 'zebra' })
    expect(await names('a zebra')).toEqual(['zebra'])
    await admin.put(`${PATH}/${id}`, { keywords: ['giraffe'] })
    expect([await names('a zebra'), await names('a giraffe')]).toEqual([[], ['zebra']])
    await admin.put(`${PATH}/${id}`, { enabled: false })
    expect(await names('a giraffe')).toEqual([])
    await admin.put(`${PATH}/${id}`, { enabled: true, name: 'tall' })
    expect(await names('a giraffe')).toEqual(['tall'])
    await admin.delete(`${PATH}/${id}`)
    expect(await names('a giraffe')).toEqual([])
  })

  test('is matched with the rules of its number and its time', async () => {
    await keep({ keywords: ['lunch'], name: 'of the number', account_id: world.tenant.accountId })
    await keep({ keywords: ['lunch'], name: 'of all' })
    await keep({
      keywords: ['lunch'],
      name: 'at noon',
      priority: 9,
      active_hours: [{ day: 'monday', start_time: '12:00', end_time: '13:00' }],
      active_until: '2026-12-01T00:00:00Z',
    })
    const at = '2026-11-23T12:30:00Z'
    expect([
      await names('lunch', { at }),
      await names('lunch', { at, account_id: world.tenant.accountId }),
      await names('lunch', { at: '2026-11-23T13:00:00Z' }),
      await names('lunch', { at: '2026-12-07T12:30:00Z' }),
    ]).toEqual([
      ['of all', 'at noon'],
      ['of the number', 'of all', 'at noon'],
      ['of all'],
      ['of all'],
    ])
    expect(
      verdict(await admin.post(`${PATH}/test`, { text: 'x', account_id: world.other.accountId })),
    ).toEqual([400, 'bad_reference', ['body.account_id']])
    expect(
      verdict(await admin.post(`${PATH}/test`, { text: 'x', at: '2026-11-23T12:30:00' })),
    ).toEqual([400, 'invalid_input', ['body.at']])
  })

  test('of a tapped button goes straight to its rule', async () => {
    const id = await idOf({ keywords: ['never written'], name: 'tapped', priority: -1_000 })
    await keep({ keywords: ['Tap'], name: 'by its title' })
    const match = (tapped: string | null): string[] =>
      matchRules(ctx, {
        text: 'Tap',
        accountId: null,
        atMs: world.clock.nowMs(),
        tapped,
      }).found.map((one) => (one.kind === 'rule' ? one.rule.name : one.flowId))
    expect([match(`rule:${id}`), match('rule:gone'), match(null)]).toEqual([
      ['tapped'],
      ['by its title'],
      ['by its title'],
    ])
    // A button that was sent from one number leads nowhere on another.
    const ofNumber = await idOf({
      ...{ keywords: ['only there'], name: 'of one number', account_id: world.tenant.accountId },
    })
    const matchOn = (accountId: string | null): string[] =>
      matchRules(ctx, { text: 'Tap', accountId, atMs: 0, tapped: `rule:${ofNumber}` }).found.map(
        (one) => (one.kind === 'rule' ? one.rule.name : one.flowId),
      )
    expect(matchOn(world.tenant.accountId)).toEqual(['of one number'])
    expect(matchOn(world.other.accountId)).toEqual(['by its title'])
    await admin.put(`${PATH}/${id}`, { enabled: false })
    expect(match(`rule:${id}`)).toEqual(['by its title'])
  })

  test('that a rule answers is counted', async () => {
    const id = await idOf()
    const accountId = world.tenant.accountId ?? ''
    const hit = { kind: 'rule', id, keyword: 'hello', accountId } as const
    transact(ctx.db, (tx) => recordHitIn(tx, ctx, hit))
    transact(ctx.db, (tx) => recordHitIn(tx, ctx, hit))
    expect((await admin.get(`${PATH}/${id}`)).data).toMatchObject({
      hit_count: 2,
      last_hit_at: new Date(world.clock.nowMs()).toISOString(),
    })
  })
})

describe('an organization', () => {
  test('has at most 100 patterns', async () => {
    const there = await world.as('admin', world.other)
    const patterns = (from: number, many: number): string[] =>
      Array.from({ length: many }, (_, at) => `p${from + at}`)
    for (const from of [0, 50])
      expect(
        (
          await there.post(PATH, {
            keywords: patterns(from, 50),
            match_type: 'regex',
            response: 'x',
          })
        ).status,
      ).toBe(201)
    const more = await there.post(PATH, { keywords: ['p'], match_type: 'regex', response: 'x' })
    expect(verdict(more)).toEqual([409, 'limit_reached', undefined])
  })

  test('has at most 1,000 rules', async () => {
    const there = await world.as('admin', world.other)
    const { data } = await there.get(PATH)
    for (let at = Number(data['total']); at < 1_000; at += 1)
      await there.post(PATH, { keywords: [`r${at}`], response: 'x' })
    expect(verdict(await there.post(PATH, { keywords: ['more'], response: 'x' }))).toEqual([
      409,
      'limit_reached',
      undefined,
    ])
  })

  test('has at most 1,000,000 characters of keywords', async () => {
    await using there = await World.create({ tenants: 1, isConnected: false })
    const client = await there.as('admin')
    const keywords = Array.from({ length: 50 }, (_, at) => `${at} `.padEnd(255, 'x'))
    const one = await client.post(PATH, { name: 'one', keywords, response: 'x' })
    transact(there.program.http.db, (tx) =>
      tx
        .update(keywordRules)
        .set({ keywords: ['x'.repeat(988_000)] })
        .where(acrossOrganizations('a test fills it', eq(keywordRules.name, 'one')))
        .run(),
    )
    const another = await client.post(PATH, { name: 'two', keywords, response: 'x' })
    expect([another.status, another.body.code]).toEqual([409, 'limit_reached'])
    expect((await client.post(PATH, { keywords: ['short'], response: 'x' })).status).toBe(201)
    const back = await client.put(`${PATH}/${String(one.data['id'])}`, { keywords })
    expect(back.status).toBe(200)
    expect((await client.post(PATH, { name: 'two', keywords, response: 'x' })).status).toBe(201)
  })

  test('counts its rules in the settings', async () => {
    const there = await world.as('admin', world.other)
    expect((await there.get('/api/chatbot/settings')).data['stats']).toMatchObject({
      keywords_count: 1_000,
    })
  })

  test('has a way to a person if a rule transfers', async () => {
    const alone = {
      chatbot_enabled: true,
      person_words_languages: [],
      fallback_transfer_after: null,
    }
    const there = await World.create()
    const client = await there.as('admin')
    expect(verdict(await client.put('/api/chatbot/settings', alone))[1]).toBe('human_path_missing')
    const rule = { keywords: ['person'], response_type: 'transfer' }
    const { data } = await client.post(PATH, { ...rule, enabled: false })
    expect((await client.put('/api/chatbot/settings', alone)).status).toBe(400)
    const path = `${PATH}/${String(data['id'])}`
    await client.put(path, { enabled: true })
    expect((await client.put('/api/chatbot/settings', alone)).data['warnings']).toEqual([])
    // Taking it away is allowed, and those who may change the chatbot hear of it.
    await client.put(path, { enabled: false })
    await client.put(path, { enabled: true })
    await client.delete(path)
    const node = { id: 'person', type: 'transfer', config: {} }
    const flow = await client.post('/api/chatbot/flows', {
      name: 'To a person',
      enabled: true,
      graph: { version: 2, entry_node: 'person', nodes: [node], edges: [] },
    })
    await client.put(`/api/chatbot/flows/${String(flow.data['id'])}`, { enabled: false })
    const { data: settings } = await client.get('/api/chatbot/settings')
    expect(settings['warnings']).toMatchObject([{ code: 'human_path_missing' }])
    const { data: told } = await client.get('/api/me/notifications')
    expect((told['items'] as Loose[]).map(({ kind }) => kind)).toEqual(
      Array(3).fill('human_path_missing'),
    )
    const counts = await client.put('/api/chatbot/settings', { fallback_transfer_after: 3 })
    expect(counts.data['warnings']).toEqual([])
    await there.stop()
  })
})

describe('rules of 50 keywords each', () => {
  /** `KEYWORD_RULES=1000` for as many as an organization can have. */
  const RULES = Number(process.env['KEYWORD_RULES'] ?? 40)
  const keywordsOf = (nth: number, word: string): string[] =>
    Array.from({ length: 50 }, (_, at) => `${word} ${nth} of ${at} `.padEnd(250, 'überaus lang '))
  /** Gives every rule of an organization other keywords at once. */
  const fill = (there: World, word: string): void =>
    transact(there.program.http.db, (tx) => {
      for (const [nth, { id }] of tx.select().from(keywordRules).all().entries())
        tx.update(keywordRules)
          .set({ keywords: keywordsOf(nth, word) })
          .where(acrossOrganizations('a test fills them', eq(keywordRules.id, id)))
          .run()
    })

  test('are prepared before the turn is answered, also after a change of all of them', async () => {
    await using bot = await BotWorld.create()
    for (let nth = 0; nth < RULES; nth += 1)
      await bot.rule({ keywords: [`word${nth}`], response: `Answer ${nth}` })
    fill(bot.world, 'word')
    const [old = ''] = keywordsOf(7, 'word')
    expect(await bot.say(old)).toEqual(['Answer 7'])
    fill(bot.world, 'topic')
    const [keyword = ''] = keywordsOf(7, 'topic')
    expect(await bot.say(keyword)).toEqual(['Answer 7'])
    expect(await bot.say(String(keywordsOf(8, 'word')[0]))).toEqual([])
  })

  test('are used as they were begun when rules change all the time', () => {
    const sets = new KeywordSets()
    let begun = 0
    function* building(): Generator<void, { revision: number; characters: number; set: never }> {
      begun += 1
      yield
      return { revision: begun, characters: 0, set: `set ${begun}` as never }
    }
    const setOf = (revision: number): unknown => {
      while (!sets.prepare('organization', revision, building));
      return sets.get('organization', revision, building)
    }
    // The rules of the second set are older than those of now, so the next turn prepares a third.
    expect([setOf(1), setOf(1), setOf(3), setOf(3), setOf(3)]).toEqual(
      [1, 1, 2, 3, 3].map((nth) => `set ${nth}`),
    )
  })
})
