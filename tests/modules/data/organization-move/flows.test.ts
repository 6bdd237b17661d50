import { afterEach, beforeEach, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { ASKING, RULES } from '../../../support/flows'
import { WorldPair } from '../../../support/moves'
import { changeRows } from '../../../support/sql'
import type { World } from '../../../support/world'

let pair: WorldPair
let manager: Client
let metaId: string
let flowId: string
let contactId: string

const addressAt = ({ url }: { url: string }): string =>
  `${url}/api/flows/endpoint/${pair.from.other.accountId}`

/** Sends the Flow to the customer and returns its token. */
async function send(world: World, client: Client): Promise<string> {
  const { data } = await client.post(`/api/contacts/${contactId}/messages`, {
    type: 'interactive',
    interactive: { type: 'flow', body: 'Fill', button_text: 'Open', flow_id: flowId },
  })
  await world.settle()
  return String((data['content'] as Loose)['flow_token'])
}

/** Asks the endpoint of a server as the platform does. */
const ask = (world: World, token: string, action = 'INIT') =>
  pair.from.simulator.askEndpoint(
    { version: '3.0', action, flow_token: token },
    { url: addressAt(world), phone: pair.from.other.phoneId },
  )

const exchangesOf = (world: World): number => world.rows('select 1 from flow_exchanges').length

beforeEach(async () => {
  pair = await WorldPair.create()
  const { from, to } = pair
  to.adopt(from.other)
  contactId = String((await from.contactOf(from.other))['id'])
  manager = await from.as('manager', from.other)
  await manager.post(`/api/accounts/${from.other.accountId}/flow-key`)
  const { data: made } = await manager.post('/api/flows', {
    account_id: from.other.accountId,
    name: 'Appointment',
    categories: ['OTHER'],
    json_definition: ASKING,
    endpoint_mode: 'rules',
    endpoint_config: RULES,
  })
  flowId = String(made['id'])
  const { data: saved } = await manager.post(`/api/flows/${flowId}/save-to-meta`)
  metaId = String(saved['meta_flow_id'])
  const there = from.simulator.flow(metaId)
  if (there) there.endpointUri = addressAt(from)
  expect((await manager.post(`/api/flows/${flowId}/publish`)).status).toBe(200)
})
afterEach(() => pair[Symbol.asyncDispose]())

test('a form goes on where its organization moved to, at either address', async () => {
  const { from, to } = pair
  const token = await send(from, manager)
  expect((await ask(from, token)).status).toBe(200)
  await pair.start()
  await pair.reach('importing', { of: [from] })
  const before = exchangesOf(from)
  expect((await ask(from, token)).status).toBe(503)
  expect((await ask(from, token, 'ping')).status).toBe(200)
  expect(exchangesOf(from)).toBe(before)
  await to.settle()
  expect((await ask(to, token)).status).toBe(503)
  await pair.reach('completed')
  await pair.pass({ seconds: 10 })
  expect(await ask(from, token)).toMatchObject({ status: 200, answer: { screen: 'DETAILS' } })
  expect((await ask(to, token)).status).toBe(200)
  expect([exchangesOf(from), exchangesOf(to)]).toEqual([before, before + 2])
  const client = await to.signIn(from.emailOf('manager', from.other))
  expect((await ask(from, await send(to, client))).status).toBe(200)
  const set = to.simulator.callsOf({}).find(({ path }) => path.endsWith(metaId))
  expect(set?.body).toMatchObject({ endpoint_uri: addressAt(to) })
  // The platform of the test knows the flow at the first server only.
  expect(
    to.rows("select 1 from notifications where title like 'Forms take a detour%'").length,
  ).toBeGreaterThan(0)
  // The copy is gone, and the address is still asked.
  await pair.pass({ seconds: 31 * 24 * 3_600 })
  await pair.pass({ seconds: 300 })
  expect(pair.states).toEqual([null, 'active'])
  expect((await ask(from, 'unknown')).status).toBe(427)
})

test('a published form gets the address of the server back when the move is aborted', async () => {
  const { from } = pair
  const there = from.simulator.flow(metaId)
  if (there) there.endpointUri = 'https://elsewhere.example.com'
  await pair.start()
  await pair.reach('importing', { of: [from] })
  await pair.admin.delete(pair.path)
  await pair.pass({ seconds: 10 })
  expect(from.simulator.flow(metaId)?.endpointUri).toBe(addressAt(from))
})

test('a request that nobody signed is not passed on', async () => {
  const { from } = pair
  await pair.start()
  await pair.reach('completed')
  const reply = await from.simulator.askEndpoint(
    { version: '3.0', action: 'ping' },
    { url: addressAt(from), phone: from.other.phoneId, secret: 'another-secret' },
  )
  expect(reply.status).toBe(432)
  const direct = await fetch(`${pair.to.url}/api/cells/flow-exchanges`, {
    method: 'POST',
    body: '{}',
  })
  expect(direct.status).toBe(401)
})

test('a form of the largest size goes along', async () => {
  const { from, to } = pair
  // Each of its quotes is a backslash and a quote in its JSON, and four characters in an archive.
  const largest = JSON.stringify({ version: '7.0', text: '"'.repeat(5 * 1_024 * 1_024 - 30) })
  changeRows(from.program.http.db.sqlite, 'update flows set definition = ?', [largest])
  await pair.start()
  await pair.reach('completed')
  expect(to.rows('select length(definition) as length from flows')).toEqual([
    { length: largest.length },
  ])
})
