import { afterAll, describe, expect, test } from 'bun:test'

import { AiSimulator } from './server'

const ai = new AiSimulator()
afterAll(() => ai.stop())

type Json = Record<string, unknown>

/** Requests as the providers document them. */
const GOOD: Record<string, { path: string; headers: Record<string, string>; body: Json }> = {
  openai: {
    path: '/openai/v1/chat/completions',
    headers: { authorization: `Bearer ${ai.key}` },
    body: {
      model: 'gpt-4o-mini',
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hello' },
      ],
      max_tokens: 100,
      temperature: 0.5,
      store: false,
    },
  },
  anthropic: {
    path: '/anthropic/v1/messages',
    headers: { 'x-api-key': ai.key, 'anthropic-version': '2023-06-01' },
    body: {
      model: 'claude-haiku-4-5',
      system: 'Be kind.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      max_tokens: 100,
    },
  },
  google: {
    path: '/google/v1beta/models/gemini-2.5-flash:generateContent',
    headers: { 'x-goog-api-key': ai.key },
    body: {
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      generationConfig: { maxOutputTokens: 100 },
    },
  },
}

const NAMES = Object.keys(GOOD)

/** Sends the documented request of a provider with changes; answers status and body. */
async function send(
  name: string,
  change: { path?: string; headers?: Record<string, string | null>; body?: Json } = {},
): Promise<{ status: number; body: Json }> {
  const { path, headers, body } = GOOD[name] ?? { path: '', headers: {}, body: {} }
  const sent = { 'content-type': 'application/json', ...headers, ...change.headers }
  const response = await fetch(`http://127.0.0.1:${ai.port}${change.path ?? path}`, {
    method: 'POST',
    headers: Object.fromEntries(
      Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== null),
    ),
    body: JSON.stringify({ ...body, ...change.body }),
  })
  return { status: response.status, body: (await response.json()) as Json }
}

describe.each(NAMES)('the simulated %s', (name) => {
  const { path, headers } = GOOD[name] ?? { path: '', headers: {} }
  const [credential = ''] = Object.keys(headers)

  test('answers the documented request with its token counts', async () => {
    const { status, body } = await send(name)
    expect(status).toBe(200)
    expect(body['usage'] ?? body['usageMetadata']).toBeObject()
    expect(ai.requests.at(-1)).toMatchObject({ system: 'Be kind.', user: 'Hello', maxTokens: 100 })
  })

  test('refuses a key that is missing, wrong, or in the address', async () => {
    expect((await send(name, { headers: { [credential]: null } })).status).toBe(401)
    expect((await send(name, { headers: { [credential]: 'Bearer wrong' } })).status).toBe(401)
    const inAddress = { path: `${path}?key=${ai.key}`, headers: { [credential]: null } }
    expect((await send(name, inAddress)).status).toBe(400)
  })

  test('refuses unknown fields, other paths and other content types with its own error', async () => {
    const { status, body } = await send(name, { body: { stream_everything: true } })
    expect([status, typeof body['error']]).toEqual([400, 'object'])
    expect((await send(name, { path: `${path}/more` })).status).toBe(404)
    expect((await send(name, { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
  })
})

test.each([
  ['anthropic', { headers: { 'anthropic-version': null } }, 401],
  ['anthropic', { body: { max_tokens: undefined } }, 400],
  ['anthropic', { body: { temperature: 1.5 } }, 400],
  ['anthropic', { body: { messages: [{ role: 'assistant', content: 'Hi' }] } }, 400],
  ['openai', { body: { messages: [{ role: 'robot', content: 'Hi' }] } }, 400],
  ['openai', { body: { model: 'gpt-5-mini' } }, 400],
  ['openai', { body: { messages: [] } }, 400],
  ['google', { body: { generationConfig: { maxOutputTokens: 0 } } }, 400],
  ['google', { body: { contents: [{ role: 'user', parts: [] }] } }, 400],
] as const)('%s refuses %j with %i', async (name, change, status) => {
  expect((await send(name, change as never)).status).toBe(status)
})

test('a server that is only compatible refuses what it does not know of OpenAI', async () => {
  const path = '/compatible/v1/chat/completions'
  expect((await send('openai', { path })).status).toBe(400)
  expect((await send('openai', { path, body: { store: undefined } })).status).toBe(200)
})
