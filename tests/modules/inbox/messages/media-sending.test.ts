import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { oggOpus, SAMPLES, webp } from '../../../../src/simulator/sample-files'
import type { Loose } from '../../../support/client'
import {
  openSendFixture,
  sendForm,
  tracesIn,
  type SendFixture,
  type FilePart,
} from '../../../support/sending'

const FILES = {
  image: { name: 'a picture.jpg', type: 'image/jpeg', bytes: SAMPLES['image/jpeg'] },
  video: { name: 'film.mp4', type: 'video/mp4', bytes: SAMPLES['video/mp4'] },
  audio: { name: 'song.mp3', type: 'audio/mpeg', bytes: SAMPLES['audio/mpeg'] },
  document: { name: 'invoice.pdf', type: 'application/pdf', bytes: SAMPLES['application/pdf'] },
  sticker: { name: 'smile.webp', type: 'image/webp', bytes: webp() },
} satisfies Record<string, FilePart>
const VOICE: FilePart = { name: 'note.ogg', type: 'audio/ogg', bytes: oggOpus(1) }
const STEREO: FilePart = { name: 'band.ogg', type: 'audio/ogg', bytes: oggOpus(2) }
const DANCE: FilePart = {
  name: 'dance.webp',
  type: 'image/webp',
  bytes: webp({ isAnimated: true }),
}

type Kind = keyof typeof FILES

async function upload({ client }: SendFixture, kind: string, file: FilePart): Promise<string> {
  const { status, body } = await sendForm(client, '/api/media', { kind }, file)
  if (status !== 201) throw new Error(`the upload was answered ${status}: ${JSON.stringify(body)}`)
  return body.data['id'] as string
}

/** Where the platform keeps what was uploaded last. */
const platformId = ({ world }: SendFixture): string => {
  const [call] = world.simulator.callsOf({ route: 'media' }).slice(-1)
  return ((call?.answer?.body ?? {}) as Loose)['id'] as string
}

const sha256 = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

let fixture: SendFixture

beforeAll(async () => {
  fixture = await openSendFixture()
})

afterAll(() => fixture.world.stop())

/**
 * What goes along with each kind: the request, the content beside what the file says of itself, and
 * the platform's part beside the id.
 */
const KINDS: [kind: Kind, request: Loose, content: Loose, part: Loose, preview: string][] = [
  [
    'image',
    { caption: 'Your receipt' },
    { caption: 'Your receipt', filename: null },
    { caption: 'Your receipt' },
    'Your receipt',
  ],
  ['video', {}, { caption: null, filename: null }, {}, 'Video'],
  ['audio', {}, { caption: null, filename: null, voice: false }, {}, 'Audio'],
  [
    'document',
    { caption: 'Invoice', filename: 'March.pdf' },
    { caption: 'Invoice', filename: 'March.pdf' },
    { caption: 'Invoice', filename: 'March.pdf' },
    'Invoice',
  ],
  [
    'document',
    {},
    { caption: null, filename: 'invoice.pdf' },
    { filename: 'invoice.pdf' },
    'invoice.pdf',
  ],
  ['sticker', {}, { caption: null, filename: null, animated: false }, {}, 'Sticker'],
]

describe('a stored file is sent by ID with the exact payload for', () => {
  test.each(KINDS)('%s with %p', async (kind, request, content, part, preview) => {
    const file = FILES[kind]
    const mediaId = await upload(fixture, kind, file)
    const { message, payload } = await fixture.sent({ type: kind, media_id: mediaId, ...request })
    expect(payload).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: `+${String(fixture.contact['wa_id'])}`,
      type: kind,
      [kind]: { id: platformId(fixture), ...part },
      biz_opaque_callback_data: message['id'],
    })
    expect(message).toMatchObject({
      type: kind,
      preview,
      status: 'delivered',
      warnings: [],
      media: {
        id: mediaId,
        url: `/api/media/${mediaId}`,
        mime_type: file.type,
        size_bytes: file.bytes.length,
        state: 'ready',
      },
    })
    expect(message['content']).toEqual({
      mime_type: file.type,
      sha256: sha256(file.bytes),
      size_bytes: file.bytes.length,
      ...content,
    })
    expect(fixture.world.rows('select expires_at_ms from media where id = ?', mediaId)).toEqual([
      { expires_at_ms: null },
    ])
  })

  test('an animated sticker, which is marked as animated', async () => {
    const { message } = await fixture.sent({
      type: 'sticker',
      media_id: await upload(fixture, 'sticker', DANCE),
    })
    expect(message['content']['animated']).toBe(true)
  })

  test('uploads a file once for two messages', async () => {
    using _stay = fixture.world.stays('uploads to the platform')
    const mediaId = await upload(fixture, 'image', FILES.image)
    const before = fixture.world.simulator.callsOf({ route: 'media' }).length
    const first = await fixture.sent({ type: 'image', media_id: mediaId })
    const second = await fixture.sent({ type: 'image', media_id: mediaId, caption: 'again' })
    expect(second.payload['image']['id']).toBe(first.payload['image']['id'])
    expect(fixture.world.simulator.callsOf({ route: 'media' }).length).toBe(before + 1)
  })
})

describe('a voice message', () => {
  test('is sent as voice if it is ogg with one opus channel', async () => {
    const { message, payload } = await fixture.sent({
      type: 'audio',
      media_id: await upload(fixture, 'audio', VOICE),
      voice: true,
    })
    expect(payload['audio']).toEqual({ id: platformId(fixture), voice: true })
    expect(message).toMatchObject({
      preview: 'Voice message',
      warnings: [],
      content: { voice: true },
    })
  })

  test.each([
    ['two channels', STEREO],
    ['another type', FILES.audio],
  ])('of %s goes as plain audio, with a warning, in the preview too', async (_, file) => {
    const body = { type: 'audio', media_id: await upload(fixture, 'audio', file), voice: true }
    const preview = await fixture.client.post('/api/messages/preview', {
      contact_id: fixture.contact['id'],
      ...body,
    })
    expect(preview.data['warnings']).toEqual(['voice_as_audio'])
    expect(preview.data['platform_payload']['audio']).toEqual({ id: body.media_id })
    const { message, payload } = await fixture.sent(body)
    expect(payload['audio']).toEqual({ id: platformId(fixture) })
    expect(message).toMatchObject({
      preview: 'Audio',
      warnings: ['voice_as_audio'],
      content: { voice: false },
    })
  })
})

describe('a header file of an interactive message', () => {
  const cta = (header: Loose): Loose => ({
    type: 'interactive',
    interactive: {
      type: 'cta_url',
      body: 'Look',
      button_text: 'See',
      url: 'https://example.com',
      header,
    },
  })

  test.each<[Kind, Loose]>([
    ['image', {}],
    ['video', {}],
    ['document', { filename: 'invoice.pdf' }],
  ])('may be of the kind %s', async (type, extra) => {
    const mediaId = await upload(fixture, type, FILES[type])
    const { message, payload } = await fixture.sent(cta({ type, media_id: mediaId }))
    expect(payload['interactive']['header']).toEqual({
      type,
      [type]: { id: platformId(fixture), ...extra },
    })
    expect(message).toMatchObject({
      media: { id: mediaId },
      content: { header: { type, media_id: mediaId } },
      preview: 'Look',
    })
  })

  test('must match its declared kind', async () => {
    const mediaId = await upload(fixture, 'document', FILES.document)
    expect(
      (await fixture.send(cta({ type: 'image', media_id: mediaId }))).body.errors,
    ).toMatchObject([{ path: 'body.interactive.header.media_id' }])
  })
})

const RECEIPT = { name: 'r.jpg', type: 'image/jpeg', bytes: SAMPLES['image/jpeg'] }

describe('POST /api/messages/media', () => {
  test('sends a file uploaded as a multipart form with its fields', async () => {
    const fields = {
      contact_id: String(fixture.contact['id']),
      type: 'image',
      caption: 'Für dich 🍕',
      client_ref: 'r-7',
    }
    const { status, data } = await sendForm(fixture.client, '/api/messages/media', fields, RECEIPT)
    expect({ status, data }).toMatchObject({
      status: 201,
      data: {
        type: 'image',
        status: 'pending',
        client_ref: 'r-7',
        content: { caption: 'Für dich 🍕' },
        media: { state: 'ready' },
      },
    })
    await fixture.world.settle()
    const { data: message } = await fixture.client.get(`/api/messages/${data['id']}`)
    expect(message['status']).toBe('delivered')
  })

  test('sends a voice message from a multipart form to a phone number', async () => {
    const fields = { phone_number: '+1 555 010 9999', type: 'audio', voice: 'true' }
    const { data } = await sendForm(fixture.client, '/api/messages/media', fields, VOICE)
    expect(data['content']).toMatchObject({ voice: true })
  })

  test('sends a stored file named in JSON or in a multipart form', async () => {
    const media_id = await upload(fixture, 'document', FILES.document)
    const body = {
      contact_id: String(fixture.contact['id']),
      type: 'document',
      media_id,
      filename: 'April.pdf',
    }
    expect(
      (await fixture.client.post('/api/messages/media', { ...body, voice: false })).data['content'][
        'filename'
      ],
    ).toBe('April.pdf')
    expect((await sendForm(fixture.client, '/api/messages/media', body)).data['media']['id']).toBe(
      media_id,
    )
    await fixture.world.settle()
  })

  test.each<[string, Record<string, string>, FilePart | undefined, number, string]>([
    ['no type', { type: '' }, RECEIPT, 400, 'body.type'],
    ['a type without files', { type: 'text', text: 'Hi' }, RECEIPT, 400, 'body.type'],
    ['no file', { type: 'image' }, undefined, 400, 'body.media_id'],
    [
      'a file and an id',
      { type: 'image', media_id: '01900000-0000-7000-8000-ffffffffffff' },
      RECEIPT,
      400,
      'body.media_id',
    ],
    [
      'a file and an address',
      { type: 'image', media_url: 'https://example.com/a.jpg' },
      RECEIPT,
      400,
      'body.media_url',
    ],
    [
      'a long caption',
      { type: 'image', caption: '🍕'.repeat(1_025) },
      RECEIPT,
      400,
      'body.caption',
    ],
    ['a caption on a sound', { type: 'audio', caption: 'x' }, VOICE, 400, 'body.caption'],
    ['nobody', { type: 'image', contact_id: '' }, RECEIPT, 400, 'body.contact_id'],
    ['a file that is not of the kind', { type: 'video' }, RECEIPT, 415, 'body.file'],
    [
      'a file that is not what it claims',
      { type: 'image' },
      { ...RECEIPT, bytes: SAMPLES['application/pdf'] },
      400,
      'body.file',
    ],
  ])('with %s is refused, and nothing of it is kept', async (_, fields, file, status, path) => {
    const before = tracesIn(fixture.world)
    const answer = await sendForm(
      fixture.client,
      '/api/messages/media',
      { contact_id: String(fixture.contact['id']), ...fields },
      file,
    )
    expect(answer).toMatchObject({ status, body: { errors: [{ path }] } })
    expect(tracesIn(fixture.world)).toEqual(before)
  })

  test('rejects a closed window before storing the file', async () => {
    await using own = await openSendFixture()
    own.world.program.http.db.sqlite.run('update conversations set last_inbound_at_ms = 1')
    const before = tracesIn(own.world)
    const fields = { contact_id: String(own.contact['id']), type: 'image' }
    expect((await sendForm(own.client, '/api/messages/media', fields, RECEIPT)).body.code).toBe(
      'window_closed',
    )
    expect(tracesIn(own.world)).toEqual(before)
  })

  test('requires a credential', async () => {
    expect((await fixture.world.anyone.post('/api/messages/media', {})).status).toBe(401)
  })
})

test('captions have up to 1024 and file names up to 240 characters, whatever their bytes', async () => {
  const media_id = await upload(fixture, 'document', FILES.document)
  const body = {
    type: 'document',
    media_id,
    caption: '🍕'.repeat(1_024),
    filename: 'é'.repeat(240),
  }
  expect((await fixture.sent(body)).payload['document']).toMatchObject({
    caption: body.caption,
    filename: body.filename,
  })
})

describe('a file cannot be sent', () => {
  test.each<[string, Kind, string]>([
    ['a document as a picture', 'document', 'image'],
    ['a picture as a sticker', 'image', 'sticker'],
    ['a film as a sound', 'video', 'audio'],
  ])('%s', async (_, kind, type) => {
    const media_id = await upload(fixture, kind, FILES[kind])
    expect((await fixture.send({ type, media_id })).body).toMatchObject({
      code: 'invalid_input',
      errors: [{ path: 'body.media_id' }],
    })
  })

  test('of another organization: 400 that names the field', async () => {
    const theirs = await fixture.world.as('manager', fixture.world.other)
    const { body } = await sendForm(theirs, '/api/media', { kind: 'image' }, FILES.image)
    expect((await fixture.send({ type: 'image', media_id: body.data['id'] })).body).toMatchObject({
      code: 'invalid_input',
      errors: [{ path: 'body.media_id' }],
    })
  })
})

describe('a file named by URL', () => {
  /** A server on this machine, with a fixture that may fetch from it. */
  async function withServer(isAllowed = true) {
    let asked = 0
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => {
        asked += 1
        if (url.endsWith('/a.jpg'))
          return new Response(new Uint8Array(RECEIPT.bytes), {
            headers: { 'content-type': 'image/jpeg' },
          })
        return url.endsWith('/a.pdf')
          ? new Response(new Uint8Array(SAMPLES['application/pdf']), {
              headers: { 'content-type': 'application/pdf' },
            })
          : new Response('Not found', { status: 404 })
      },
    })
    const own = await openSendFixture(
      isAllowed ? { env: { EGRESS_ALLOW: `127.0.0.1:${server.port}` } } : {},
    )
    return {
      own,
      base: `http://127.0.0.1:${server.port}`,
      asked: () => asked,
      async [Symbol.asyncDispose]() {
        await own.world.stop()
        await server.stop(true)
      },
    }
  }

  test('is downloaded, stored and sent by ID, so the platform never sees the URL', async () => {
    await using at = await withServer()
    const { message, payload } = await at.own.sent({
      type: 'image',
      media_url: `${at.base}/a.jpg`,
      caption: 'Here',
    })
    expect(payload['image']).toEqual({ id: platformId(at.own), caption: 'Here' })
    expect(message).toMatchObject({
      media: { mime_type: 'image/jpeg', state: 'ready' },
      content: { size_bytes: RECEIPT.bytes.length },
    })
    expect(at.own.world.rows('select expires_at_ms, origin from media')).toEqual([
      { expires_at_ms: null, origin: 'url' },
    ])
  })

  test('can be the header of a message', async () => {
    await using at = await withServer()
    const header = { type: 'document', media_url: `${at.base}/a.pdf` }
    const interactive = { type: 'button', body: 'Look', header, buttons: [{ id: 'a', title: 'A' }] }
    const { message } = await at.own.sent({ type: 'interactive', interactive })
    expect(message['content']['header']).toMatchObject({
      type: 'document',
      media_id: message['media']['id'],
    })
  })

  test.each([
    ['image', '/missing.jpg'],
    ['image', '/a.pdf'],
    ['sticker', '/a.jpg'],
  ])('is refused as %s when it leads to %s, and nothing is stored', async (type, path) => {
    await using at = await withServer()
    const before = tracesIn(at.own.world)
    const answer = await at.own.send({ type, media_url: at.base + path })
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'media_url_refused', errors: [{ path: 'body.media_url' }] },
    })
    expect(tracesIn(at.own.world)).toEqual(before)
  })

  test.each([
    'ftp://example.com/a.jpg',
    'file:///etc/passwd',
    'a.jpg',
    'http://127.0.0.1:9/a.jpg',
    'http://[::1]/a.jpg',
  ])('is refused at %s', async (media_url) => {
    using _stay = fixture.world.stays('jobs')
    const before = tracesIn(fixture.world)
    for (const body of [
      { type: 'image', media_url },
      {
        type: 'interactive',
        interactive: {
          type: 'cta_url',
          body: 'x',
          button_text: 'x',
          url: 'https://x.example',
          header: { type: 'image', media_url },
        },
      },
    ])
      expect((await fixture.send(body)).body.code).toBe('media_url_refused')
    expect(tracesIn(fixture.world)).toEqual(before)
  })

  test('is not downloaded when the message is rejected anyway', async () => {
    await using at = await withServer()
    const { world } = at.own
    world.program.http.db.sqlite.run('update conversations set last_inbound_at_ms = 1')
    expect((await at.own.send({ type: 'image', media_url: `${at.base}/a.jpg` })).body.code).toBe(
      'window_closed',
    )
    const { data } = await at.own.client.post('/api/messages/preview', {
      contact_id: at.own.contact['id'],
      type: 'image',
      media_url: `${at.base}/a.jpg`,
    })
    expect(data).toMatchObject({ window_open: false, platform_payload: { image: { id: null } } })
    expect(at.asked()).toBe(0)
  })
})
