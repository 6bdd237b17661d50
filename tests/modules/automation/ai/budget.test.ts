import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { AiWorld } from '../../../support/ai'
import type { Loose } from '../../../support/client'

let own: AiWorld
beforeEach(async () => {
  own = await AiWorld.create()
  own.ai.answers = () => 'Yes.'
})
afterEach(() => own.stop())

const NONE = {
  ai_daily_token_budget: null,
  ai_monthly_token_budget: null,
  ai_monthly_cost_limit_usd: null,
}
const ask = () => own.admin.post('/api/chatbot/ai/test', { message: 'Are you open?' })
const usage = async (query = ''): Promise<Loose> =>
  (await own.admin.get(`/api/chatbot/ai/usage${query}`)).data
const notices = async (): Promise<Loose[]> =>
  (await own.admin.get('/api/me/notifications')).data['items'] as Loose[]

describe('a budget', () => {
  test('is reserved before the call and settled with the counts of the provider', async () => {
    const first = (await ask()).data
    const tokens = Number(first['input_tokens']) + Number(first['output_tokens'])
    expect(await usage()).toMatchObject({
      total_requests: 1,
      total_tokens: tokens,
      budget: { daily: null, monthly: null, used_today: tokens, used_this_month: tokens },
    })
    // Room for one call, but not for two at the same time.
    await own.configure({ ...NONE, ai_daily_token_budget: tokens + 1_800 })
    own.ai.plan({ kind: 'held' })
    const held = ask()
    await own.world.eventually(() => own.ai.waiting === 1)
    expect(own.world.rows('select sum(reserved_tokens) > 0 as held from ai_days')).toEqual([
      { held: 1 },
    ])
    const refused = await ask()
    expect([refused.status, refused.body.code]).toEqual([409, 'ai_budget_exhausted'])
    own.ai.letGo()
    expect((await held).data).toMatchObject({ success: true })
    expect(own.world.rows('select sum(reserved_tokens) as held from ai_days')).toEqual([
      { held: 0 },
    ])
    expect(await usage()).toMatchObject({ total_requests: 2, total_tokens: 2 * tokens })
    expect((await ask()).status).toBe(200)
  })

  for (const [name, settings] of [
    ['daily tokens', { ai_daily_token_budget: 100 }],
    ['monthly tokens', { ai_monthly_token_budget: 100 }],
    [
      'monthly cost',
      {
        ai_monthly_cost_limit_usd: 0.001,
        ai_price_input_per_million_usd: 3,
        ai_price_output_per_million_usd: 15,
      },
    ],
  ] as const)
    test(`of ${name} that has no room stops calls before they are made`, async () => {
      await own.configure({ ...NONE, ...settings })
      expect((await ask()).body.code).toBe('ai_budget_exhausted')
      expect(own.ai.requests).toEqual([])
      expect(await usage()).toMatchObject({ total_requests: 0, total_tokens: 0 })
    })

  test('begins anew with the day of the organization’s time zone', async () => {
    await own.admin.put('/api/organizations/settings', { timezone: 'Asia/Kolkata' })
    await ask()
    const { budget } = await usage()
    const tokens = Number((budget as Loose)['used_today'])
    await own.configure({ ...NONE, ai_daily_token_budget: tokens + 100 })
    expect((await ask()).status).toBe(409)
    // 15:00 in India; the next day begins at 18:30 UTC.
    own.world.clock.advance({ hours: 8, minutes: 59 })
    own = Object.assign(own, { admin: await own.world.signIn('admin@acme.example.com') })
    expect(await usage()).toMatchObject({ budget: { used_today: tokens } })
    own.world.clock.advance({ minutes: 2 })
    expect(await usage()).toMatchObject({
      budget: { used_today: 0, used_this_month: tokens },
      by_day: [{ date: '2026-11-21', requests: 1, total_tokens: tokens }],
    })
    await own.configure({ ...NONE, ai_daily_token_budget: 5_000 })
    expect((await ask()).status).toBe(200)
    expect(((await usage())['by_day'] as Loose[]).map(({ date }) => date)).toEqual([
      '2026-11-21',
      '2026-11-22',
    ])
    expect(await usage('?start_date=2026-11-22&end_date=2026-11-22')).toMatchObject({
      total_requests: 1,
    })
  })

  test('that is used up notifies those who may change the chatbot, once a day', async () => {
    await own.configure({ ...NONE, ai_daily_token_budget: 1 })
    for (let times = 0; times < 3; times += 1) expect((await ask()).status).toBe(409)
    const told = (await notices()).filter(({ kind }) => kind === 'ai_budget_reached')
    expect(told).toMatchObject([{ severity: 'warning', title: 'The AI budget is used up' }])
    const agent = await own.world.as('agent')
    expect((await agent.get('/api/me/notifications')).data['items']).toEqual([])
    own.world.clock.advance({ hours: 24 })
    own = Object.assign(own, { admin: await own.world.signIn('admin@acme.example.com') })
    await ask()
    expect((await notices()).filter(({ kind }) => kind === 'ai_budget_reached')).toHaveLength(2)
  })
})

describe('usage', () => {
  test('has the cost of a call from the prices in the settings, and none without them', async () => {
    await own.configure({
      ai_price_input_per_million_usd: 2.5,
      ai_price_output_per_million_usd: 10,
    })
    const { data } = await ask()
    const cost = (Number(data['input_tokens']) * 2.5 + Number(data['output_tokens']) * 10) / 1e6
    expect(Number(data['cost_usd'])).toBeCloseTo(cost, 6)
    expect(Number((await usage())['estimated_cost'])).toBeCloseTo(cost, 6)
    await own.configure({ ai_price_input_per_million_usd: null })
    expect((await ask()).data).toMatchObject({ cost_usd: null })
  })

  test('has one row a call, also of one that failed or reported no tokens', async () => {
    own.ai.plan({ kind: 'no_usage' }, { kind: 'malformed' })
    await ask()
    await ask()
    expect(
      own.world.rows(
        'select outcome, error_kind, input_tokens, output_tokens, contact_id from ai_usage order by created_at_ms, rowid',
      ),
    ).toEqual([
      {
        outcome: 'answered',
        error_kind: null,
        input_tokens: 0,
        output_tokens: 0,
        contact_id: null,
      },
      {
        outcome: 'failed',
        error_kind: 'malformed',
        input_tokens: 0,
        output_tokens: 0,
        contact_id: null,
      },
    ])
    expect(await usage()).toMatchObject({ total_requests: 2, by_day: [{ requests: 2, failed: 1 }] })
  })

  test('is counted in the metrics by provider', async () => {
    const { data } = await ask()
    const text = await own.world.program.http.metrics.registry.metrics()
    expect(text).toContain('switchboard_ai_requests_total{provider="openai",outcome="answered"} 1')
    expect(text).toContain(
      `switchboard_ai_tokens_total{provider="openai",direction="input"} ${data['input_tokens']}`,
    )
  })

  test('refuses dates that are none, in the wrong order, or more than a year apart', async () => {
    for (const [query, path] of [
      ['start_date=2026-02-30', 'query.start_date'],
      ['start_date=2026-11-21T00:00:00Z', 'query.start_date'],
      ['end_date=soon', 'query.end_date'],
      ['start_date=2026-11-22&end_date=2026-11-21', 'query.end_date'],
      ['start_date=2024-01-01&end_date=2026-11-21', 'query.end_date'],
    ]) {
      const { status, body } = await own.admin.get(`/api/chatbot/ai/usage?${query}`)
      expect([query, status, body.errors?.[0]?.path]).toEqual([query, 400, path])
    }
  })
})
