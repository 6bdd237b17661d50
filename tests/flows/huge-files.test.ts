import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'

import { afterAll, beforeAll, expect, test } from 'bun:test'

import { ADMINS, APP_SECRET, Installation, signIn } from '../chaos/installation'
import { chunks } from '../../src/simulator/media-store'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import type { Client, Loose } from '../support/client'
import { fetchRaw } from '../support/files'
import type { ServerProcess } from '../support/process'

const MIB = 1024 * 1024
const HUGE_BYTES = 100 * MIB
/** By so much the server may grow while a file of 100 MB goes through it. */
const MAX_GROWTH_MIB = 30

let simulator: Simulator
let installation: Installation
let server: ServerProcess
let admin: Client

beforeAll(async () => {
  simulator = await startSimulator({ appSecret: APP_SECRET })
  installation = new Installation({
    PLATFORM_BASE_URL: simulator.url,
    EGRESS_ALLOW: `127.0.0.1:${simulator.port}`,
    DB_CACHE_MIB: '8',
  })
  server = await installation.start()
  simulator.setCallback(`${server.url}/api/webhook`)
  admin = await signIn(server.url, ADMINS[0])
  const { id, wabaId, token } = simulator.phone
  await admin.post('/api/accounts', {
    name: 'Main',
    phone_id: id,
    business_id: wabaId,
    access_token: token,
  })
})

afterAll(async () => {
  await server.stop()
  installation.remove()
  await simulator.stop()
})

const memoryMib = (): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1] ?? 0) /
  1024

/** How much larger the server was at its largest than before, MiB. */
async function growthOf(work: () => Promise<unknown>): Promise<number> {
  const before = memoryMib()
  let most = before
  const watch = setInterval(() => (most = Math.max(most, memoryMib())), 5)
  await work().finally(() => clearInterval(watch))
  return Math.max(most, memoryMib()) - before
}

const checksum = (sizeBytes: number): string => {
  const hash = createHash('sha256')
  for (const piece of chunks(sizeBytes)) hash.update(piece)
  return hash.digest('hex')
}

const BOUNDARY = 'a-boundary'

/** A form with a file that is made up as it is sent. */
function formOf(sizeBytes: number): ReadableStream<Uint8Array> {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="huge.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`
  function* parts(): Generator<Uint8Array> {
    yield new TextEncoder().encode(head)
    yield* chunks(sizeBytes)
    yield new TextEncoder().encode(`\r\n--${BOUNDARY}--\r\n`)
  }
  const made = parts()
  return new ReadableStream({
    pull(controller) {
      const { done, value } = made.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

async function handIn(sizeBytes: number): Promise<Loose> {
  const response = await fetch(`${server.url}/api/media`, {
    method: 'POST',
    body: formOf(sizeBytes),
    headers: { ...admin.headers, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  })
  return ((await response.json()) as { data: Loose }).data
}

/** Reads an answer to its end; its checksum. */
async function readWhole(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; sha256: string }> {
  const response = await fetchRaw(admin, path, headers)
  const hash = createHash('sha256')
  for await (const piece of response.body ?? []) hash.update(piece)
  return { status: response.status, sha256: hash.digest('hex') }
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 1_000; round += 1) {
    if (await isDone()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`that did not happen in time: ${server.lines.slice(-12).join('\n')}`)
}

/** A customer sends a file so large; returns the file once it is here. */
async function receive(sizeBytes: number): Promise<Loose> {
  const stored = simulator.keepHugeFile(sizeBytes, 'application/pdf')
  await simulator
    .customer({ waId: '15550107777' })
    .sends({ type: 'document', mime: 'application/pdf', stored })
  const newest = (): string | undefined =>
    installation.rows<{ id: string }>(
      "select id from media where platform_media_id = ? and state = 'ready'",
      stored.id,
    )[0]?.id
  await until(async () => newest() !== undefined)
  return (await admin.get(`/api/media/${newest()}/info`)).data
}

/** Sends a file of ours on to a customer; done when the platform has it. */
async function sendOn(file: Loose): Promise<void> {
  const [contact] = (await admin.get('/api/contacts')).data['items'] as Loose[]
  const before = simulator.messages.length
  await admin.post(`/api/contacts/${contact?.['id']}/messages`, {
    type: 'document',
    media_id: file['id'],
  })
  await until(async () => simulator.messages.length > before)
}

test('files of 100 MB pass four ways while memory grows by less than 30 MB', async () => {
  // What is compiled and allocated once is there after a few smaller files.
  for (let round = 0; round < 3; round += 1) {
    await handIn(8 * MIB)
    const small = await receive(8 * MIB)
    await readWhole(`/api/media/${small['id']}`)
    await sendOn(small)
  }
  const sha256 = checksum(HUGE_BYTES)
  let uploaded: Loose = {}
  let received: Loose = {}
  const growth = {
    'handed in': await growthOf(async () => (uploaded = await handIn(HUGE_BYTES))),
    'read whole': await growthOf(async () =>
      expect(await readWhole(`/api/media/${uploaded['id']}`)).toEqual({ status: 200, sha256 }),
    ),
    'read in part': await growthOf(async () =>
      expect(
        (await readWhole(`/api/media/${uploaded['id']}`, { range: `bytes=0-${HUGE_BYTES - 2}` }))
          .status,
      ).toBe(206),
    ),
    'fetched from the platform': await growthOf(async () => (received = await receive(HUGE_BYTES))),
    'sent to the platform': await growthOf(() => sendOn(uploaded)),
  }
  expect(uploaded).toMatchObject({ size_bytes: HUGE_BYTES, sha256, kind: 'document' })
  expect(received).toMatchObject({ size_bytes: HUGE_BYTES, sha256 })
  expect(
    simulator.callsOf({
      route: 'media',
      where: ({ body }) => (body as Loose | undefined)?.['bytes'] === HUGE_BYTES,
    }).length,
  ).toBe(1)
  const tooMuch = Object.entries(growth).filter(([, mib]) => mib >= MAX_GROWTH_MIB)
  expect(tooMuch).toEqual([])
}, 120_000)

/** The status a body is answered with before it was sent. */
function answerToDeclared(sizeBytes: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = {
    ...admin.headers,
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': sizeBytes,
  }
  const sending = request(`${server.url}/api/media`, { method: 'POST', headers })
  sending.on('response', (answer) => {
    resolve(answer.statusCode ?? 0)
    sending.destroy()
  })
  sending.on('error', reject)
  sending.write('--')
  return promise
}

test('rejects a file of more than 100 MB, declared or not', async () => {
  expect(await answerToDeclared(HUGE_BYTES + 2 * MIB)).toBe(413)
  const response = await fetch(`${server.url}/api/media`, {
    method: 'POST',
    body: formOf(HUGE_BYTES + 1),
    headers: { ...admin.headers, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  }).catch(() => null)
  // The server stops reading at the first byte too many; the answer may cross with what is still
  // being sent.
  expect(response?.status ?? 413).toBe(413)
}, 60_000)
