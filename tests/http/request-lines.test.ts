import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { signatureOf } from '../../src/simulator/signing'
import type { Client, Loose } from '../support/client'
import { ServerProcess } from '../support/process'
import { APP_SECRET, World } from '../support/world'

let world: World

beforeAll(async () => {
  world = await World.create({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } })
})

afterAll(() => world.stop())

/** The lines of a message that the log got while something was done. */
async function linesOf(message: string, work: () => Promise<unknown>): Promise<Loose[]> {
  const before = world.logLines.length
  await work()
  const found = (): Loose[] =>
    world.logLines
      .slice(before)
      .map((line) => JSON.parse(line) as Loose)
      .filter(({ msg }) => msg === message)
  return found()
}

/** The log line of one request. */
async function lineOf(client: Client, path: string): Promise<Loose> {
  const before = world.logLines.length
  await client.get(path)
  const line = (): Loose | undefined =>
    world.logLines
      .slice(before)
      .map((text) => JSON.parse(text) as Loose)
      .find((facts) => facts['msg'] === 'request')
  await world.eventually(() => line() !== undefined)
  return line() as Loose
}

describe('the log line of a request', () => {
  test('names the client behind the proxy', async () => {
    const line = await lineOf(
      (await world.as('admin')).with({ 'x-forwarded-for': '198.51.100.7' }),
      '/api/me',
    )
    expect(line).toMatchObject({ status: 200, address: '198.51.100.7' })
    expect(line).not.toHaveProperty('code')
  })

  test('names the error code of a rejection', async () => {
    const client = world.anyone.with({ 'x-forwarded-for': '198.51.100.8' })
    expect(await lineOf(client, '/api/me')).toMatchObject({
      status: 401,
      code: 'unauthorized',
      address: '198.51.100.8',
    })
    expect(await lineOf(client, '/api/nothing-there')).toMatchObject({
      status: 404,
      code: 'route_not_found',
    })
    const admin = await world.as('admin')
    expect(await lineOf(admin, '/api/contacts?limit=none')).toMatchObject({
      status: 400,
      code: 'invalid_input',
      address: '127.0.0.1',
    })
  })
})

test('no log line contains the token of a signed link', async () => {
  const before = world.logLines.length
  const asked = '/api/media/signed/a-secret-token'
  expect((await world.anyone.get(asked)).status).toBe(401)
  await world.eventually(() => world.logLines.length > before)
  const lines = world.logLines.slice(before)
  expect(lines.filter((line) => line.includes('may-read'))).toEqual([])
  expect(lines.filter((line) => line.includes('"path":"/api/media/signed/***"'))).toHaveLength(1)
})

test('platform deliveries are summarized in one log line', async () => {
  world.program.http.deliverySummary.write() // those of the start
  const customer = world.simulator.customer({ phone: world.tenant.phoneId })
  const before = world.logLines.length
  const sent = world.simulator.deliveries.length
  for (const text of ['one', 'two', 'three']) await customer.says(text)
  await world.settle()
  const deliveries = (): Loose[] =>
    world.logLines
      .slice(before)
      .map((line) => JSON.parse(line) as Loose)
      .filter(
        ({ msg, route, method }) =>
          msg === 'request' && route === '/api/webhook' && method === 'POST',
      )
  // A line is written right after its response.
  await world.eventually(() => deliveries().length >= world.simulator.deliveries.length - sent)
  const ofDeliveries = deliveries()
  expect(ofDeliveries.length).toBeGreaterThanOrEqual(3)
  expect(new Set(ofDeliveries.map(({ level }) => level))).toEqual(new Set(['debug']))
  const write = (): Promise<void> => Promise.resolve(world.program.http.deliverySummary.write())
  const lines = await linesOf('webhooks', write)
  expect(lines).toMatchObject([{ level: 'info', deliveries: ofDeliveries.length }])
  expect(await linesOf('webhooks', write)).toEqual([])
})

test('a rejected delivery has its own log line', async () => {
  const before = world.logLines.length
  await fetch(`${world.url}/api/webhook`, {
    method: 'POST',
    body: '{}',
    headers: { 'x-forwarded-for': '198.51.100.9' },
  })
  const lines = (): Loose[] =>
    world.logLines
      .slice(before)
      .map((line) => JSON.parse(line) as Loose)
      .filter(({ msg, status }) => msg === 'request' && status === 401)
  await world.eventually(() => lines().length > 0)
  expect(lines()).toMatchObject([
    { level: 'info', status: 401, code: 'signature_missing', address: '198.51.100.9' },
  ])
})

test('the last deliveries are summarized when the server stops', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'request-lines-'))
  try {
    const env = {
      DATA_DIR: join(folder, 'data'),
      ADMIN_PASSWORD: 'correct horse battery',
      PASSWORD_MEMORY_MIB: '8',
      APP_SECRET,
    }
    await using server = await ServerProcess.start({ cwd: folder, env })
    for (const entry of ['1', '2']) {
      const body = JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [{ id: entry, changes: [] }],
      })
      const headers = {
        'content-type': 'application/json',
        'x-hub-signature-256': signatureOf(APP_SECRET, body),
      }
      expect(
        (await fetch(`${server.url}/api/webhook`, { method: 'POST', body, headers })).status,
      ).toBe(200)
    }
    expect(await server.stop()).toBe(0)
    const lines = server.lines
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Loose)
    expect(lines.filter(({ route }) => route === '/api/webhook')).toEqual([])
    expect(lines.filter(({ msg }) => msg === 'webhooks')).toMatchObject([{ deliveries: 2 }])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
