import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { REFUSED, send, sendTemplate, TAKEN } from './fixtures'
import { startPair } from './pair'
import type { Pair } from './pair'

type ErrorBody = {
  error: {
    message: string
    type: string
    code: number
    error_data?: { details: string }
    fbtrace_id: string
  }
}

let pair: Pair
beforeAll(async () => {
  pair = await startPair({ statuses: [] })
})
afterAll(async () => {
  await pair[Symbol.asyncDispose]()
})

describe('the platform accepts', () => {
  test.each(TAKEN.map(([name, body]) => ({ name, body })))('$name', async ({ body }) => {
    const response = await pair.send(body)
    const answer = await response.text()
    expect({ status: response.status, answer }).toEqual({
      status: 200,
      answer: expect.stringContaining('"messages":[{"id":"wamid.'),
    })
  })

  test('a read receipt, by POST and by PUT, with and without typing indicator', async () => {
    const read = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.QQ==' }
    for (const method of ['POST', 'PUT']) {
      for (const body of [read, { ...read, typing_indicator: { type: 'text' } }]) {
        const response = await pair.send(body, { method })
        expect([response.status, await response.json()]).toEqual([200, { success: true }])
      }
    }
  })
})

describe('the platform rejects', () => {
  test.each(REFUSED.map(([name, code, body]) => ({ name, code, body })))(
    '$name with $code',
    async ({ code, body }) => {
      const response = await pair.send(body)
      const { error } = (await response.json()) as ErrorBody
      expect(response.status).toBe(400)
      expect(error.code).toBe(code)
      expect(error.message).toStartWith(`(#${code}) `)
      expect(error.type).toBe('OAuthException')
      expect(error.fbtrace_id).toStartWith('A')
    },
  )

  test('a body that is not JSON, and another content type', async () => {
    expect(((await (await pair.send('{')).json()) as ErrorBody).error.code).toBe(100)
    const url = `${pair.simulator.url}/v25.0/${pair.simulator.phone.id}/messages`
    const headers = {
      authorization: `Bearer ${pair.simulator.phone.token}`,
      'content-type': 'text/plain',
    }
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(send('text', { body: 'hi' })),
    })
    expect(((await response.json()) as ErrorBody).error.code).toBe(100)
  })

  test('a message by PUT', async () => {
    const response = await pair.send(send('text', { body: 'hi' }), { method: 'PUT' })
    expect(((await response.json()) as ErrorBody).error.code).toBe(131055)
  })
})

describe('the response to a message', () => {
  test('contains the canonical ID, or the user ID for a user', async () => {
    await using own = await startPair({
      statuses: [],
      waIdFor: (number) => (number === '5511987654321' ? '551187654321' : number),
    })
    const dialled = await own.send(send('text', { body: 'hi' }, { to: '+55 11 98765-4321' }))
    expect(await dialled.json()).toMatchObject({
      messaging_product: 'whatsapp',
      contacts: [{ input: '+55 11 98765-4321', wa_id: '551187654321' }],
    })
    const { to: _, ...toUser } = send('text', { body: 'hi' }, { recipient: 'US.9000001' })
    const user = (await (await own.send(toUser)).json()) as { contacts: unknown[] }
    expect(user.contacts).toEqual([{ input: 'US.9000001', user_id: 'US.9000001' }])
  })

  test('is for somebody else without a plus, if the platform puts the country code in front', async () => {
    await using own = await startPair({ statuses: [], prependsCountryCode: true })
    const waIdOf = async (to: string): Promise<unknown> => {
      const answer = await own.send(send('text', { body: 'hi' }, { to }))
      return ((await answer.json()) as { contacts: unknown[] }).contacts
    }
    expect(await waIdOf('+44 7700 900123')).toEqual([
      { input: '+44 7700 900123', wa_id: '447700900123' },
    ])
    expect(await waIdOf('447700900123')).toEqual([
      { input: '447700900123', wa_id: '1447700900123' },
    ])
  })

  test('has a message status for templates only', async () => {
    const template = await (await pair.send(sendTemplate('hello_world'))).json()
    expect(template).toMatchObject({ messages: [{ message_status: 'accepted' }] })
    expect(
      JSON.stringify(await (await pair.send(send('text', { body: 'hi' }))).json()),
    ).not.toContain('message_status')
  })
})

describe('a template registry', () => {
  const parameters = (...texts: string[]): unknown[] => [
    { type: 'body', parameters: texts.map((text) => ({ type: 'text', text })) },
  ]
  const named = [
    { type: 'body', parameters: [{ type: 'text', parameter_name: 'other', text: 'x' }] },
  ]
  const cases: [string, number | null, Record<string, unknown>][] = [
    ['a template that fits', null, sendTemplate('order', parameters('Ana', '7'))],
    ['an unknown name', 132001, sendTemplate('nothing')],
    ['a template in review', 132001, sendTemplate('new')],
    ['a paused template', 132015, sendTemplate('tired')],
    ['a disabled template', 132016, sendTemplate('banned')],
    ['too few values', 132000, sendTemplate('order', parameters('Ana'))],
    ['a value of another name', 132012, sendTemplate('named', named)],
    ['a value with a newline', 132018, sendTemplate('order', parameters('Ana', 'a\nb'))],
    ['a missing header', 132012, sendTemplate('picture')],
    [
      'a code to a user id',
      131062,
      { ...sendTemplate('code', parameters('1')), to: undefined, recipient: 'US.9000001' },
    ],
  ]
  test.each(cases.map(([name, code, body]) => ({ name, code, body })))(
    '$name: $code',
    async ({ code, body }) => {
      const language = 'en_US'
      await using own = await startPair({
        statuses: [],
        templates: [
          { name: 'order', language: 'en-US', body: 2 },
          { name: 'new', language, status: 'PENDING' },
          { name: 'tired', language, status: 'PAUSED' },
          { name: 'banned', language, status: 'DISABLED' },
          { name: 'named', language, body: ['first_name'] },
          { name: 'picture', language, header: 'image' },
          { name: 'code', language, body: 1, category: 'AUTHENTICATION' },
        ],
      })
      const answer = (await (await own.send(body)).json()) as Partial<ErrorBody>
      expect(answer.error?.code ?? null).toBe(code)
    },
  )
})

describe('a platform that only sends uploaded files', () => {
  const ENDINGS: Record<string, string> = {
    'image/png': 'png',
    'image/jpeg': 'jpg',
    'video/mp4': 'mp4',
    'audio/mpeg': 'mp3',
    'audio/ogg; codecs=opus': 'ogg',
    'application/pdf': 'pdf',
    'text/plain': 'txt',
  }
  const header = (kind: string, id: string): Record<string, unknown> =>
    send('interactive', {
      type: 'cta_url',
      header: { type: kind, [kind]: { id } },
      body: { text: 'hi' },
      action: { name: 'cta_url', parameters: { display_text: 'See', url: 'https://example.com' } },
    })
  const cases: [string, number | null, (id: string) => Record<string, unknown>, string][] = [
    ['takes a picture', null, (id) => send('image', { id }), 'image/png'],
    ['takes any file as a document', null, (id) => send('document', { id }), 'text/plain'],
    [
      'takes ogg as a voice message',
      null,
      (id) => send('audio', { id, voice: true }),
      'audio/ogg; codecs=opus',
    ],
    ['takes a picture above a button', null, (id) => header('image', id), 'image/jpeg'],
    [
      'refuses a picture nobody uploaded',
      131053,
      () => send('image', { id: '1037543291543636' }),
      'image/png',
    ],
    ['refuses one above a button', 131053, () => header('image', '1037543291543636'), 'image/png'],
    ['refuses a video as a picture', 131053, (id) => send('image', { id }), 'video/mp4'],
    ['refuses a picture as a sticker', 131053, (id) => send('sticker', { id }), 'image/png'],
    [
      'refuses mp3 as a voice message',
      131053,
      (id) => send('audio', { id, voice: true }),
      'audio/mpeg',
    ],
    [
      'refuses a document above a button as a picture',
      131053,
      (id) => header('image', id),
      'application/pdf',
    ],
  ]
  test.each(cases.map(([name, code, body, type]) => ({ name, code, body, type })))(
    '$name',
    async ({ code, body, type }) => {
      await using own = await startPair({ statuses: [], onlyUploads: true })
      const form = new FormData()
      form.set('messaging_product', 'whatsapp')
      form.set('type', type)
      // Bun infers the type of a part from its file name.
      form.set('file', new Blob(['bytes'], { type }), `file.${ENDINGS[type]}`)
      const url = `${own.simulator.url}/v25.0/${own.simulator.phone.id}/media`
      const uploaded = await fetch(url, {
        method: 'POST',
        body: form,
        headers: { authorization: `Bearer ${own.simulator.phone.token}` },
      })
      const { id } = (await uploaded.json()) as { id: string }
      const answer = (await (await own.send(body(id))).json()) as Partial<ErrorBody>
      expect(answer.error?.code ?? null).toBe(code)
    },
  )
})

const samples = path.resolve(import.meta.dir, '../../../shared/samples')

test.skipIf(!existsSync(samples))('accepts every published send example', async () => {
  const folders: [string, RegExp][] = [
    ['openapi', /send-req/],
    ['postman', /^\d+-send-/],
    ['postman-repaired', /^\d+-send-/],
  ]
  await using marketing = await startPair({
    statuses: [],
    phones: [{ marketingStatus: 'ONBOARDED' }],
    templates: [
      { name: 'hello_world', language: 'en', category: 'MARKETING' },
      { name: 'welcome_offer', language: 'en_US', category: 'MARKETING' },
      { name: 'promotional_offer', language: 'en', body: 2, category: 'MARKETING' },
    ],
  })
  const refused: string[] = []
  let count = 0
  for (const [folder, wanted] of folders) {
    for (const name of readdirSync(path.join(samples, folder)).filter((file) =>
      wanted.test(file),
    )) {
      const body = await Bun.file(path.join(samples, folder, name)).text()
      const methods =
        body.includes('"status"') && body.includes('"message_id"') ? ['POST', 'PUT'] : ['POST']
      for (const method of methods) {
        const response = name.includes('-mm-send-')
          ? await marketing.send(body, { edge: 'marketing_messages' })
          : await pair.send(body, { method })
        if (response.status !== 200) refused.push(`${name}: ${await response.text()}`)
      }
      count += 1
    }
  }
  expect(refused).toEqual([])
  expect(count).toBeGreaterThan(100)
})
