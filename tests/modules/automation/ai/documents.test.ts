import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { systemCtx } from '../../../../src/infra/ctx'
import { transact } from '../../../../src/infra/db/transact'
import { addChunksIn } from '../../../../src/modules/automation/ai/chunks/store'
import { AiWorld } from '../../../support/ai'
import type { Answer, Loose } from '../../../support/client'
import { docxOf, pdfOf } from '../../../support/documents'
import { upload } from '../../../support/files'

let own: AiWorld
let id: string
let made = 0
beforeAll(async () => {
  own = await AiWorld.create()
})
afterAll(() => own.stop())
beforeEach(async () => {
  id = await context()
})

async function context(): Promise<string> {
  const { data } = await own.admin.post('/api/chatbot/ai-contexts', { name: `Book ${(made += 1)}` })
  return String(data['id'])
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const hand = (name: string, bytes: Uint8Array, of = id): Promise<Answer<Loose>> =>
  upload(own.admin, { path: `/api/chatbot/ai-contexts/${of}/document`, name, bytes })
const read = async (of = id): Promise<Loose> =>
  (await own.admin.get(`/api/chatbot/ai-contexts/${of}`)).data
async function documentOf(name: string, bytes: Uint8Array): Promise<Loose> {
  expect((await hand(name, bytes)).status).toBe(202)
  await own.world.settle()
  return (await read())['document'] as Loose
}
const find = async (question: string, of = id): Promise<Loose> =>
  (await own.admin.post(`/api/chatbot/ai-contexts/${of}/test`, { question })).data
const files = async (): Promise<string[]> =>
  (await Array.fromAsync(own.world.program.http.files.list())).map(({ name }) => name)

const SECOND_WORDS = 'Gift wrapping costs two dollars.'

describe('a document', () => {
  for (const [name, bytes, pages] of [
    ['shop.pdf', () => pdfOf(['We open at nine.', SECOND_WORDS]), 2],
    ['shop.docx', () => docxOf(['We open at nine.', SECOND_WORDS]), null],
    ['shop.txt', () => bytesOf(`We open at nine.\n\n${SECOND_WORDS}`), null],
    ['shop.md', () => bytesOf(`# Shop\n\nWe open at nine.\n\n- ${SECOND_WORDS}`), null],
    [
      'shop.html',
      () =>
        bytesOf(
          `<html><script>ignore()</script><h1>Shop</h1><p>We open at nine.<p>${SECOND_WORDS}</html>`,
        ),
      null,
    ],
  ] as const)
    test(`${name} is read, found by its words, and not kept as a file`, async () => {
      const before = await files()
      const answer = await hand(name, await bytes())
      expect([answer.status, answer.data['document'], answer.data['content']]).toMatchObject([
        202,
        { filename: name, state: 'reading', pages: null, chunks: 0, error: null },
        null,
      ])
      expect(await find('gift')).toMatchObject({ success: false })
      await own.world.settle()
      expect(await read()).toMatchObject({ document: { state: 'ready', pages, chunks: 1 } })
      const { content } = await find('How much is gift wrapping?')
      expect(content).toContain(SECOND_WORDS)
      expect(content).not.toContain('ignore()')
      expect(await files()).toEqual(before)
    })

  test('says at once when it was read, to whoever may see the knowledge', async () => {
    const socket = await own.world.socket('admin')
    const agent = await own.world.socket('agent')
    await hand('shop.txt', bytesOf('We open at nine.'))
    await own.world.settle()
    await own.admin.delete(`/api/chatbot/ai-contexts/${id}`)
    await own.world.settle()
    const ofContext = (frames: { type: string; payload: unknown }[]) =>
      frames.flatMap(({ type, payload }) => (type === 'ai_context:updated' ? [payload] : []))
    const [reading, ready, gone, ...more] = ofContext(await socket.caughtUp())
    expect(reading).toMatchObject({ id, document: { state: 'reading' }, is_deleted: false })
    expect(ready).toMatchObject({ id, document: { state: 'ready', chunks: 1 } })
    expect(gone).toEqual({ id, name: null, document: null, is_deleted: true })
    expect(more).toEqual([])
    expect(ofContext(await agent.caughtUp())).toEqual([])
  })

  test('is part of the answers of the AI, and of nothing after it was replaced or deleted', async () => {
    const words = 'Ribbons are made of silk.'
    await documentOf('shop.pdf', pdfOf([words]))
    await own.ask('What are ribbons made of?')
    expect(own.ai.requests.at(-1)?.system).toContain(words)
    await own.admin.put(`/api/chatbot/ai-contexts/${id}`, { content: 'No ribbons any more.' })
    expect(await read()).toMatchObject({ document: null, content: 'No ribbons any more.' })
    await own.ask('What are ribbons made of?')
    expect(own.ai.requests.at(-1)?.system).not.toContain(words)
    expect(own.ai.requests.at(-1)?.system).toContain('No ribbons any more.')
    await own.admin.delete(`/api/chatbot/ai-contexts/${id}`)
    await own.ask('What are ribbons made of?')
    expect(own.ai.requests.at(-1)?.system).not.toContain('No ribbons any more.')
    expect(
      own.world.rows('select count(*) as n from ai_chunks where text like ?', '%ribbon%'),
    ).toEqual([{ n: 0 }])
  })

  test('keeps tables, umlauts and other encodings', async () => {
    await documentOf(
      'prices.html',
      bytesOf(
        '<table><tr><th>Size</th><th>Price</th></tr><tr><td>Large</td><td>12</td></tr></table>',
      ),
    )
    expect(String((await find('large'))['content'])).toMatch(/Large\s+12/)
    await documentOf('old.txt', new Uint8Array([...bytesOf('Caf'), 0xe9, ...bytesOf(' ole')]))
    expect((await find('cafe'))['content']).toBe('Café ole')
    const utf16 = new Uint8Array([0xff, 0xfe, ...Buffer.from('Grüße', 'utf16le')])
    await documentOf('wide.txt', utf16)
    expect((await find('grusse'))['content']).toBe('Grüße')
  })

  test('is found in a language without spaces', async () => {
    await documentOf(
      'shop.txt',
      bytesOf('当店は毎日朝九時に開店します。\n\nギフト包装は二百円です。'),
    )
    expect((await find('包装の料金は？'))['chunks']).toHaveLength(1)
    expect((await find('駐車場'))['chunks']).toEqual([])
  })
})

describe('a document that cannot be read fails with the reason', () => {
  for (const [name, filename, bytes, reason] of [
    ['a scan', 'scan.pdf', () => pdfOf(['', '']), 'has no text. If it is a scan'],
    ['a broken PDF', 'broken.pdf', () => bytesOf('%PDF-1.4 nothing'), 'is not a readable PDF'],
    [
      'a broken Word document',
      'broken.docx',
      () => bytesOf('PK\u0003\u0004 nothing'),
      'is not a readable Word document',
    ],
    ['too many pages', 'long.pdf', () => pdfOf(Array(1_001).fill('x')), 'more than 1,000 pages'],
    [
      'too many characters',
      'long.txt',
      () => bytesOf('word '.repeat(400_001)),
      'more than 2,000,000 characters',
    ],
    ['an empty file', 'empty.txt', () => bytesOf(' \n'), 'has no text'],
  ] as const)
    test(name, async () => {
      expect(await documentOf(filename, bytes())).toMatchObject({
        state: 'failed',
        error: expect.stringContaining(reason),
        chunks: 0,
      })
      expect(await find('anything')).toMatchObject({ success: false })
      expect(await files()).toEqual([])
    })
})

describe('the upload', () => {
  for (const [name, bytes] of [
    ['picture.png', bytesOf('\u0089PNG')],
    ['program.exe', bytesOf('MZ')],
    ['liar.pdf', bytesOf('hello')],
    ['liar.txt', pdfOf(['hello'])],
    ['binary.txt', new Uint8Array([65, 0, 66])],
    ['archive.zip', bytesOf('PK\u0003\u0004')],
    ['noname', bytesOf('hello')],
  ] as const)
    test(`refuses ${name} with 415`, async () => {
      const { status, body } = await hand(name, bytes)
      expect([status, body.code]).toEqual([415, 'unsupported_media_type'])
      expect(await files()).toEqual([])
    })

  test('refuses files over 20 MB, contexts of APIs, and unknown contexts', async () => {
    expect((await hand('big.txt', new Uint8Array(20 * 1_024 * 1_024 + 1).fill(65))).status).toBe(
      413,
    )
    const { data } = await own.admin.post('/api/chatbot/ai-contexts', {
      name: 'API',
      context_type: 'api',
      api_config: { url: 'https://api.example.com/' },
    })
    expect((await hand('a.txt', bytesOf('hello'), String(data['id']))).status).toBe(400)
    expect((await hand('a.txt', bytesOf('hello'), own.world.tenant.id)).status).toBe(404)
    expect(await files()).toEqual([])
  })
})

test('documents are read one after the other, also after the process was killed in the middle', async () => {
  const second = await context()
  await hand('one.txt', bytesOf('The first book.'))
  await hand('two.txt', bytesOf('The second book.'), second)
  // A killed process leaves its job executing and some of the parts behind.
  own.world.rows(
    `update jobs set state = 'executing', attempt = 1, first_attempted_at_ms = 1, attempted_at_ms = 1, lease_until_ms = 1
     where id = (select min(id) from jobs where kind = 'ai.read-document' and state = 'available')`,
  )
  const { db } = own.world.program.http
  const ctx = systemCtx(own.world.program.http, own.world.tenant.id)
  transact(db, (tx) =>
    addChunksIn(tx, ctx, { contextId: id, position: 0, texts: ['Half of the first book'] }),
  )
  own.world.clock.advance({ minutes: 5 })
  await own.world.settle()
  for (const [one, words] of [
    [id, 'The first book.'],
    [second, 'The second book.'],
  ] as const) {
    expect(await read(one)).toMatchObject({ document: { state: 'ready', chunks: 1 } })
    expect((await find('book', one))['chunks']).toEqual([words])
  }
})

test('a document that is replaced while it waits is not read', async () => {
  await hand('one.txt', bytesOf('The first book.'))
  await hand('two.txt', bytesOf('The second book.'))
  await own.world.settle()
  expect((await find('book'))['chunks']).toEqual(['The second book.'])
  expect(await files()).toEqual([])
})
