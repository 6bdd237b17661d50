import { expect, test } from 'bun:test'

import { coded } from '../../src/http/content-coding'
import { Inbox } from '../support/inbox'

/** Most bytes that opening a conversation may take on the line, with headers. */
const MOST_BYTES = 8_000
const INCLUDE = 'messages,contact,notes,timeline'

const WORDS =
  'order cake tomorrow please could you deliver before noon thanks the address is street number garden birthday twenty people chocolate vanilla without nuts allergic price invoice company pick up later Saturday open closed phone call back message photo table window letters'.split(
    ' ',
  )

/** Different words for each message: repeated texts would be compressed away. */
function textOf(nth: number): string {
  const words = Array.from(
    { length: 4 + ((nth * 7) % 13) },
    (_, at) => WORDS[(nth * 31 + at * at * 17 + at * 5) % WORDS.length] ?? '',
  )
  return `${words.join(' ')} ${nth * 7}?`
}

/** WhatsApp's id of a message: base64 of a number and twenty random digits. */
function whatsAppId(): string {
  const digits = Buffer.from(crypto.getRandomValues(new Uint8Array(10))).toString('hex')
  return `wamid.${Buffer.from(`\x1c\x18\r4915550100001\x15\x02\0\x12\x18\x14${digits.toUpperCase()}\0`).toString('base64')}`
}

/** An answer with ids as a real server has them: those of tests count up, and weigh nothing. */
function withRealIds(text: string): string {
  const known = new Map<string, string>()
  return text
    .replaceAll(/[0-9a-f]{8}-0000-7000-8000-[0-9a-f]{12}/g, (id) => {
      const real = known.get(id) ?? Bun.randomUUIDv7()
      known.set(id, real)
      return real
    })
    .replaceAll(/wamid\.[\w+/=.-]+/g, whatsAppId)
    .replaceAll('"source":"agent"', () => `"source":"agent","ref":"${crypto.randomUUID()}"`)
}

test('an opened conversation of fifty messages takes less than 8 KB of the line', async () => {
  const inbox = await Inbox.create(1)
  await using world = inbox.world
  const conversation = await inbox.of(0)
  const path = `/api/conversations/${String(conversation['id'])}`
  for (let nth = 0; nth < 60; nth += 1) {
    if (nth % 2 === 0) await inbox.says(0, textOf(nth))
    else await inbox.manager.post(`${path}/messages`, { type: 'text', text: textOf(nth) })
    world.clock.advance({ seconds: 5 + ((nth * 13) % 9) })
    await world.settle()
  }
  const { id: contactId } = conversation['contact'] as { id: string }
  for (const content of [
    'Wants the large one. Call before noon.',
    'Paid 20 in advance, see order.',
  ])
    await inbox.manager.post(`/api/contacts/${contactId}/notes`, { content })
  for (const state of ['closed', 'open']) await inbox.manager.put(path, { state })
  const response = await fetch(`${world.url}${path}?include=${INCLUDE}`, {
    decompress: false,
    headers: { ...inbox.manager.headers, 'accept-encoding': 'gzip, deflate, br, zstd' },
  })
  expect(response.headers.get('content-encoding')).toBe('zstd')
  const text = new TextDecoder().decode(Bun.zstdDecompressSync(await response.arrayBuffer()))
  const { data } = JSON.parse(text) as {
    data: { messages: { items: unknown[] }; notes: { items: unknown[] } }
  }
  expect([data.messages.items.length, data.notes.items.length]).toEqual([50, 2])
  const bytes = new TextEncoder().encode(withRealIds(text))
  const head = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  expect((await coded(bytes, 'zstd')).length + head.length).toBeLessThan(MOST_BYTES)
  // for Safari, without its headers
  expect((await coded(bytes, 'gzip')).length).toBeLessThan(MOST_BYTES)
}, 30_000)
