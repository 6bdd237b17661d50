import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { request } from 'node:http'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { oggOpus, SAMPLES, webp } from '../../../../src/simulator/sample-files'
import { postForm, upload } from '../../../support/files'
import { World } from '../../../support/world'

let world: World

beforeAll(async () => {
  world = await World.create()
})

afterAll(() => world.stop())

const MIB = 1024 * 1024

const padded = (bytes: Uint8Array, size: number): Uint8Array => {
  const large = new Uint8Array(size)
  large.set(bytes)
  return large
}

describe('an uploaded file', () => {
  test.each([
    ['image/jpeg', 'image', 'image/jpeg'],
    ['image/png', 'image', 'image/png'],
    ['image/webp', 'sticker', 'image/webp'],
    ['video/mp4', 'video', 'video/mp4'],
    ['video/3gpp', 'video', 'video/3gpp'],
    ['audio/mp4', 'audio', 'audio/mp4'],
    ['audio/mpeg', 'audio', 'audio/mpeg'],
    ['audio/aac', 'audio', 'audio/aac'],
    ['audio/amr', 'audio', 'audio/amr'],
    ['audio/ogg; codecs=opus', 'audio', 'audio/ogg; codecs=opus'],
    ['application/pdf', 'document', 'application/pdf'],
    ['text/plain', 'document', 'text/plain'],
    ['image/gif', 'document', 'image/gif'],
  ] as const)('%s is taken as %s', async (type, kind, mimeType) => {
    const bytes = SAMPLES[type]
    for (const claimed of [type, 'application/octet-stream']) {
      const { status, data } = await upload(await world.as('agent'), {
        bytes,
        type: claimed,
        name: 'Ferien 2026.dat',
      })
      expect({ status, data }).toMatchObject({
        status: 201,
        data: {
          kind,
          mime_type: mimeType,
          filename: 'Ferien 2026.dat',
          size_bytes: bytes.length,
          sha256: createHash('sha256').update(bytes).digest('hex'),
          state: 'ready',
        },
      })
    }
  })

  test('has its dimensions or duration, and the time at which it is deleted unless it is sent', async () => {
    const agent = await world.as('agent')
    const picture = await upload(agent, { bytes: SAMPLES['image/webp'], type: 'image/webp' })
    expect(picture.data).toMatchObject({ width: 512, height: 512, duration_ms: null })
    expect(
      Date.parse(picture.data['expires_at'] as string) -
        Date.parse(picture.data['created_at'] as string),
    ).toBe(24 * 60 * 60 * 1000)
    const voice = await upload(agent, { bytes: oggOpus(), type: 'audio/ogg' })
    expect(voice.data).toMatchObject({ width: null, height: null, duration_ms: 2_000 })
    const info = await agent.get(`/api/media/${voice.data['id']}/info`)
    expect(info.data).toEqual({ ...voice.data, last_error: null, attempts: 0 })
  })

  test.each([
    ['text that is not UTF-8', [0x80, 0x81, 0x82, 0x83]],
    ['text with a zero byte', [0x61, 0x00, 0x62, 0x63]],
  ])('%s is no text', async (_what, bytes) => {
    const { data } = await upload(await world.as('agent'), {
      bytes: new Uint8Array(bytes),
      type: 'text/csv',
    })
    expect(data).toMatchObject({ kind: 'document', mime_type: 'application/octet-stream' })
  })

  test('gives up on the duration of a recording with millions of parts', async () => {
    const head = Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex')
    const empty = Buffer.from('0000000866726565', 'hex') // a box without content
    const bytes = Buffer.concat([head, Buffer.alloc(1_900_000 * empty.length, empty)])
    const film = await upload(await world.as('agent'), { bytes, type: 'video/mp4' })
    expect([film.status, film.data['mime_type'], film.data['duration_ms']]).toEqual([
      201,
      'video/mp4',
      null,
    ])
  })

  test('of any type can be uploaded as a document', async () => {
    const { data } = await upload(await world.as('agent'), {
      bytes: SAMPLES['image/jpeg'],
      type: 'image/jpeg',
      name: 'a.jpg',
      fields: { kind: 'document', filename: 'Übersicht.jpg' },
    })
    expect(data).toMatchObject({
      kind: 'document',
      mime_type: 'image/jpeg',
      filename: 'Übersicht.jpg',
    })
  })

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\ana\\offer.pdf', 'offer.pdf'],
    ['a\u0007b\u202egpj.exe', 'abgpj.exe'],
    ['two\r\nlines\n.pdf', 'twolines.pdf'],
    ['..', null],
    [`${'x'.repeat(300)}.pdf`, `${'x'.repeat(236)}.pdf`],
  ])('the name %p is shown as %p and is nothing on disk', async (name, shown) => {
    const { data } = await upload(await world.as('agent'), {
      bytes: SAMPLES['application/pdf'],
      type: 'application/pdf',
      name,
    })
    expect(data['filename']).toBe(shown)
    const [row] = world.rows('select stored_as from media where id = ?', data['id'] as string)
    expect(row?.['stored_as']).toMatch(/^[0-9a-f]{2}\/[0-9a-f]{30}$/)
  })

  test('is stored once for one Idempotency-Key with the same content', async () => {
    const agent = await world.as('agent')
    const before = world.rows('select count(*) as n from media')[0]?.['n'] as number
    const headers = { 'idempotency-key': 'one-upload' }
    const first = await upload(agent, {
      bytes: SAMPLES['application/pdf'],
      type: 'application/pdf',
      headers,
    })
    const second = await upload(agent, {
      bytes: SAMPLES['application/pdf'],
      type: 'application/pdf',
      headers,
    })
    expect(second.data).toEqual(first.data)
    expect(second.headers.get('idempotent-replay')).toBe('true')
    const other = await upload(agent, {
      bytes: SAMPLES['text/plain'],
      type: 'application/pdf',
      headers,
    })
    expect({ status: other.status, code: other.body.code }).toEqual({
      status: 409,
      code: 'idempotency_mismatch',
    })
    expect(world.rows('select count(*) as n from media')[0]?.['n']).toBe(before + 1)
  })
})

describe('a file is rejected', () => {
  test.each([
    [
      'a page that claims to be a picture',
      400,
      'content_mismatch',
      { bytes: new TextEncoder().encode('<html>hi</html>'), type: 'image/png' },
    ],
    [
      'a picture that claims to be another',
      400,
      'content_mismatch',
      { bytes: SAMPLES['image/jpeg'], type: 'image/png' },
    ],
    [
      'a picture that claims to be a PDF',
      400,
      'content_mismatch',
      { bytes: SAMPLES['image/jpeg'], type: 'application/pdf' },
    ],
    ['an empty file', 400, 'content_mismatch', { bytes: new Uint8Array(), type: 'image/png' }],
    [
      'a gif as a picture',
      415,
      'unsupported_media_type',
      { bytes: SAMPLES['image/gif'], type: 'image/gif', fields: { kind: 'image' } },
    ],
    [
      'a PDF as sound',
      415,
      'unsupported_media_type',
      { bytes: SAMPLES['application/pdf'], type: '', fields: { kind: 'audio' } },
    ],
    [
      'words as a video',
      415,
      'unsupported_media_type',
      { bytes: SAMPLES['text/plain'], type: 'text/plain', fields: { kind: 'video' } },
    ],
    [
      'a kind there is none of',
      400,
      'invalid_input',
      { bytes: SAMPLES['image/png'], type: 'image/png', fields: { kind: 'hologram' } },
    ],
    [
      'a picture over 5 MB',
      413,
      'body_too_large',
      { bytes: padded(SAMPLES['image/jpeg'], 5 * MIB + 1), type: 'image/jpeg' },
    ],
    [
      'a video over 16 MB',
      413,
      'body_too_large',
      { bytes: padded(SAMPLES['video/mp4'], 16 * MIB + 1), type: 'video/mp4' },
    ],
    [
      'sound over 16 MB',
      413,
      'body_too_large',
      { bytes: padded(SAMPLES['audio/aac'], 16 * MIB + 1), type: 'audio/aac' },
    ],
    [
      'a still sticker over 100 KB',
      413,
      'body_too_large',
      { bytes: webp({ sizeBytes: 100 * 1024 + 2 }), type: 'image/webp' },
    ],
    [
      'a moving sticker over 500 KB',
      413,
      'body_too_large',
      { bytes: webp({ isAnimated: true, sizeBytes: 500 * 1024 + 2 }), type: 'image/webp' },
    ],
  ] as const)('%s: %d %s', async (_what, status, code, file) => {
    const answer = await upload(await world.as('agent'), file)
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code })
    expect(answer.body.errors?.length ?? 1).toBeGreaterThan(0)
  })

  test('but not if it has exactly the largest size', async () => {
    const agent = await world.as('agent')
    expect(
      (await upload(agent, { bytes: padded(SAMPLES['image/jpeg'], 5 * MIB), type: 'image/jpeg' }))
        .status,
    ).toBe(201)
    expect(
      (await upload(agent, { bytes: webp({ sizeBytes: 100 * 1024 }), type: 'image/webp' })).status,
    ).toBe(201)
    expect(
      (
        await upload(agent, {
          bytes: webp({ isAnimated: true, sizeBytes: 500 * 1024 }),
          type: 'image/webp',
        })
      ).status,
    ).toBe(201)
  })

  test('a body of another type is 415, a form without file or with two is 400', async () => {
    const agent = await world.as('agent')
    expect(await agent.post('/api/media', { file: 'x' })).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type' },
    })
    const empty = new FormData()
    empty.set('kind', 'image')
    expect(await postForm(agent, '/api/media', empty)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'body.file' }] },
    })
    const text = new FormData()
    text.set('file', 'not a file')
    expect(await postForm(agent, '/api/media', text)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'body.file' }] },
    })
    const two = new FormData()
    two.append('file', new File(['a'], 'a'))
    two.append('other', new File(['b'], 'b'))
    expect(await postForm(agent, '/api/media', two)).toMatchObject({
      status: 400,
      body: { code: 'malformed_multipart' },
    })
  })

  test.each([
    ['no boundary', 'multipart/form-data; charset=utf-8', 'x'],
    ['another boundary', 'multipart/form-data; boundary=b', '--c\r\n\r\n'],
    [
      'an end in the middle of a file',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbegun',
    ],
    [
      'an end in the middle of a header',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-da',
    ],
    ['nothing', 'multipart/form-data; boundary=b', ''],
  ])('a broken form, %s: 400', async (_what, type, body) => {
    const response = await fetch(`${world.url}/api/media`, {
      method: 'POST',
      body,
      headers: { ...(await world.as('agent')).headers, 'content-type': type },
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ status: 'error', data: null })
  })

  test('a client that disconnects in the middle leaves nothing behind', async () => {
    const { host } = new URL(world.url)
    const agent = await world.as('agent')
    const [hostname, port] = host.split(':')
    const gone = Promise.withResolvers<void>()
    const sending = request({
      hostname,
      port,
      path: '/api/media',
      method: 'POST',
      headers: {
        ...agent.headers,
        'content-type': 'multipart/form-data; boundary=b',
        'content-length': 50_000_000,
      },
    })
    sending.on('error', () => gone.resolve())
    sending.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n')
    sending.write(Buffer.alloc(MIB))
    await world.eventually(() => stagedFiles().length === 1)
    sending.destroy(new Error('gone'))
    await gone.promise
    await world.eventually(() => stagedFiles().length === 0)
  })

  test('and nothing of it stays on disk', async () => {
    await world.eventually(() => stagedFiles().length === 0)
    const names = new Set(
      world
        .rows('select stored_as from media where stored_as is not null')
        .map((row) => row['stored_as']),
    )
    const kept: string[] = []
    for await (const { name } of world.program.http.files.list()) kept.push(name)
    expect(kept.filter((name) => !names.has(name))).toEqual([])
    expect(kept.length).toBe(names.size)
  })
})

const stagedFiles = (): string[] => readdirSync(`${world.filesFolder}/incoming`)
