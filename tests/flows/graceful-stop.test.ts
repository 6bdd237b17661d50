import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startSimulator } from '../../src/simulator/platform'
import { Client, type Loose } from '../support/client'
import { ServerProcess } from '../support/process'
import { TestSocket } from '../support/socket'
import { readRows } from '../support/sql'

const PASSWORD = 'correct horse battery'
const folder = mkdtempSync(join(tmpdir(), 'stop-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a graceful stop during a hanging send ends in time, resumes interrupted work and sends nothing twice', async () => {
  await using simulator = await startSimulator({ appSecret: 'secret-of-the-app' })
  const env = {
    DATA_DIR: join(folder, 'data'),
    ADMIN_PASSWORD: PASSWORD,
    APP_SECRET: 'secret-of-the-app',
    PASSWORD_MEMORY_MIB: '8',
    PLATFORM_BASE_URL: simulator.url,
    SHUTDOWN_SECONDS: '1',
    METRICS_ADDRESS: '127.0.0.1:0',
  }
  const server = await ServerProcess.start({ cwd: folder, env })
  simulator.setCallback(`${server.url}/api/webhook`, 'secret-of-the-app')
  const { data: session } = await new Client(server.url).post('/api/auth/login', {
    email: 'admin@switchboard.local',
    password: PASSWORD,
  })
  const admin = new Client(server.url, { authorization: `Bearer ${session['access_token']}` })
  const { id, wabaId, token } = simulator.phone
  await admin.post('/api/accounts', {
    name: 'Main',
    phone_id: id,
    business_id: wabaId,
    access_token: token,
  })
  const sockets = await Promise.all(
    Array.from({ length: 5 }, () =>
      TestSocket.open(`${server.url.replace('http', 'ws')}/ws?token=${admin.token}`),
    ),
  )
  await simulator.customer({ name: 'Ana Sol' }).says('Hello')
  await sockets[0]?.until('message:new', () => sockets[0]?.events('message:new').length === 1)
  const ben = simulator.customer({ name: 'Ben', waId: '15550100077' })
  await ben.says('Hello too')
  const contactId = String(sockets[0]?.events('message:new')[0]?.payload['contact_id'])
  simulator.slow(60_000)
  const { data: cut } = await admin.post(`/api/contacts/${contactId}/messages`, {
    type: 'text',
    text: 'Cut off on its way',
  })
  await simulator.waitForCalls(1, { route: 'messages' })
  const { data: behind } = await admin.post(`/api/contacts/${contactId}/messages`, {
    type: 'text',
    text: 'Waits behind it',
  })

  const askedMs = performance.now()
  server.signal('SIGTERM')
  await Promise.all(
    sockets.map((socket) => socket.until('the close', () => socket.closed !== null)),
  )
  expect(sockets.map(({ closed }) => closed?.code)).toEqual([1012, 1012, 1012, 1012, 1012])
  expect(fetch(`${server.url}/health`)).rejects.toThrow()
  expect(await server.ended()).toBe(0)
  // one second of grace, and no more than ten with the default
  expect(performance.now() - askedMs).toBeLessThan(5_000)
  expect(server.errors).toBe('')

  const path = join(folder, 'data', 'switchboard.sqlite')
  expect(existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0).toBe(0)
  const database = new Database(path, { readonly: true })
  expect(
    database.query<Loose, []>("select count(*) as n from jobs where state = 'executing'").get(),
  ).toEqual({ n: 0 })
  const stages = readRows(
    database,
    "select id, stage from messages where direction = 'outgoing' order by id",
  )
  database.close()
  expect(stages).toEqual([
    { id: cut['id'], stage: 'ambiguous' },
    { id: behind['id'], stage: 'queued' },
  ])

  simulator.slow(0)
  await using next = await ServerProcess.start({ cwd: folder, env })
  simulator.setCallback(`${next.url}/api/webhook`, 'secret-of-the-app')
  // Order is kept for a minute: what waits behind a send that may have arrived waits on. Somebody
  // else's goes out at once.
  const { data: other } = await new Client(next.url, admin.headers).post('/api/messages', {
    phone_number: String(ben.waId),
    type: 'text',
    text: 'To somebody else',
  })
  expect(other['id']).toBeString()
  await simulator.waitForCalls(2, { route: 'messages' })
  const texts = simulator.calls
    .filter(({ route }) => route === 'messages')
    .map((call) => JSON.stringify(call))
  expect(texts.filter((text) => text.includes('Cut off on its way'))).toHaveLength(1)
  expect(texts.filter((text) => text.includes('To somebody else'))).toHaveLength(1)
  expect(await next.stop()).toBe(0)
})
