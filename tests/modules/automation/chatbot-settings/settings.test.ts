import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { effectiveSettings } from '../../../../src/modules/automation/chatbot-settings/effective'
import { openAiKey } from '../../../../src/modules/automation/chatbot-settings/ai-key'
import { systemCtx } from '../../../../src/infra/ctx'
import type { Answer, Client, Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { World } from '../../../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const PATH = '/api/chatbot/settings'
const ofNumber = (): string => `${PATH}?account_id=${world.tenant.accountId}`
const verdict = ({ status, body }: Answer<unknown>) => [
  status,
  body.code,
  body.errors?.map(({ path }) => path),
]
const settingsNow = async (path = PATH): Promise<Loose> => (await admin.get(path)).data

test('answers the defaults for a new organization', async () => {
  expect(await settingsNow()).toMatchObject({
    account_id: null,
    overridden: [],
    chatbot_enabled: false,
    disabled_action: 'none',
    greeting_message: null,
    greeting_buttons: [],
    fallback_transfer_after: 3,
    transfer_keywords: [],
    person_words_languages: null,
    debounce_seconds: 2,
    sla_auto_close_hours: 24,
    ai_api_key_set: false,
    ai_api_key_last4: null,
    ai_temperature: 0.7,
    ai_data_terms_confirmed: false,
    coalesce: true,
  })
})

test('stores only what is sent, false and 0 as sent, and clears with null', async () => {
  await admin.put(PATH, { debounce_seconds: 0, coalesce: false, greeting_message: 'Hello' })
  const { id } = await settingsNow()
  const answer = await admin.put(PATH, { fallback_transfer_after: null, greeting_message: null })
  expect(answer.data).toMatchObject({
    id,
    debounce_seconds: 0,
    coalesce: false,
    greeting_message: null,
    fallback_transfer_after: null,
    session_timeout_minutes: 30,
  })
  expect(verdict(await admin.put(PATH, {}))).toEqual([400, 'invalid_input', ['body']])
})

test('lets a number differ in the fields written for it, and drops that again', async () => {
  await admin.put(PATH, { greeting_message: 'From all', debounce_seconds: 5 })
  await admin.put(ofNumber(), { debounce_seconds: 1 })
  await admin.put(PATH, { greeting_message: 'From all of us' })
  expect(await settingsNow(ofNumber())).toMatchObject({
    account_id: world.tenant.accountId,
    overridden: ['debounce_seconds'],
    greeting_message: 'From all of us',
    debounce_seconds: 1,
  })
  expect((await admin.delete(ofNumber())).status).toBe(200)
  expect(await settingsNow(ofNumber())).toMatchObject({ overridden: [], debounce_seconds: 5 })
  expect(verdict(await admin.delete(PATH))).toEqual([400, 'invalid_input', ['query.account_id']])
})

test('never returns the AI key, which other modules can read', async () => {
  const ctx = systemCtx(world.program.http, world.tenant.id)
  const { data } = await admin.put(PATH, { ai_api_key: 'sk-live-12345678' })
  expect(data).toMatchObject({ ai_api_key_set: true, ai_api_key_last4: '5678' })
  expect(JSON.stringify(data)).not.toContain('sk-live')
  await admin.put(ofNumber(), { ai_api_key: null })
  expect([openAiKey(ctx, null), openAiKey(ctx, world.tenant.accountId)]).toEqual([
    'sk-live-12345678',
    null,
  ])
  expect(effectiveSettings(ctx, world.tenant.accountId).ai_api_key_set).toBe(false)
  await admin.delete(ofNumber())
  expect(openAiKey(ctx, world.tenant.accountId)).toBe('sk-live-12345678')
})

test('refuses settings of the organization for one number, with their paths', async () => {
  const answer = await admin.put(ofNumber(), {
    agent_max_active_transfers: 3,
    excluded_numbers: [],
    ai_daily_token_budget: 10,
    coalesce: true,
  })
  expect(verdict(answer)).toEqual([
    400,
    'invalid_input',
    ['body.agent_max_active_transfers', 'body.ai_daily_token_budget', 'body.excluded_numbers'],
  ])
  expect(await settingsNow(ofNumber())).toMatchObject({ overridden: [] })
})

test('keeps both of two changes that are sent at the same time', async () => {
  const sent = await Promise.all([
    admin.put(PATH, { session_timeout_minutes: 77 }),
    admin.put(PATH, { human_takeover_minutes: 0 }),
    admin.put(PATH, { fallback_on_media: true }),
  ])
  expect(sent.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await settingsNow()).toMatchObject({
    session_timeout_minutes: 77,
    human_takeover_minutes: 0,
    fallback_on_media: true,
  })
})

test('gives buttons IDs that stay', async () => {
  const buttons = async (greeting_buttons: Loose[]): Promise<Loose[]> =>
    (await admin.put(PATH, { greeting_buttons })).data['greeting_buttons'] as Loose[]
  const first = await buttons([{ title: 'Hours' }, { id: 'rule:1', title: 'Prices' }])
  expect(first).toEqual([
    { id: expect.stringMatching(/.{8,}/), title: 'Hours' },
    { id: 'rule:1', title: 'Prices' },
  ])
  const again = await buttons([{ title: 'New' }, { title: 'Prices' }, { title: 'Hours' }])
  expect([again[1], again[2]]).toEqual([first[1], first[0]] as Loose[])
  expect(await buttons(again)).toEqual(again)
})

test('lets new buttons lead only to flows and rules of the organization', async () => {
  const { data: rule } = await admin.post('/api/chatbot/keywords', {
    keywords: ['a'],
    response: 'A',
  })
  const theirs = await world.as('admin', world.other)
  const { data: flow } = await theirs.post('/api/chatbot/flows', { name: 'Theirs' })
  const leadsTo = (id: string) => ({ fallback_buttons: [{ id, title: 'Go' }] })
  const refused = await admin.put(PATH, leadsTo(`flow:${String(flow['id'])}`))
  expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([
    400,
    'body.fallback_buttons.0.id',
  ])
  const own = leadsTo(`rule:${String(rule['id'])}`)
  expect((await admin.put(PATH, own)).status).toBe(200)
  await admin.delete(`/api/chatbot/keywords/${String(rule['id'])}`)
  // What leads nowhere since then does not keep other settings from being changed.
  expect((await admin.put(PATH, own)).status).toBe(200)
})

for (const [name, change, paths] of [
  ['an unknown word', { disabled_action: 'sleep' }, ['body.disabled_action']],
  ['a text that is too long', { greeting_message: 'x'.repeat(1_025) }, ['body.greeting_message']],
  ['a blank text', { fallback_message: '  ' }, ['body.fallback_message']],
  [
    'eleven buttons',
    { greeting_buttons: Array.from({ length: 11 }, (_, at) => ({ title: `Button ${at}` })) },
    ['body.greeting_buttons'],
  ],
  [
    'a long title',
    { fallback_buttons: [{ title: 'x'.repeat(21) }] },
    ['body.fallback_buttons.0.title'],
  ],
  [
    'equal titles',
    { fallback_buttons: [{ title: 'a' }, { title: 'a' }] },
    ['body.fallback_buttons.1.title'],
  ],
  ['a text as a flag', { chatbot_enabled: 'yes' }, ['body.chatbot_enabled']],
  ['a number as text', { session_timeout_minutes: '30' }, ['body.session_timeout_minutes']],
  [
    'numbers out of range',
    { debounce_seconds: 31, ai_temperature: 2.1 },
    ['body.debounce_seconds', 'body.ai_temperature'],
  ],
  ['null for a field that has a value', { debounce_seconds: null }, ['body.debounce_seconds']],
  [
    'a time that does not exist',
    { business_hours: [{ day: 'monday', start_time: '25:00', end_time: '26:00' }] },
    ['body.business_hours.0.start_time', 'body.business_hours.0.end_time'],
  ],
  [
    'an unknown day',
    { business_hours: [{ day: 'lundi', start_time: '09:00', end_time: '17:00' }] },
    ['body.business_hours.0.day'],
  ],
  ['hours without an entry', { business_hours_enabled: true }, ['body.business_hours']],
  ['a date that does not exist', { holidays: [{ date: '2027-02-29' }] }, ['body.holidays.0.date']],
  [
    'a holiday twice',
    { holidays: [{ date: '2027-01-01' }, { date: '2027-01-01' }] },
    ['body.holidays.1.date'],
  ],
  [
    'a number that is none',
    { excluded_numbers: ['+49 30 901820', 'me'] },
    ['body.excluded_numbers.1'],
  ],
  [
    'a stranger to notify',
    { sla_escalation_notify_ids: ['019a52b0-1c00-7000-8000-000000000001'] },
    ['body.sla_escalation_notify_ids.0'],
  ],
  [
    'a limit of costs without both prices',
    { ai_monthly_cost_limit_usd: 5, ai_price_input_per_million_usd: 1 },
    ['body.ai_monthly_cost_limit_usd'],
  ],
  [
    'closing without a reminder',
    { client_auto_close_minutes: 60 },
    ['body.client_auto_close_minutes'],
  ],
  [
    'closing before the reminder',
    { client_reminder_enabled: true, client_reminder_minutes: 60, client_auto_close_minutes: 60 },
    ['body.client_auto_close_minutes'],
  ],
  [
    'a server of another provider',
    { ai_provider: 'google', ai_base_url: 'https://ai.example.com/v1' },
    ['body.ai_base_url'],
  ],
  ['a purpose that is too short', { ai_purpose: 'help' }, ['body.ai_purpose']],
  [
    'an unknown language',
    { ai_disclosure_text: { 'not a language': 'I am a bot' } },
    ['body.ai_disclosure_text.not a language'],
  ],
] as [string, Loose, string[]][])
  test(`refuses ${name}`, async () => {
    const before = await settingsNow()
    expect(verdict(await admin.put(PATH, change))).toEqual([400, 'invalid_input', paths])
    expect(await settingsNow()).toEqual(before)
  })

test('refuses a server of its own network and one without encryption', async () => {
  for (const ai_base_url of [
    'https://10.0.0.1/v1',
    'https://localhost/v1',
    'http://example.com/v1',
    'ftp://example.com',
  ])
    expect(verdict(await admin.put(PATH, { ai_base_url }))).toEqual([
      400,
      'url_refused',
      ['body.ai_base_url'],
    ])
  const moved = { ai_base_url: 'https://ai.example.com/v1', ai_api_key: 'sk-moved' }
  expect((await admin.put(PATH, moved)).status).toBe(200)
})

test('enables AI only with provider, model, key and purpose', async () => {
  const other = await world.as('admin', world.other)
  expect(verdict(await other.put(PATH, { ai_enabled: true }))).toEqual([
    400,
    'invalid_input',
    ['body.ai_provider', 'body.ai_model', 'body.ai_api_key', 'body.ai_purpose'],
  ])
  const complete = {
    ai_enabled: true,
    ai_provider: 'openai',
    ai_model: 'small-one',
    ai_api_key: 'sk-other-key',
    ai_purpose: 'Answers questions about opening hours.',
    ai_system_prompt: 'Be brief.',
    ai_data_terms_confirmed: true,
  }
  const { data } = await other.put(PATH, complete)
  expect(data).toMatchObject({
    ai_enabled: true,
    system_prompt: 'Be brief.',
    ai_data_terms_confirmed: true,
    ai_data_terms: {
      confirmed: true,
      at: new Date(world.clock.nowMs()).toISOString(),
      by: world.other.userIds.admin,
    },
  })
  expect(verdict(await other.put(PATH, { ai_api_key: null }))[2]).toEqual(['body.ai_api_key'])
  expect((await other.put(PATH, { ai_enabled: false, ai_api_key: null })).data).toMatchObject({
    ai_api_key_set: false,
    ai_api_key_last4: null,
  })
})

describe('a stored AI key', () => {
  const server = 'https://ai.example.com/v1'
  const elsewhere = 'https://elsewhere.example.com/v1'
  const key = 'sk-first-12345678'
  const refused = (path: string) => [400, 'invalid_input', [path]]

  test('goes to another server or provider only if it is sent again', async () => {
    const own = await World.create()
    const client = await own.as('admin')
    await client.put(PATH, { ai_provider: 'openai', ai_base_url: server, ai_api_key: key })
    for (const change of [
      { ai_base_url: elsewhere },
      { ai_base_url: null },
      { ai_provider: 'anthropic', ai_base_url: null },
    ])
      expect(verdict(await client.put(PATH, change))).toEqual(refused('body.ai_api_key'))
    const number = `${PATH}?account_id=${own.tenant.accountId}`
    expect(verdict(await client.put(number, { ai_base_url: elsewhere }))).toEqual(
      refused('body.ai_api_key'),
    )
    expect((await client.put(PATH, { ai_base_url: server, ai_model: 'm' })).status).toBe(200)
    for (const change of [
      { ai_base_url: elsewhere, ai_api_key: key },
      { ai_base_url: server, ai_api_key: null },
      { ai_base_url: elsewhere },
    ])
      expect((await client.put(PATH, change)).status).toBe(200)
    await own.stop()
  })

  test('of one number does not follow the organization, nor the other way round', async () => {
    const own = await World.create()
    const client = await own.as('admin')
    const number = `${PATH}?account_id=${own.tenant.accountId}`
    await client.put(PATH, { ai_provider: 'openai' })
    await client.put(number, { ai_api_key: key })
    expect(verdict(await client.put(PATH, { ai_base_url: elsewhere }))).toEqual(
      refused('body.ai_base_url'),
    )
    await client.delete(number)
    await client.put(number, { ai_base_url: elsewhere })
    expect(verdict(await client.put(PATH, { ai_api_key: key }))).toEqual(refused('body.ai_api_key'))
    await client.put(number, { ai_api_key: 'sk-of-the-number' })
    expect((await client.put(PATH, { ai_api_key: key })).status).toBe(200)
    await own.stop()
  })
})

test('enables the bot only with a way to a person, unless that is acknowledged', async () => {
  const other = await world.as('admin', world.other)
  const alone = {
    chatbot_enabled: true,
    person_words_languages: [],
    fallback_transfer_after: null,
  }
  expect(verdict(await other.put(PATH, alone))).toEqual([
    400,
    'human_path_missing',
    ['body.transfer_keywords'],
  ])
  expect((await other.put(PATH, { ...alone, fallback_transfer_after: 2 })).status).toBe(200)
  expect(verdict(await other.put(PATH, { fallback_transfer_after: null }))[1]).toBe(
    'human_path_missing',
  )
  const answer = await other.put(PATH, { ...alone, acknowledge_no_human_path: true })
  expect(answer.data).toMatchObject({ chatbot_enabled: true, person_words_languages: [] })
  expect((await other.put(PATH, { debounce_seconds: 4 })).status).toBe(200)
  const { data } = await other.get('/api/audit-logs?resource_type=chatbot_settings')
  expect(JSON.stringify(data)).toContain('acknowledge_no_human_path')
})

test('of the organization are refused if they leave a number without what it needs', async () => {
  await using own = await World.create()
  const client = await own.as('admin')
  const number = `${PATH}?account_id=${own.tenant.accountId}`
  const hours = { day: 'monday', start_time: '09:00', end_time: '17:00' }
  await client.put(PATH, { business_hours: [hours] })
  await client.put(number, { chatbot_enabled: true, business_hours_enabled: true })
  const none = { person_words_languages: [], fallback_transfer_after: null }
  expect(verdict(await client.put(PATH, none))[1]).toBe('human_path_missing')
  const { body } = await client.put(PATH, { business_hours: [] })
  expect(body.errors).toEqual([
    {
      path: 'body.business_hours',
      message: expect.stringMatching(/^must have an entry .* on the number ".+"$/),
    },
  ])
  await client.put(number, { transfer_keywords: ['person'], business_hours: [hours] })
  expect((await client.put(PATH, { ...none, business_hours: [] })).status).toBe(200)
})

test('writes changes to the audit log, without secrets and numbers of customers', async () => {
  await admin.put(PATH, {
    ai_api_key: 'sk-secret-99',
    excluded_numbers: ['+1 555 010 0199'],
    debounce_seconds: 9,
  })
  const [entry] = (await admin.get('/api/audit-logs?resource_type=chatbot_settings')).data[
    'items'
  ] as Loose[]
  expect(entry).toMatchObject({ action: 'updated', resource_id: (await settingsNow())['id'] })
  expect(entry?.['changes']).toEqual(
    expect.arrayContaining([
      { field: 'ai_api_key', old_value: '***', new_value: '***' },
      { field: 'excluded_numbers', old_value: '***', new_value: '***' },
      { field: 'debounce_seconds', old_value: expect.any(Number), new_value: 9 },
    ]),
  )
  expect(JSON.stringify(entry)).not.toMatch(/secret-99|5550100199/)
})

test('shows excluded numbers masked to callers who see no numbers', async () => {
  await admin.put(PATH, { excluded_numbers: ['+1 555 010 0199'] })
  await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
  const { client } = await personWith(world, ['chatbot:read'])
  expect((await client.get(PATH)).data['excluded_numbers']).toEqual(['*******0199'])
  expect((await settingsNow())['excluded_numbers']).toEqual(['15550100199'])
  await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
})

test('forgets the excluded number of an erased person', async () => {
  const contact = await world.contactOf()
  const number = String(contact['phone_number'])
  await admin.put(PATH, { excluded_numbers: [number, '+1 555 010 0199'] })
  const id = String(contact['id'])
  const { data } = await admin.post(`/api/contacts/${id}/erase`, { confirm: id })
  await world.settle()
  expect((await settingsNow())['excluded_numbers']).toEqual(['15550100199'])
  const receipt = (await admin.get(`/api/privacy/requests/${String(data['id'])}`)).data[
    'receipt'
  ] as Loose
  expect(receipt['counts']).toMatchObject({ excluded_numbers: 1 })
})

test('forgets a former member to notify, and keeps a suspended one', async () => {
  const fresh = await World.create()
  const client = await fresh.as('admin')
  const { agent, manager } = fresh.tenant.userIds
  const notified = async (): Promise<unknown> =>
    (await client.get(PATH)).data['sla_escalation_notify_ids']
  await client.put(PATH, { sla_escalation_notify_ids: [agent, manager] })
  await client.delete(`/api/users/${agent}`)
  expect(await notified()).toEqual([manager])
  await client.put(`/api/users/${manager}`, { is_active: false })
  const kept = await client.put(PATH, { sla_escalation_notify_ids: [manager] })
  expect([kept.status, await notified()]).toEqual([200, [manager]])
  await fresh.stop()
})

test('keep own words for a person once, and refuse a language that our words are not in', async () => {
  const there = await world.as('admin', world.other)
  const { data } = await there.put(PATH, { transfer_keywords: ['help me', 'help me', ' nurse '] })
  expect(data['transfer_keywords']).toEqual(['help me', 'nurse'])
  for (const person_words_languages of [['nl'], ['de', 'de'], 'de'])
    expect(verdict(await there.put(PATH, { person_words_languages }))[1]).toBe('invalid_input')
})

test('keeps both prices while costs are limited', async () => {
  const there = await World.create()
  const client = await there.as('admin')
  const prices = { ai_price_input_per_million_usd: 1, ai_price_output_per_million_usd: 2 }
  expect((await client.put(PATH, { ai_monthly_cost_limit_usd: 5, ...prices })).status).toBe(200)
  const removed = { ai_price_output_per_million_usd: null }
  expect(verdict(await client.put(PATH, removed))).toEqual([
    400,
    'invalid_input',
    ['body.ai_monthly_cost_limit_usd'],
  ])
  const both = { ai_monthly_cost_limit_usd: null, ...removed }
  expect((await client.put(PATH, both)).status).toBe(200)
  await there.stop()
})

test('keeps the settings of a number that is disconnected, without its AI key', async () => {
  const there = await World.create()
  const client = await there.as('admin')
  const query = `${PATH}?account_id=${there.tenant.accountId}`
  await client.put(PATH, { chatbot_enabled: true, debounce_seconds: 0, fallback_message: 'Sorry?' })
  const flow = { name: 'Old', trigger_keywords: [] }
  const flowId = String((await client.post('/api/chatbot/flows', flow)).data['id'])
  const greeting_buttons = [{ id: `flow:${flowId}`, title: 'Old' }]
  const own = { chatbot_enabled: false, ai_api_key: 'sk-of-the-number', greeting_buttons }
  expect((await client.put(query, own)).status).toBe(200)
  await client.delete(`/api/accounts/${there.tenant.accountId}`)
  expect((await client.get(query)).status).toBe(404)
  expect(there.rows('select ai_api_key_sealed as key from chatbot_settings')).toEqual([
    { key: null },
    { key: null },
  ])
  // Nobody could change what they say.
  expect((await client.put(PATH, { transfer_keywords: ['person'] })).status).toBe(200)
  expect((await client.delete(`/api/chatbot/flows/${flowId}`)).status).toBe(200)
  await there.connect(there.tenant)
  expect((await client.get(query)).data).toMatchObject({
    chatbot_enabled: false,
    ai_api_key_set: false,
  })
  await there.simulator.customer({ phone: there.tenant.phoneId }).says('Hello')
  await there.settle()
  expect(there.rows("select id from messages where source = 'chatbot'")).toEqual([])
  await there.stop()
})

test('does not know the number of another organization', async () => {
  const foreign = `${PATH}?account_id=${world.other.accountId}`
  for (const answer of [
    await admin.get(foreign),
    await admin.put(foreign, { debounce_seconds: 1 }),
    await admin.delete(foreign),
  ])
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
})

describe('business hours', () => {
  const HOURS = '/api/chatbot/hours'
  const open = async (at: string): Promise<Loose> =>
    (await admin.get(`${HOURS}?at=${encodeURIComponent(at)}`)).data

  test('are open while they are disabled', async () => {
    expect((await admin.get(HOURS)).data).toEqual({
      open: true,
      timezone: 'UTC',
      closes_at: null,
      opens_at: null,
    })
  })

  test('follow the time zone of the organization', async () => {
    await admin.put('/api/organizations/settings', { timezone: 'Asia/Kolkata' })
    await admin.put(PATH, {
      business_hours_enabled: true,
      business_hours: [
        { day: 1, start_time: '09:00', end_time: '17:30' },
        { day: 'sunday', start_time: '22:00', end_time: '02:00', enabled: true },
      ],
      holidays: [{ date: '2026-11-30', name: 'Closed' }],
    })
    expect((await settingsNow())['business_hours']).toEqual([
      { day: 'monday', enabled: true, start_time: '09:00', end_time: '17:30' },
      { day: 'sunday', enabled: true, start_time: '22:00', end_time: '02:00' },
    ])
    expect(await open('2026-11-23T09:00:00+05:30')).toEqual({
      open: true,
      timezone: 'Asia/Kolkata',
      closes_at: '2026-11-23T12:00:00.000Z',
      opens_at: null,
    })
    expect(await open('2026-11-23T12:00:00Z')).toEqual({
      open: false,
      timezone: 'Asia/Kolkata',
      closes_at: null,
      opens_at: '2026-11-29T16:30:00.000Z',
    })
    expect(await open('2026-11-29T20:30:00Z')).toMatchObject({
      open: false,
      opens_at: '2026-12-06T16:30:00.000Z',
    })
  })

  test('need a time with its zone, and a number of the organization', async () => {
    expect(verdict(await admin.get(`${HOURS}?at=2026-11-23T09:00:00`))).toEqual([
      400,
      'invalid_input',
      ['query.at'],
    ])
    expect((await admin.get(`${HOURS}?account_id=${world.other.accountId}`)).status).toBe(404)
  })

  test('of a number can differ', async () => {
    await admin.put(ofNumber(), { business_hours_enabled: false })
    const query = `account_id=${world.tenant.accountId}`
    expect((await admin.get(`${HOURS}?${query}`)).data['open']).toBe(true)
    await admin.delete(ofNumber())
    expect((await admin.get(`${HOURS}?${query}`)).data['open']).toBe(false)
  })
})

test('tells what is on now, where it hands customers to, and which numbers differ', async () => {
  const own = await World.create()
  try {
    const owner = await own.as('admin')
    const works = async (of = ''): Promise<unknown> =>
      (await owner.get(`${PATH}${of}`)).data['works_with']
    const nothing = { rules: 0, flows: 0, teams: [], general_queue: false }
    expect(await works()).toEqual(nothing)
    const { data: team } = await owner.post('/api/teams', { name: 'Counter' })
    const { id } = team['team'] as Loose
    const rule = async (body: Loose): Promise<string> =>
      String((await owner.post('/api/chatbot/keywords', body)).data['id'])
    await rule({ keywords: ['open'], response: 'From nine.' })
    await rule({ keywords: ['off'], response: 'Off.', enabled: false })
    await rule({ keywords: ['old'], response: 'Old.', active_until: '2020-01-01T00:00:00Z' })
    await rule({ keywords: ['new'], response: 'New.', active_from: '2050-01-01T00:00:00Z' })
    const toTeam = await rule({
      keywords: ['cake'],
      response_type: 'transfer',
      response_content: { team_id: id },
    })
    const counter = [{ id, name: 'Counter' }]
    expect(await works()).toEqual({ ...nothing, rules: 2, teams: counter })
    const flow = (node: Loose): Loose => ({
      name: `Flow ${JSON.stringify(node).length}`,
      trigger_keywords: [`go ${JSON.stringify(node).length}`],
      enabled: true,
      account_id: own.tenant.accountId,
      graph: { version: 2, entry_node: 'a', nodes: [node], edges: [] },
    })
    await owner.post('/api/chatbot/flows', flow({ id: 'a', type: 'transfer', config: {} }))
    expect(await works()).toEqual({
      ...{ rules: 2, flows: 1, teams: counter },
      general_queue: true,
    })
    await owner.put(`/api/chatbot/keywords/${toTeam}`, { enabled: false })
    expect(await works(`?account_id=${own.tenant.accountId}`)).toEqual({
      ...{ rules: 1, flows: 1, teams: [] },
      general_queue: true,
    })
    expect((await owner.get(PATH)).data['numbers_with_own_settings']).toEqual([])
    const number = `${PATH}?account_id=${own.tenant.accountId}`
    await owner.put(number, { debounce_seconds: 9 })
    expect((await owner.get(PATH)).data['numbers_with_own_settings']).toEqual([
      own.tenant.accountId,
    ])
    expect((await owner.get(number)).data['numbers_with_own_settings']).toEqual([])
    await owner.delete(number)
    expect((await owner.get(PATH)).data['numbers_with_own_settings']).toEqual([])
  } finally {
    await own.stop()
  }
})
