import { describe, expect, test } from 'bun:test'
import { send } from './fixtures'
import { startPair } from './pair'
import type { Pair } from './pair'

const hi = JSON.stringify(send('text', { body: 'hi' }))

async function call(
  pair: Pair,
  path: string,
  options: { method?: string; token?: string | null; body?: string | FormData } = {},
) {
  const token = options.token === undefined ? pair.simulator.phone.token : options.token
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  if (typeof options.body === 'string') headers['content-type'] = 'application/json'
  const method = options.method ?? (options.body === undefined ? 'GET' : 'POST')
  const response = await fetch(pair.simulator.url + path, {
    method,
    headers,
    ...(options.body === undefined ? {} : { body: options.body }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('the Graph API', () => {
  test('requires the token of the number', async () => {
    await using pair = await startPair()
    const other = pair.simulator.addPhone({ token: 'other' })
    for (const token of [null, 'wrong', other.token]) {
      const answer = await call(pair, `/v25.0/${pair.simulator.phone.id}/messages`, {
        token,
        body: hi,
      })
      expect(answer).toMatchObject({
        status: 401,
        body: { error: { code: 190, type: 'OAuthException' } },
      })
    }
    pair.simulator.addPhone({ id: other.id, token: 'renewed' })
    expect(
      (await call(pair, `/v25.0/${other.id}/messages`, { token: 'renewed', body: hi })).status,
    ).toBe(200)
  })

  test('rejects unknown numbers', async () => {
    await using pair = await startPair()
    for (const path of ['/v25.0/999/messages', '/v25.0/999']) {
      const answer = await call(pair, path, path.endsWith('messages') ? { body: hi } : {})
      expect(answer).toMatchObject({
        status: 400,
        body: { error: { code: 100, error_subcode: 33, type: 'GraphMethodException' } },
      })
    }
  })

  test('records calls to unsupported paths', async () => {
    await using pair = await startPair()
    const { id } = pair.simulator.phone
    for (const path of [
      `/${id}/calls`,
      `/v25/${id}/messages`,
      `/latest/${id}/messages`,
      '/',
      `/v25.0/${id}/calls`,
    ]) {
      const answer = await call(pair, path, { body: hi })
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 2500 } } })
    }
    expect(await call(pair, `/v25.0/${id}`, { method: 'DELETE' })).toMatchObject({
      status: 400,
      body: { error: { code: 100 } },
    })
    expect(pair.simulator.unexpected).toHaveLength(6)
  })

  test('returns the requested facts of a number only', async () => {
    await using pair = await startPair({
      phones: [{ qualityRating: 'YELLOW', messagingLimit: 'TIER_10K' }],
    })
    const { id } = pair.simulator.phone
    const fields =
      'id,quality_rating,throughput,whatsapp_business_manager_messaging_limit,health_status{can_send_message}'
    const answer = await call(pair, `/v25.0/${id}?fields=${fields}`)
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body)).toEqual([
      'id',
      'quality_rating',
      'throughput',
      'whatsapp_business_manager_messaging_limit',
      'health_status',
    ])
    expect(answer.body).toMatchObject({
      quality_rating: 'YELLOW',
      throughput: { level: 'STANDARD' },
    })
    expect((await call(pair, `/v25.0/${id}`)).body).toMatchObject({
      id,
      verified_name: 'Acme',
      display_phone_number: '+1 555-010-0001',
    })
    expect((await call(pair, `/v25.0/${id}?fields=colour`)).body).toMatchObject({
      error: { code: 100 },
    })
    expect((await call(pair, `/v25.0/${id}`, { token: 'wrong' })).status).toBe(401)
  })

  test('reports every fact that public client libraries ask for, alone and in a list', async () => {
    await using pair = await startPair({ phones: [{ qualityRating: 'RED' }] })
    const { id, wabaId } = pair.simulator.phone
    const fields =
      'id,quality_rating,quality_score,conversational_automation,is_preverified_number,' +
      'search_visibility,eligibility_for_api_business_global_search,new_certificate,country_code'
    const facts = (await call(pair, `/v25.0/${id}?fields=${fields}`)).body
    expect(Object.keys(facts)).toEqual(fields.split(','))
    expect(facts).toMatchObject({
      quality_rating: 'RED',
      quality_score: { score: 'RED' },
      conversational_automation: { id },
      is_preverified_number: false,
      country_code: 'US',
    })
    const listed = await call(pair, `/v25.0/${wabaId}/phone_numbers?fields=${fields}`)
    expect(listed.body['data']).toEqual([facts])
  })

  test('lists the numbers of an account in pages', async () => {
    await using pair = await startPair({ phones: [{}, {}, { wabaId: '202' }, {}] })
    const { wabaId } = pair.simulator.phone
    const first = await call(pair, `/v25.0/${wabaId}/phone_numbers?limit=2&fields=id`)
    expect(first.body['data']).toEqual([{ id: '301000000000001' }, { id: '301000000000002' }])
    const { next } = first.body['paging'] as { next: string }
    const second = await call(pair, next.slice(pair.simulator.url.length))
    expect(second.body['data']).toHaveLength(1)
    expect(second.body['paging']).not.toHaveProperty('next')
    expect((await call(pair, '/v25.0/999/phone_numbers')).body).toMatchObject({
      error: { error_subcode: 33 },
    })
  })

  test('subscribes, lists and unsubscribes an app', async () => {
    await using pair = await startPair()
    const path = `/v25.0/${pair.simulator.phone.wabaId}/subscribed_apps`
    expect((await call(pair, path)).body).toEqual({ data: [] })
    expect((await call(pair, path, { method: 'POST' })).body).toEqual({ success: true })
    expect((await call(pair, path)).body['data']).toHaveLength(1)
    expect((await call(pair, path, { method: 'DELETE' })).body).toEqual({ success: true })
    expect((await call(pair, path)).body).toEqual({ data: [] })
    expect((await call(pair, path, { token: 'wrong' })).status).toBe(401)
  })

  test('stores an uploaded file', async () => {
    await using pair = await startPair()
    const form = new FormData()
    form.set('messaging_product', 'whatsapp')
    form.set('type', 'text/plain')
    form.set('file', new File(['hello'], 'a.txt', { type: 'text/plain' }))
    const { body } = await call(pair, `/v25.0/${pair.simulator.phone.id}/media`, { body: form })
    const facts = await call(pair, `/v25.0/${String(body['id'])}`)
    expect(facts.body).toMatchObject({ file_size: 5, id: body['id'] })
    expect((await call(pair, `/v25.0/${String(body['id'])}`, { method: 'DELETE' })).body).toEqual({
      success: true,
    })
    expect((await call(pair, `/v25.0/${String(body['id'])}`)).status).toBe(400)
  })
})

test('every call is recorded and listed at /_simulator/calls', async () => {
  await using pair = await startPair({ statuses: [] })
  await pair.send(JSON.parse(hi))
  const calls = (await (await fetch(`${pair.simulator.url}/_simulator/calls`)).json()) as unknown[]
  expect(calls).toHaveLength(1)
  expect(pair.simulator.calls[0]).toMatchObject({
    index: 0,
    at: 1_790_000_000_000,
    route: 'messages',
    method: 'POST',
    version: 'v25.0',
    object: pair.simulator.phone.id,
    token: pair.simulator.phone.token,
    body: { text: { body: 'hi' } },
    recipient: '15550109999',
    wamid: expect.stringMatching(/^wamid\./),
    answer: { status: 200, lost: false },
  })
})

test.each<[string, string[], number]>([
  ['as strictly as it is', [], 131_047],
  ['leniently when asked to', ['--lenient'], 0],
])('the command runs the platform %s until it is stopped', async (_, more, code) => {
  const command = Bun.spawn(
    ['bun', `${import.meta.dir}/main.ts`, '--token', 'secret-token', '--seed', '4', ...more],
    {
      stdout: 'pipe',
      stderr: 'inherit',
    },
  )
  const reader = command.stdout.getReader()
  let printed = ''
  while (!printed.includes('/messages'))
    printed += new TextDecoder().decode((await reader.read()).value)
  const url = /http:\/\/[\d.]+:\d+\/v25\.0\/\d+/.exec(printed)?.[0] ?? ''
  const headers = { authorization: 'Bearer secret-token', 'content-type': 'application/json' }
  expect((await fetch(url, { headers })).status).toBe(200)
  const sent = (await (
    await fetch(`${url}/messages`, { method: 'POST', headers, body: hi })
  ).json()) as { error?: { code: number } }
  expect(sent.error?.code ?? 0).toBe(code)
  command.kill('SIGTERM')
  expect(await command.exited).toBe(0)
})
