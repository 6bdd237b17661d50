import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { AiQuestion, Reservation } from '../../../../src/modules/automation/ai/answer'
import {
  callProvider,
  reserveAnswer,
  settleAnswer,
} from '../../../../src/modules/automation/ai/answer'
import { transact } from '../../../../src/infra/db/transact'
import { systemCtx } from '../../../../src/infra/ctx'
import type { AiFault } from '../../../simulator/ai/server'
import { AiWorld } from '../../../support/ai'
import type { Loose } from '../../../support/client'

let own: AiWorld
beforeAll(async () => {
  own = await AiWorld.create()
  own.ai.answers = () => 'Yes.'
})
afterAll(() => own.stop())

const ask = (message = 'Hello'): Promise<Loose> => own.ask(message)

/** Asks while the clock moves on whenever the server waits a second. */
async function askWithRetry(): Promise<Loose> {
  const answer = ask()
  const sent = own.ai.requests.length
  await own.world.eventually(() => own.ai.requests.length > sent)
  await Bun.sleep(30)
  own.world.clock.advance({ seconds: 1 })
  return await answer
}

describe('a provider that fails is a result', () => {
  for (const [name, settings, kind, status] of [
    ['a wrong key', { ai_api_key: 'sk-wrong-key' }, 'auth', 401],
    ['an unknown model', { ai_model: 'unknown-model' }, 'rejected', 404],
    [
      'a bad temperature',
      { ai_provider: 'anthropic', ai_model: 'claude-3-haiku-20240307', ai_temperature: 2 },
      null,
      null,
    ],
  ] as const)
    test(`with ${name}`, async () => {
      await own.configure(settings)
      const { success, error } = await ask()
      // The client limits a temperature to what the provider accepts.
      expect({ success, error }).toMatchObject(
        kind === null
          ? { success: true, error: null }
          : { success: false, error: { kind, status } },
      )
      await own.configure({ ai_temperature: 0.7 })
    })

  for (const provider of ['openai', 'anthropic', 'google'] as const)
    for (const [fault, kind, status] of [
      [{ kind: 'status', status: 400 }, 'rejected', 400],
      [{ kind: 'malformed' }, 'malformed', 200],
      [{ kind: 'cut' }, 'malformed', 200],
      [{ kind: 'huge' }, 'too_large', null],
      [{ kind: 'redirect' }, 'rejected', null],
    ] as [AiFault, string, number | null][])
      test(`that is ${JSON.stringify(fault)} at ${provider}`, async () => {
        await own.configure({ ai_provider: provider, ai_model: 'model-1' })
        own.ai.plan(fault)
        const secret = 'the words of a customer'
        const answer = await ask(secret)
        expect(answer).toMatchObject({ success: false, answer: null, error: { kind, status } })
        expect(JSON.stringify(answer)).not.toContain(own.ai.key)
        expect(JSON.stringify(answer)).not.toContain(secret)
      })

  test('after its time is over', async () => {
    await own.configure({ ai_timeout_seconds: 3 })
    const used = async (): Promise<number> =>
      Number((await own.admin.get('/api/chatbot/ai/usage')).data['total_tokens'])
    const before = await used()
    own.ai.plan({ kind: 'malformed' })
    await ask()
    expect(await used()).toBe(before)
    own.ai.plan({ kind: 'held' })
    expect(await ask()).toMatchObject({ success: false, error: { kind: 'timeout', status: null } })
    own.ai.letGo()
    // The provider may have answered, and wants to be paid then: the reserved size counts.
    const [call] = own.world.rows<{ tokens: number }>(
      'select reserved_tokens as tokens from ai_usage order by created_at_ms desc, id desc limit 1',
    )
    expect(call?.tokens).toBeGreaterThan(500)
    expect(await used()).toBe(before + (call?.tokens ?? 0))
    await own.configure({ ai_timeout_seconds: 20 })
  })
})

describe('a second attempt', () => {
  for (const status of [429, 500, 503])
    test(`follows a ${status} after a second`, async () => {
      own.ai.plan({ kind: 'status', status })
      const before = own.ai.requests.length
      expect(await askWithRetry()).toMatchObject({ success: true, answer: expect.any(String) })
      expect(own.ai.requests.length - before).toBe(2)
    })

  test('is the last one', async () => {
    own.ai.plan({ kind: 'status', status: 429 }, { kind: 'status', status: 429 })
    const before = own.ai.requests.length
    expect(await askWithRetry()).toMatchObject({ error: { kind: 'rate_limited', status: 429 } })
    expect(own.ai.requests.length - before).toBe(2)
  })
})

const ctx = () => systemCtx(own.world.program.http, own.world.tenant.id)
const question = (more: Partial<AiQuestion> = {}): AiQuestion => ({
  purpose: 'answer',
  accountId: own.world.tenant.accountId,
  contactId: null,
  text: 'Are you open?',
  isTheirText: true,
  messageIds: [],
  ...more,
})
const reserve = (asked: AiQuestion): Reservation =>
  transact(ctx().db, (tx) => reserveAnswer(tx, ctx(), asked))

/** Asks as the bot does. */
async function answer(asked: AiQuestion) {
  const reserved = reserve(asked)
  if (reserved.kind === 'refused') return reserved.reason
  const { callId } = reserved
  const result = await callProvider(ctx(), callId, asked)
  return transact(ctx().db, (tx) => settleAnswer(tx, ctx(), { callId, question: asked, result }))
    .kind
}

describe('the bot', () => {
  test('stops asking for a minute after five failures in a row, and begins with a success', async () => {
    await own.configure({})
    const fail = (times: number) =>
      own.ai.plan(...Array.from({ length: times }, () => ({ kind: 'malformed' }) as const))
    fail(4)
    for (let nth = 0; nth < 4; nth += 1) expect(await answer(question())).toBe('failed')
    expect(await answer(question())).toBe('answer')
    fail(5)
    for (let nth = 0; nth < 5; nth += 1) expect(await answer(question())).toBe('failed')
    const before = own.ai.requests.length
    expect(await answer(question())).toBe('breaker_open')
    own.world.clock.advance({ seconds: 59 })
    expect(await answer(question())).toBe('breaker_open')
    expect(own.ai.requests.length).toBe(before)
    own.world.clock.advance({ seconds: 2 })
    fail(1)
    expect(await answer(question())).toBe('failed')
    expect(await answer(question())).toBe('breaker_open')
    // Another model has failures of its own, and a test that succeeds closes the breaker.
    await own.configure({ ai_model: 'gpt-other' })
    expect(await answer(question())).toBe('answer')
    await own.configure({})
    expect(await ask()).toMatchObject({ success: true })
    expect(await answer(question())).toBe('answer')
  })

  test('answers a contact only as often as allowed within an hour', async () => {
    const contact = await own.world.contactOf()
    const other = await own.world.contactOf()
    await own.configure({ ai_replies_per_contact_per_hour: 2 })
    const of = (id: unknown) => question({ contactId: String(id) })
    own.ai.plan({ kind: 'malformed' })
    expect(await answer(of(contact['id']))).toBe('failed')
    expect(await answer(of(contact['id']))).toBe('answer')
    own.world.clock.advance({ minutes: 30 })
    expect(await answer(of(contact['id']))).toBe('answer')
    expect(await answer(of(contact['id']))).toBe('contact_limit')
    expect(await answer(of(other['id']))).toBe('answer')
    own.world.clock.advance({ minutes: 31 })
    expect(await answer(of(contact['id']))).toBe('answer')
    own = Object.assign(own, { admin: await own.world.signIn('admin@acme.example.com') })
    await own.configure({ ai_replies_per_contact_per_hour: 30 })
  })

  test('counts the answers in flows against the same hour, in both directions', async () => {
    const contact = await own.world.contactOf()
    await own.configure({ ai_replies_per_contact_per_hour: 1 })
    const as = (purpose: 'answer' | 'flow', id: unknown) =>
      answer(question({ purpose, contactId: String(id) }))
    expect(await as('flow', contact['id'])).toBe('answer')
    expect([await as('answer', contact['id']), await as('flow', contact['id'])]).toEqual([
      'contact_limit',
      'contact_limit',
    ])
    own.world.clock.advance({ minutes: 61 })
    own = Object.assign(own, { admin: await own.world.signIn('admin@acme.example.com') })
    expect(await as('answer', contact['id'])).toBe('answer')
    expect(await as('flow', contact['id'])).toBe('contact_limit')
    await own.configure({ ai_replies_per_contact_per_hour: 30 })
  })

  test('does not ask while AI is off or not set up', async () => {
    await own.configure({ ai_enabled: false })
    expect(reserve(question())).toEqual({ kind: 'refused', reason: 'disabled' })
    await own.configure({})
  })
})

describe('a call that was interrupted', () => {
  test('by a stop of the server is no failure of the provider', async () => {
    const reserved = reserve(question())
    const callId = reserved.kind === 'reserved' ? reserved.callId : ''
    const stop = new AbortController()
    own.ai.plan({ kind: 'held' })
    const call = callProvider(ctx(), callId, question(), stop.signal)
    await own.world.eventually(() => own.ai.waiting === 1)
    stop.abort()
    expect(call).rejects.toThrow()
    own.ai.letGo()
    expect(own.world.rows('select failures from ai_breakers')).toEqual([])
    const result = await callProvider(ctx(), callId, question())
    transact(ctx().db, (tx) => settleAnswer(tx, ctx(), { callId, question: question(), result }))
  })

  const rows = () =>
    own.world.rows(
      'select outcome, input_tokens > 0 as has_tokens from ai_usage where created_at_ms >= ? order by rowid',
      own.world.clock.nowMs(),
    )

  test('counts with its estimate, and the next run of its job counts on its own', async () => {
    own.world.clock.advance({ hours: 1 })
    const reserved = reserve(question())
    const callId = reserved.kind === 'reserved' ? reserved.callId : ''
    own.ai.plan({ kind: 'held' })
    void callProvider(ctx(), callId, question()).catch(() => undefined) // the process is killed
    await own.world.eventually(() => own.ai.waiting === 1)
    const result = await callProvider(ctx(), callId, question())
    const settle = () =>
      transact(ctx().db, (tx) => settleAnswer(tx, ctx(), { callId, question: question(), result }))
    expect(settle().kind).toBe('answer')
    expect(settle().kind).toBe('answer') // a repeated step counts nothing again
    own.ai.letGo()
    expect(rows()).toEqual([
      { outcome: 'answered', has_tokens: 1 },
      { outcome: 'unknown', has_tokens: 1 },
    ])
  })

  interface Counted {
    day: number
    tokens: number
    cost: number
  }
  const COUNTED =
    'select day, input_tokens + output_tokens as tokens, cost_micros as cost from ai_days where day = ?'
  const shownTokens = async (): Promise<number> => {
    const admin = await own.world.signIn('admin@acme.example.com')
    return Number((await admin.get('/api/chatbot/ai/usage')).data['total_tokens'])
  }
  const reportedCalls = async (): Promise<number> => {
    const admin = await own.world.signIn('admin@acme.example.com')
    const { data } = await admin.get('/api/analytics/chatbot')
    return Number((data['ai_usage'] as Loose)['total_requests'])
  }
  const reservedBy = (callId: string): { tokens: number; cost: number } =>
    own.world.rows<{ tokens: number; cost: number }>(
      'select reserved_tokens as tokens, reserved_micros as cost from ai_usage where id = ?',
      callId,
    )[0] as { tokens: number; cost: number }

  test('is settled by a sweep when its job is lost, and can still be made afterwards', async () => {
    own.world.clock.advance({ hours: 1 })
    own = Object.assign(own, { admin: await own.world.signIn('admin@acme.example.com') })
    await own.configure({ ai_price_input_per_million_usd: 2, ai_price_output_per_million_usd: 2 })
    const [first, second] = [reserve(question()), reserve(question())]
    const idOf = (one: Reservation) => (one.kind === 'reserved' ? one.callId : '')
    const atMs = own.world.clock.nowMs()
    const [{ day }] = own.world.rows<{ day: number }>('select max(day) as day from ai_usage') as [
      { day: number },
    ]
    const [before] = own.world.rows<Counted>(COUNTED, day) as [Counted]
    const shown = await shownTokens()
    const calls = await reportedCalls()
    own.ai.plan({ kind: 'held' })
    void callProvider(ctx(), idOf(second), question()).catch(() => undefined)
    await own.world.eventually(() => own.ai.waiting === 1)
    own.world.clock.advance({ minutes: 16 })
    await own.world.settle()
    const outcomes = () =>
      own.world.rows<{ outcome: string }>(
        'select outcome from ai_usage where created_at_ms = ? order by rowid',
        atMs,
      )
    expect(outcomes().map(({ outcome }) => outcome)).toEqual(['not_called', 'unknown'])
    // The provider may have answered the second one, which counts with all that was held back.
    const [added] = own.world.rows<Counted>(COUNTED, before.day)
    const { tokens: estimate, cost } = reservedBy(idOf(second))
    expect(estimate).toBeGreaterThan(500)
    expect(cost).toBe(estimate * 2)
    expect(added).toEqual({
      day: before.day,
      tokens: before.tokens + estimate,
      cost: before.cost + cost,
    })
    expect(await shownTokens()).toBe(shown + estimate)
    expect(await reportedCalls()).toBe(calls + 1)
    expect(own.world.rows('select sum(reserved_tokens) as held from ai_days')).toEqual([
      { held: 0 },
    ])
    for (const callId of [idOf(first), idOf(second)]) {
      const result = await callProvider(ctx(), callId, question())
      transact(ctx().db, (tx) => settleAnswer(tx, ctx(), { callId, question: question(), result }))
    }
    own.ai.letGo()
    expect(
      outcomes()
        .map(({ outcome }) => outcome)
        .toSorted(),
    ).toEqual(['answered', 'answered', 'unknown'])
    expect(own.world.rows('select sum(reserved_tokens) as held from ai_days')).toEqual([
      { held: 0 },
    ])
  })
})
