/** The TypeScript client through the front door: from its source, on a line that breaks. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { Webhook } from 'standardwebhooks'

import {
  Switchboard,
  SwitchboardError,
  verifyWebhook,
  type Cursor,
  type CursorStore,
  type ListenOptions,
  type SwitchboardEvent,
} from '../../src/clients/typescript'
import { operationNamesOf, type ApiDocument } from '../../src/console/api/generate'
import { Inbox } from '../support/inbox'
import { keyOf } from '../support/keys'
import { deliver, personOf, takenBodies, textTo } from '../support/lines'
import { Line } from '../support/tcp-line'

const ROOT = join(import.meta.dir, '../..')
const TOO_MANY = 'HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n'
const UNAVAILABLE = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n'

let inbox: Inbox
let line: Line
let url = ''
let key = ''
let keyId = ''
let client: Switchboard

beforeAll(async () => {
  inbox = await Inbox.create(3)
  const holder = await keyOf(inbox.world)
  ;({ key, id: keyId } = holder)
  line = new Line(inbox.world.url)
  url = await line.open()
  client = new Switchboard({ url, key })
})

afterAll(async () => {
  line.close()
  await inbox.world.stop()
})

/** Returns what a promise is rejected with. */
const errorOf = (promise: Promise<unknown>): Promise<SwitchboardError> =>
  promise.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: SwitchboardError) => error,
  )
const conversationOf = async (nth: number): Promise<string> => String((await inbox.of(nth))['id'])
const hears = (text: string): Promise<void> =>
  deliver(inbox.world, textTo(inbox.world, text, { person: personOf(1) }))

test('the operations of the client are generated from the present document', async () => {
  const document = (await Bun.file(join(ROOT, 'tests/contract/openapi.json')).json()) as ApiDocument
  const present = await Bun.file(join(ROOT, 'src/clients/typescript/operations.gen.ts')).text()
  const isFresh = operationNamesOf(document) === present
  expect(isFresh ? 'fresh' : 'run `bun run openapi`').toBe('fresh')
})

describe('a call', () => {
  test('fills in path, query and body, and returns the data', async () => {
    const id = await conversationOf(0)
    const sent = await client.api.sendConversationMessage({
      id,
      body: { type: 'text', text: 'Hi' },
    })
    expect(sent).toMatchObject({ conversation_id: id, status: 'pending', source: 'api' })
    const { items } = await client.api.listConversationMessages({ id, query: { limit: 1 } })
    expect(items).toHaveLength(1)
  })

  test('throws the code, the fields and the id of the request', async () => {
    const error = await errorOf(client.api.createTag({ body: { name: '' } }))
    expect(error).toBeInstanceOf(SwitchboardError)
    expect(error).toMatchObject({ status: 400, code: 'invalid_input', isTemporary: false })
    expect(error.fields).toEqual([{ path: 'body.name', message: expect.any(String) as string }])
    expect(error.requestId).toBeString()
    const stranger = new Switchboard({ url, key: 'none' })
    expect(await errorOf(stranger.api.getMe())).toMatchObject({ status: 401 })
    const nowhere = new Switchboard({ url: 'http://127.0.0.1:1', giveUpAfterMs: 0 })
    expect(await errorOf(nowhere.api.getMe())).toMatchObject({ status: 0, code: 'no_answer' })
    expect(() => client.api.getTag({ id: '' })).toThrow('needs id')
  })

  test('acts for a person with an access token, too', async () => {
    const { data } = await inbox.world.anyone.post('/api/auth/login', {
      email: inbox.world.emailOf('manager', inbox.world.tenant),
      password: (await import('../support/world')).PASSWORD,
    })
    const person = new Switchboard({ url, token: () => String(data['access_token']) })
    expect(await person.api.getMe()).toMatchObject({ id: (data['user'] as { id: string }).id })
  })

  test('creates once with one key when the answer is lost', async () => {
    line.heads.length = 0
    line.losesNext = /^POST \/api\/tags /
    const tag = await client.api.createTag({ body: { name: 'once' } })
    expect(tag).toMatchObject({ name: 'once' })
    const keys = line.heads.map((head) => /^idempotency-key: (.+)$/im.exec(head)?.[1])
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBe(keys[1] ?? '')
    await client.api.createTag({ body: { name: 'twice' }, idempotencyKey: 'mine' })
    expect(line.heads.at(-1)).toMatch(/^idempotency-key: mine$/im)
  })

  test('repeats what has no key only if the caller says that it does no harm', async () => {
    const id = await conversationOf(0)
    const wish = { id, body: {} }
    line.losesNext = /^POST \S+\/read /
    expect(await errorOf(client.api.markConversationRead(wish))).toMatchObject({
      code: 'no_answer',
      isTemporary: true,
    })
    line.losesNext = /^POST \S+\/read /
    await client.api.markConversationRead({ ...wish, repeat: true })
  })

  test('repeats after an error of the server what takes effect once', async () => {
    const tag = await client.api.createTag({ body: { name: 'shop' } })
    const change = { id: tag.id, body: { color: 'green' as const } }
    line.answersNext = UNAVAILABLE
    expect(await client.api.updateTag(change)).toMatchObject({ color: 'green' })
    const once = [
      client.api.updateTag.bind(null, { ...change, ifMatch: tag.updated_at }),
      client.api.deleteTag.bind(null, { id: tag.id }),
      client.api.searchContacts.bind(null, { body: {} }),
    ]
    for (const call of once) {
      line.answersNext = UNAVAILABLE
      expect(await errorOf(call())).toMatchObject({ status: 503, isTemporary: true })
    }
    expect(
      await errorOf(client.api.updateTag({ ...change, ifMatch: '2020-01-01T00:00:00.000Z' })),
    ).toMatchObject({
      status: 409,
      code: 'changed_meanwhile',
    })
  })

  test('waits as long as the server says, and no longer than the caller wants', async () => {
    const id = await conversationOf(0)
    line.answersNext = TOO_MANY
    const began = performance.now()
    await client.api.markConversationRead({ id, body: {} })
    expect(performance.now() - began).toBeGreaterThanOrEqual(990)
    line.answersNext = TOO_MANY
    const hasty = new Switchboard({ url, key, giveUpAfterMs: 500 })
    expect(await errorOf(hasty.api.getMe())).toMatchObject({ status: 429, retryAfterS: 1 })
  })

  test('has a time limit, and ends with the signal of the caller', async () => {
    line.answersNext = ''
    const hasty = new Switchboard({ url, key, giveUpAfterMs: 0, timeoutMs: 50 })
    expect(await errorOf(hasty.api.getMe())).toMatchObject({ code: 'timeout' })
    line.answersNext = ''
    const ending = new AbortController()
    const call = client.api.getMe({ signal: ending.signal })
    ending.abort(new Error('enough'))
    expect((await errorOf(call)).message).toBe('enough')
  })

  test('follows no redirect with its key', async () => {
    line.answersNext =
      'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n'
    expect(await errorOf(client.api.getMe())).toMatchObject({ status: 302, code: 'unknown' })
  })
})

test('lists are walked to their end, by cursor and by page', async () => {
  const names = async (list: AsyncIterable<{ id: string }>): Promise<string[]> => {
    const ids: string[] = []
    for await (const { id } of list) ids.push(id)
    return ids
  }
  const contacts = await names(client.each('listContacts', { query: { limit: 2 } }))
  expect(new Set(contacts).size).toBe(3)
  expect(contacts).toHaveLength(3)
  const { items } = await client.api.listTags()
  const tags = await names(client.each('listTags', { query: { limit: 1 } }))
  expect(tags.toSorted()).toEqual(items.map(({ id }) => id).toSorted())
  expect(tags.length).toBeGreaterThan(2)
  const members = await Array.fromAsync(client.each('listMembers', { query: { limit: 2 } }))
  expect(members.length).toBeGreaterThan(2)
})

test('files are sent and fetched as they are', async () => {
  const bytes = new TextEncoder().encode('Prices of today')
  const file = new File([bytes], 'prices.txt', { type: 'text/plain' })
  const { id, filename } = await client.api.uploadMedia({ form: { file, kind: 'document' } })
  expect(filename).toBe('prices.txt')
  const response = await client.download('downloadMedia', { id })
  expect(await response.text()).toBe('Prices of today')
  const report = await client.download('getMessageReport', { query: { format: 'csv' } })
  expect(report.headers.get('content-type')).toContain('text/csv')
})

describe('events', () => {
  /** A cursor that is kept in memory. */
  class Kept implements CursorStore {
    saved: Cursor | null = null
    load = (): Cursor | null => this.saved
    save = (cursor: Cursor): void => void (this.saved = cursor)
  }

  const listen = (options: ListenOptions) => client.events({ maxPauseMs: 20, ...options })
  /** Returns the next event of some types. */
  async function next(
    events: AsyncGenerator<SwitchboardEvent>,
    ...types: string[]
  ): Promise<SwitchboardEvent> {
    for (;;) {
      const { value, done } = await events.next()
      if (done === true) throw new Error('the events ended')
      if (types.includes((value as SwitchboardEvent).type)) return value as SwitchboardEvent
    }
  }
  const heard = async (events: AsyncGenerator<SwitchboardEvent>): Promise<unknown> => {
    const event = await next(events, 'message:new', 'resync')
    return event.type === 'message:new' ? event.payload.content['text'] : event
  }

  test('begin with what has to be loaded, and survive a cut line without loss or repeat', async () => {
    const cursor = new Kept()
    const events = listen({ cursor })
    const first = await heard(events)
    expect(first).toMatchObject({ type: 'resync', payload: { reason: 'first_start' } })
    await hears('one')
    expect(await heard(events)).toBe('one')
    line.isDown = true
    line.cut()
    await hears('two')
    await hears('three')
    line.isDown = false
    expect([await heard(events), await heard(events)]).toEqual(['two', 'three'])
    await hears('four')
    expect(await heard(events)).toBe('four')
    await events.return(undefined)

    // The loop was left while it handled "four", so that one comes again, and then what was missed.
    await hears('five')
    const again = listen({ cursor })
    expect([await heard(again), await heard(again)]).toEqual(['four', 'five'])
    await hears('six')
    expect(await heard(again)).toBe('six')
    await again.return(undefined)
  })

  test('say that something may be missing when the log is another one', async () => {
    const cursor = new Kept()
    cursor.saved = { log: crypto.randomUUID(), seq: 5 }
    const events = listen({ cursor })
    expect(await heard(events)).toMatchObject({
      type: 'resync',
      payload: { reason: 'log_changed', seq: expect.any(Number) as number },
    })
    await hears('seven')
    expect(await heard(events)).toBe('seven')
    expect(cursor.saved).toMatchObject({ log: expect.any(String) as string })
    expect(cursor.saved.seq).toBeGreaterThan(5)
    await events.return(undefined)
  })

  test('carry those of topics, and refuse a topic that is none of yours', async () => {
    const contact = `contact:${((await inbox.of(1))['contact'] as { id: string }).id}`
    const events = listen({ topics: [contact] })
    await heard(events)
    await events.return(undefined)
    const foreign = listen({ topics: [`contact:${crypto.randomUUID()}`] })
    const error = await errorOf(
      (async () => {
        for (;;) await next(foreign, 'message:new')
      })(),
    )
    expect(error).toMatchObject({ code: 'not_found' })
  })

  /** A socket that gets what a test has written down, and is closed then. */
  const scripted = (scripts: { frames: object[]; code?: number }[]) => {
    const opened: string[] = []
    const sent: string[] = []
    class Scripted extends EventTarget {
      constructor(url: string) {
        super()
        opened.push(url)
        const { frames = [], code = 1006 } = scripts.shift() ?? {}
        queueMicrotask(() => {
          this.dispatchEvent(new Event('open'))
          for (const frame of frames)
            this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }))
          this.dispatchEvent(new CloseEvent('close', { code }))
        })
      }
      send = (text: string): void => void sent.push(text)
      close = (): void => undefined
    }
    return {
      opened,
      sent,
      Scripted: Scripted as unknown as NonNullable<ListenOptions['webSocket']>,
    }
  }
  const event = (seq: number | null, type = 'tag:new') => ({ type, payload: {}, seq, at: '' })
  const resumed = { type: 'resumed', payload: { from: 0, to: 4, count: 0 }, seq: null, at: '' }

  test('come once and in order, also those of a later version, and move the cursor', async () => {
    const cursor = new Kept()
    cursor.saved = { log: 'l', seq: 3 }
    const ready = { type: 'ready', payload: { log: 'other', seq: 1 }, seq: null, at: '' }
    const pong = { type: 'pong', payload: { seq: 9 }, seq: null, at: '' }
    const { opened, sent, Scripted } = scripted([
      { frames: [ready, resumed, event(5), event(5), event(4), event(null), event(6), pong] },
      { frames: [], code: 4400 },
    ])
    const seen: (number | null)[] = []
    const run = async (): Promise<void> => {
      for await (const { seq } of listen({ cursor, webSocket: Scripted })) seen.push(seq)
    }
    expect(await errorOf(run())).toMatchObject({ code: 'protocol' })
    expect(seen).toEqual([5, null, 6])
    expect(cursor.saved).toEqual({ log: 'l', seq: 9 })
    expect(opened.map((one) => new URL(one).searchParams.get('since'))).toEqual(['3', '9'])
    expect(sent).toEqual([])
  })

  test('wait in a bounded number, and the rest is asked for again', async () => {
    const cursor = new Kept()
    cursor.saved = { log: 'l', seq: 0 }
    const frames = Array.from({ length: 1_500 }, (_, nth) => event(nth + 1))
    const { opened, Scripted } = scripted([{ frames }, { frames: [], code: 4403 }])
    let count = 0
    const run = async (): Promise<void> => {
      for await (const _ of listen({ cursor, webSocket: Scripted })) count += 1
    }
    expect(await errorOf(run())).toMatchObject({ code: 'access_ended' })
    expect(count).toBe(1_000)
    expect(new URL(opened[1] ?? '').searchParams.get('since')).toBe('1000')
  })

  test('end when the caller ends them, and when the key is gone', async () => {
    const ending = new AbortController()
    const events = listen({ signal: ending.signal })
    await heard(events)
    const waiting = errorOf(next(events, 'message:new'))
    ending.abort(new Error('enough'))
    expect((await waiting).message).toBe('enough')

    const others = listen({})
    await heard(others)
    const ended = errorOf(next(others, 'message:new'))
    const admin = await inbox.world.as('admin')
    await admin.delete(`/api/api-keys/${keyId}`)
    for (const _ of 'twice') inbox.world.program.realtime.sockets.sweep()
    expect(await ended).toMatchObject({ code: 'access_ended' })
    expect(await errorOf(listen({}).next())).toMatchObject({ status: 401 })
  })
})

describe('a webhook', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const other = `whsec_${Buffer.from('another secret of 24 byte').toString('base64')}`
  const body = JSON.stringify({ id: 'evt_1', type: 'message.received', data: { text: 'Grüße' } })
  const now = new Date('2026-11-21T09:30:00.000Z')
  const signed = (by: string[], at = now): Record<string, string> => ({
    'Webhook-Id': 'msg_1',
    'webhook-timestamp': String(at.getTime() / 1_000),
    'webhook-signature': by.map((one) => new Webhook(one).sign('msg_1', at, body)).join(' '),
  })
  const verify = (more: object) =>
    verifyWebhook({ body, secret, headers: signed([secret]), nowMs: now.getTime(), ...more })

  test('is accepted with one right signature, as text and as bytes', async () => {
    const event: unknown = JSON.parse(body)
    expect<unknown>(await verify({})).toEqual(event)
    const bytes = new TextEncoder().encode(body)
    expect<unknown>(await verify({ body: bytes, headers: new Headers(signed([secret])) })).toEqual(
      event,
    )
    expect<unknown>(await verify({ headers: signed([other, secret]) })).toEqual(event)
    expect<unknown>(await verify({ secret: [other, secret] })).toEqual(event)
    const edge = { nowMs: now.getTime() + 300_000 }
    expect<unknown>(await verify(edge)).toEqual(event)
  })

  test('is refused with another body, secret, time or none of them', async () => {
    for (const wrong of [
      { body: `${body} ` },
      { secret: other },
      { headers: signed([other]) },
      { headers: { ...signed([secret]), 'webhook-timestamp': '1' } },
      { headers: { ...signed([secret]), 'Webhook-Id': 'msg_2' } },
      { headers: { ...signed([secret]), 'webhook-signature': 'v1,*** v1, v2,x' } },
      { headers: {} },
    ])
      expect(await errorOf(verify(wrong))).toMatchObject({ code: 'bad_signature' })
    for (const nowMs of [now.getTime() + 301_000, now.getTime() - 301_000])
      expect(await errorOf(verify({ nowMs }))).toMatchObject({ code: 'too_old' })
    expect(await errorOf(verify({ secret: 'whsec_***' }))).toBeInstanceOf(TypeError)
  })
})

test('what the platform got was sent once', () => {
  const texts = takenBodies(inbox.world).map((body) => body['text']['body'] as string)
  expect(texts).toEqual(['Hi'])
})
