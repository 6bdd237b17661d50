import { renameSync, writeFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { SAMPLES } from '../../../../src/simulator/sample-files'
import type { Answer, Loose } from '../../../support/client'
import { fetchRaw, upload } from '../../../support/files'
import { World } from '../../../support/world'

/** A server on the internet of the test, with what customers link to. */
const server = createServer((request, response) => {
  const name = (request.url ?? '').slice(1)
  if (name === 'back')
    return void response
      .writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' })
      .end()
  if (name === 'moved') return void response.writeHead(301, { location: '/receipt.pdf' }).end()
  if (name === 'large.jpg')
    return void response
      .writeHead(200)
      .end(Buffer.concat([SAMPLES['image/jpeg'], Buffer.alloc(5 * 1024 * 1024)]))
  const bytes = name.endsWith('.pdf')
    ? SAMPLES['application/pdf']
    : name.endsWith('.jpg')
      ? SAMPLES['image/jpeg']
      : null
  if (!bytes) return void response.writeHead(404).end('no')
  const type = name.startsWith('wrong')
    ? 'image/png'
    : name.startsWith('plain')
      ? 'application/octet-stream'
      : undefined
  response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(bytes)
})

let world: World
let contactId: string
let base: string

beforeAll(async () => {
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  )
  base = `http://127.0.0.1:${port}`
  world = await World.create({ env: { EGRESS_ALLOW: `127.0.0.1:${port}` } })
  contactId = (await world.contactOf())['id'] as string
})

afterAll(async () => {
  server.close()
  await world.stop()
})

const send = async (body: Loose): Promise<Answer<Loose>> =>
  (await world.as('admin')).post(`/api/contacts/${contactId}/messages`, body)

const countOf = (table: string): number =>
  world.rows(`select count(*) as n from ${table}`)[0]?.['n'] as number

describe('a file named by its address', () => {
  test.each([
    ['receipt.pdf', 'document', 'receipt.pdf'],
    ['moved', 'document', 'receipt.pdf'],
    ['plain.jpg', 'image', null],
  ])('%s is fetched by us, kept and sent as %s', async (path, type, filename) => {
    const { status, data } = await send({ type, media_url: `${base}/${path}` })
    expect(status).toBe(201)
    await world.settle()
    const { data: message } = await (await world.as('admin')).get(`/api/messages/${data['id']}`)
    expect(message).toMatchObject({ status: 'delivered', content: { filename } })
    const sent = JSON.stringify(world.simulator.messages.at(-1)?.body)
    expect(sent).not.toContain('http')
    expect((await fetchRaw(await world.as('admin'), `/api/media/${data['id']}`)).status).toBe(200)
  })

  test.each([
    ['a private address', 'http://10.0.0.1/a.jpg'],
    ['this machine', 'http://localhost/a.jpg'],
    ['the metadata of a cloud', 'http://169.254.169.254/a.jpg'],
    ['a redirect to it', '/back'],
    ['another scheme', 'ftp://example.com/a.jpg'],
    ['a file that is not there', '/nothing'],
    ['a file of another type', '/receipt.pdf'],
    ['a file that is not what it claims', '/wrong.jpg'],
    ['a file that is too large', '/large.jpg'],
  ])('%s is 400 media_url_refused, and nothing is stored', async (_what, address) => {
    using _stay = world.stays('jobs')
    const before = [countOf('media'), countOf('messages'), countOf('jobs')]
    const answer = await send({
      type: 'image',
      media_url: address.startsWith('/') ? base + address : address,
    })
    expect({ status: answer.status, code: answer.body.code }).toEqual({
      status: 400,
      code: 'media_url_refused',
    })
    expect(answer.body.errors?.[0]?.path).toBe('body.media_url')
    expect(answer.body.message).not.toMatch(/\d+\.\d+\.\d+\.\d+/)
    expect([countOf('media'), countOf('messages'), countOf('jobs')]).toEqual(before)
    expect(await world.program.http.files.clearStaged(Infinity)).toBe(0)
  })

  test('that our disk does not take is no fault of the address', async () => {
    using _stay = world.stays('faults of a disk')
    const incoming = join(world.filesFolder, 'incoming')
    renameSync(incoming, `${incoming}-aside`)
    writeFileSync(incoming, 'not a folder')
    const { status, body } = await send({ type: 'image', media_url: `${base}/plain.jpg` })
    rmSync(incoming)
    renameSync(`${incoming}-aside`, incoming)
    expect({ status, code: body.code }).toEqual({ status: 500, code: 'internal_error' })
  })
})

describe('a file of ours at the platform', () => {
  const uploads = () =>
    world.simulator.callsOf({ route: 'media', where: ({ method }) => method === 'POST' })
  const pdf = async (name: string): Promise<string> =>
    (
      await upload(await world.as('admin'), {
        bytes: SAMPLES['application/pdf'],
        type: 'application/pdf',
        name,
      })
    ).data['id'] as string

  test('goes up as a form with the number’s token, its name encoded, and is kept for 25 days', async () => {
    using _stay = world.stays('uploads to the platform')
    const mediaId = await pdf('Preis "ä"; x=1.pdf')
    const before = uploads().length
    await send({ type: 'document', media_id: mediaId })
    await world.settle()
    const [call] = uploads().slice(before)
    expect(call).toMatchObject({
      token: world.tenant.token,
      object: world.tenant.phoneId,
      body: {
        file: 'Preis %22ä%22; x=1.pdf',
        type: 'application/pdf',
        bytes: SAMPLES['application/pdf'].length,
      },
    })
    for (const [days, count] of [
      [1, 1],
      [23, 1],
      [2, 2],
    ] as const) {
      world.clock.advance({ hours: days * 24 })
      await world.simulator
        .customer({ phone: world.tenant.phoneId, waId: String((await contact())['wa_id']) })
        .says('Still here')
      await world.settle()
      await send({ type: 'document', media_id: mediaId })
      await world.settle()
      expect({ days, uploads: uploads().length - before }).toEqual({ days, uploads: count })
    }
  })

  test('an upload that breaks off is tried again, and the message is sent once', async () => {
    const mediaId = await pdf('again.pdf')
    const before = world.simulator.messages.length
    world.simulator.answerHtml(503, { route: 'media', times: 2 })
    await send({ type: 'document', media_id: mediaId })
    for (let round = 0; round < 10; round += 1) {
      await world.settle()
      world.clock.advance({ minutes: 1 })
    }
    expect(world.simulator.messages.length).toBe(before + 1)
  })

  const contact = async (): Promise<Loose> =>
    (await (await world.as('admin')).get(`/api/contacts/${contactId}`)).data
})
