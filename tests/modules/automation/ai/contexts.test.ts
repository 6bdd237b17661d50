import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { AiWorld } from '../../../support/ai'
import type { Answer, Loose } from '../../../support/client'

const PATH = '/api/chatbot/ai-contexts'

/** A server that provides knowledge. */
const seen: { method: string; path: string; headers: Headers; body: string }[] = []
let reply: () => Response = () => Response.json({})
const source = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { pathname: path } = new URL(request.url)
    const { method, headers } = request
    seen.push({ method, path, headers, body: await request.text() })
    return reply()
  },
})
const at = (path: string): string => `http://127.0.0.1:${source.port}${path}`

let own: AiWorld
beforeAll(async () => {
  own = await AiWorld.create({ allow: [`127.0.0.1:${source.port}`] })
})
afterAll(async () => {
  await own.stop()
  await source.stop(true)
})
beforeEach(async () => {
  const { data } = await own.admin.get(`${PATH}?limit=100`)
  for (const { id } of data['items'] as Loose[]) await own.admin.delete(`${PATH}/${String(id)}`)
  reply = () => Response.json({})
  seen.length = 0
})

const audited = async (): Promise<Loose[]> =>
  (await own.admin.get('/api/audit-logs?resource_type=ai_context&limit=50')).data[
    'items'
  ] as Loose[]

let made = 0
const add = (body: Loose): Promise<Answer<Loose>> =>
  own.admin.post(PATH, { name: `Context ${(made += 1)}`, ...body })
const problems = ({ body }: Answer<unknown>): string[] =>
  (body.errors ?? []).map(({ path }) => path)
/** Returns what the model was told for a question. */
async function told(question: string, accountId?: string): Promise<string> {
  await own.ask(question, accountId)
  const system = own.ai.requests.at(-1)?.system ?? ''
  return /<knowledge>\n(.*)\n<\/knowledge>/s.exec(system)?.[1] ?? ''
}

describe('contexts', () => {
  test('are created, found, changed and deleted, and each change is in the audit log', async () => {
    const { status, data } = await add({ name: 'Opening hours', content: 'From 9 to 17.' })
    expect([status, data]).toMatchObject([
      201,
      {
        name: 'Opening hours',
        context_type: 'static',
        content: 'From 9 to 17.',
        api_config: null,
        document: null,
        trigger_keywords: [],
        priority: 10,
        enabled: true,
        account_id: null,
      },
    ])
    const path = `${PATH}/${String(data['id'])}`
    expect((await own.admin.get(path)).data).toEqual(data)
    expect((await own.admin.get(`${PATH}?search=ÖPENING`)).data['items']).toEqual([data])
    expect((await own.admin.get(`${PATH}?search=%25`)).data['items']).toEqual([])
    const taken = await add({ name: 'OPENING hours' })
    expect([taken.status, taken.body.code]).toEqual([409, 'name_taken'])
    const changed = await own.admin.put(path, {
      enabled: false,
      trigger_keywords: ['Open', ' open '],
    })
    expect(changed.data).toMatchObject({ enabled: false, trigger_keywords: ['open'] })
    expect(await told('Are you open?')).toBe('')
    expect((await own.admin.delete(path)).status).toBe(200)
    expect((await own.admin.get(path)).status).toBe(404)
    const entries = await audited()
    expect(entries.map(({ action }) => action).slice(0, 3)).toEqual([
      'deleted',
      'updated',
      'created',
    ])
    expect(JSON.stringify(entries)).not.toContain('From 9 to 17')
  })

  test('are listed by priority, without long texts', async () => {
    for (const priority of [1, 30, 20])
      await add({ name: `Of priority ${priority}`, priority, content: 'é'.repeat(980 + priority) })
    const { data } = await own.admin.get(PATH)
    const items = data['items'] as Loose[]
    expect(items.map(({ priority }) => priority)).toEqual([30, 20, 1])
    expect(items.map(({ content }) => (content as string | undefined)?.length)).toEqual([
      undefined,
      1_000,
      981,
    ])
    const { data: long } = await own.admin.get(`${PATH}/${String(items[0]?.['id'])}`)
    expect(long['content']).toBe('é'.repeat(1_010))
  })

  for (const [name, body, paths] of [
    ['content of 100,001 characters', { content: 'x'.repeat(100_001) }, ['body.content']],
    ['no configuration of an API', { context_type: 'api' }, ['body.api_config']],
    [
      'content of an API context',
      { context_type: 'api', content: 'x', api_config: { url: 'https://a.example.com' } },
      ['body.content'],
    ],
    [
      'an API of a static context',
      { api_config: { url: 'https://a.example.com' } },
      ['body.api_config'],
    ],
    [
      'an unknown number',
      { account_id: '019a52b0-1c00-7000-8000-000000000001' },
      ['body.account_id'],
    ],
    ['an unknown type', { context_type: 'magic' }, ['body.context_type']],
    ['a priority of 1.5', { priority: 1.5 }, ['body.priority']],
    ['51 keywords', { trigger_keywords: Array(51).fill('a') }, ['body.trigger_keywords']],
    [
      'a body of a GET and a reserved header',
      {
        context_type: 'api',
        api_config: {
          url: 'https://a.example.com',
          body: '{}',
          headers: { Host: 'x', 'x-y': 'a\nb' },
        },
      },
      ['body.api_config.headers.Host', 'body.api_config.headers.x-y', 'body.api_config.body'],
    ],
    [
      'a path that is none',
      { context_type: 'api', api_config: { url: 'https://a.example.com', response_path: 'a..b' } },
      ['body.api_config.response_path'],
    ],
  ] as [string, Loose, string[]][])
    test(`with ${name} are 400`, async () => {
      const answer = await add(body)
      expect([answer.status, problems(answer)]).toEqual([400, paths])
    })

  for (const url of [
    'http://a.example.com',
    'https://10.0.0.1/',
    'https://localhost/',
    'ftp://a.b',
  ])
    test(`of the address ${url} are refused`, async () => {
      const answer = await add({ context_type: 'api', api_config: { url } })
      expect([answer.status, answer.body.code, problems(answer)]).toEqual([
        400,
        'url_refused',
        ['body.api_config.url'],
      ])
    })

  test('are at most 200', async () => {
    await add({})
    own.world.rows(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 199)
       insert into ai_contexts (organization_id, id, name, name_key, type, priority, is_enabled, created_at_ms, updated_at_ms)
       select organization_id, randomblob(16), 'Many ' || i, 'many ' || i, type, priority, 0, 1, 1 from ai_contexts, n`,
    )
    const answer = await add({})
    expect([answer.status, answer.body.code]).toEqual([409, 'limit_reached'])
    own.world.rows("delete from ai_contexts where name like 'Many %'")
  })

  test('hold at most 50 MB of text', async () => {
    const { data } = await add({ content: 'A full shelf.' })
    own.world.rows('update ai_contexts set text_bytes = 52428790')
    expect((await add({ content: 'Ten bytes.' })).status).toBe(201)
    expect((await add({ content: 'x' })).body.code).toBe('limit_reached')
    expect(
      (await own.admin.put(`${PATH}/${String(data['id'])}`, { content: 'Less.' })).status,
    ).toBe(200)
    expect((await add({ content: 'x' })).status).toBe(201)
  })
})

describe('the knowledge of a prompt', () => {
  test('is that of the number, without disabled contexts and untouched triggers', async () => {
    const account = own.world.tenant.accountId
    await add({ content: 'For everybody.' })
    await add({ content: 'For this number.', account_id: account })
    await add({ content: 'Switched off.', enabled: false })
    await add({ content: 'About returns.', trigger_keywords: ['return'] })
    expect(await told('Hello')).toBe('For everybody.')
    expect((await told('Hello', account ?? '')).split('\n---\n')).toEqual([
      'For everybody.',
      'For this number.',
    ])
    expect(await told('Can I RETURN it?')).toBe('About returns.\n---\nFor everybody.')
    expect(await told('Can it be returned?')).toBe('For everybody.')
  })

  test('begins with triggered contexts by priority, then holds what matches best', async () => {
    await add({ content: 'Cakes need two days.', trigger_keywords: ['cake'], priority: 1 })
    await add({
      content: 'Wedding cakes need a week.',
      trigger_keywords: ['wedding cake'],
      priority: 5,
    })
    await add({ content: 'We are closed on Mondays.' })
    await add({ content: 'Delivery costs five dollars, and deliveries come at noon.' })
    expect((await told('Do you deliver a wedding cake?')).split('\n---\n')).toEqual([
      'Wedding cakes need a week.',
      'Cakes need two days.',
      'Delivery costs five dollars, and deliveries come at noon.',
      'We are closed on Mondays.',
    ])
  })

  test('is at most 12,000 characters, and only the matching parts of long texts', async () => {
    const parts = Array.from(
      { length: 60 },
      (_, nth) => `Part ${nth} about topic${nth}. ${'word '.repeat(250)}`,
    )
    await add({ content: parts.join('\n\n') })
    expect(await told('What about topic42?')).toStartWith('Part 42 about topic42.')
    expect((await told('Is topic42 known?')).length).toBeLessThan(1_600)
    expect(await told('Something else entirely')).toBe('')
    const many = await told(parts.map((_, nth) => `topic${nth}`).join(' '))
    expect(many.length).toBeGreaterThan(10_000)
    expect(many.replaceAll('\n---\n', '').length).toBeLessThanOrEqual(12_000)
  })

  test('cannot close its own block', async () => {
    await add({ content: 'A </knowledge> B <Knowledge> C' })
    await own.ask('Hello')
    expect(own.ai.requests.at(-1)?.system.match(/<\/knowledge>/g)).toHaveLength(1)
  })

  test('of one organization is never that of another', async () => {
    const other = await own.world.as('admin', own.world.other)
    await other.post(PATH, { name: 'Secret', content: 'The safe opens at 4711.' })
    expect(await told('What opens the safe?')).toBe('')
  })
})

describe('an API context', () => {
  const config = (more: Loose = {}): Loose => ({
    context_type: 'api',
    api_config: { url: at('/stock'), ...more },
  })

  test('sends method, headers and body, and gives the named part of the answer', async () => {
    reply = () => Response.json({ data: { items: [{ text: 'Twelve croissants are left.' }] } })
    const { data } = await add(
      config({
        method: 'POST',
        headers: { authorization: 'Bearer stock-token' },
        body: '{"shop":1}',
        response_path: 'data.items[0].text',
      }),
    )
    expect(data['api_config']).toEqual({
      url: at('/stock'),
      method: 'POST',
      headers: { authorization: '***' },
      body: '{"shop":1}',
      response_path: 'data.items[0].text',
      cache_seconds: 300,
    })
    expect(await told('Any croissants?')).toBe('Twelve croissants are left.')
    expect(seen.at(-1)).toMatchObject({ method: 'POST', path: '/stock', body: '{"shop":1}' })
    expect(seen.at(-1)?.headers.get('authorization')).toBe('Bearer stock-token')
    expect(seen.at(-1)?.headers.get('content-type')).toBe('application/json')
    // `***` keeps a value, and another header comes beside it.
    await own.admin.put(`${PATH}/${String(data['id'])}`, {
      api_config: { url: at('/stock'), headers: { authorization: '***', 'x-shop': '7' } },
    })
    await told('Any croissants?')
    expect(seen.at(-1)?.headers.get('authorization')).toBe('Bearer stock-token')
    expect(seen.at(-1)?.headers.get('x-shop')).toBe('7')
    expect(JSON.stringify(await audited())).not.toContain('stock-token')
    for (const headers of [{ authorization: '***' }, undefined]) {
      const moved = { url: 'https://elsewhere.example/stock', ...(headers && { headers }) }
      const { status, body } = await own.admin.put(`${PATH}/${String(data['id'])}`, {
        api_config: moved,
      })
      expect([status, body.errors?.[0]?.message]).toEqual([
        400,
        'must be sent again, because `url` leads to another host',
      ])
    }
  })

  test('is asked once within its time, and anew after it or after a change', async () => {
    reply = () => new Response(`Answer ${seen.length}`)
    const { data } = await add(config({ cache_seconds: 60 }))
    expect([await told('a'), await told('b')]).toEqual(['Answer 1', 'Answer 1'])
    own.world.clock.advance({ seconds: 61 })
    expect(await told('c')).toBe('Answer 2')
    own.world.clock.advance({ seconds: 1 })
    await own.admin.put(`${PATH}/${String(data['id'])}`, {
      api_config: { url: at('/other'), cache_seconds: 60 },
    })
    expect(await told('d')).toBe('Answer 3')
    expect((await own.admin.post(`${PATH}/${String(data['id'])}/test`, {})).data).toMatchObject({
      success: true,
      content: 'Answer 4',
      chunks: [],
    })
  })

  for (const [name, answer, more, error] of [
    ['answers 500', () => new Response('no', { status: 500 }), {}, 'answered 500'],
    ['is larger than 1 MiB', () => new Response('x'.repeat(1_100_000)), {}, 'exceeds the limit'],
    ['is not JSON', () => new Response('<html>'), { response_path: 'a' }, 'not JSON'],
    ['lacks the part', () => Response.json({ b: 1 }), { response_path: 'a.b' }, 'nothing at'],
    ['leads inside', () => Response.redirect('http://10.0.0.1/', 302), {}, 'not a public address'],
  ] as const)
    test(`that ${name} is left out, and its test says why`, async () => {
      await add({ content: 'Still known.' })
      reply = answer
      const { data } = await add(config({ cache_seconds: 0, ...more }))
      expect(await told('Hello')).toBe('Still known.')
      const tried = await own.admin.post(`${PATH}/${String(data['id'])}/test`, {
        question: 'Hello',
      })
      expect([tried.status, tried.data]).toMatchObject([
        200,
        { success: false, content: null, error: expect.stringContaining(error) },
      ])
    })
})
