import { expect, test } from 'bun:test'

import { signedRequest } from '../../../../src/infra/cells/signature'
import { DELIVERIES_PATH } from '../../../../src/modules/channel/inbound/cells/facts'
import { platformJson } from '../../../../src/simulator/signing'
import { combine } from '../../../../src/simulator/payloads'
import type { Answer, Loose } from '../../../support/client'
import { deliver, lineOf, STRANGE_LINE, textTo } from '../../../support/lines'
import { changeRows } from '../../../support/sql'
import { APP_SECRET, World } from '../../../support/world'

const SECRET = 'secret-between-the-cells-0123456789'
const PEER = 'http://127.0.0.1:9'
const OWN = 'http://localhost:8080'

const cellWorld = (options: { isConnected?: boolean } = {}): Promise<World> =>
  World.create({ ...options, env: { CELLS: `${OWN},${PEER}`, CELL_SECRET: SECRET } })

const FACTS = { cell: PEER, hops: 1, signed_by: 'app', unknown: ['0 0'], shared: [] as string[] }

/** Posts a delivery as another cell does. */
function passOn(
  world: World,
  body: unknown,
  about: {
    facts?: object
    secret?: string
    atMs?: number
    changes?: (sent: string) => string
  } = {},
): Promise<Answer<Loose>> {
  const text = platformJson(body)
  const request = {
    path: DELIVERIES_PATH,
    facts: JSON.stringify({ ...FACTS, ...about.facts }),
    body: Buffer.from(text),
  }
  const { headers, bytes } = signedRequest(
    about.secret ?? SECRET,
    request,
    about.atMs ?? world.clock.nowMs(),
  )
  const sent = about.changes?.(bytes.toString()) ?? bytes.toString()
  return world.anyone.with(headers).post(DELIVERIES_PATH, sent)
}

const events = async (world: World, query = ''): Promise<Loose[]> =>
  (await (await world.as('super')).get(`/api/inbound/events${query}`)).data['items'] as Loose[]

test('refuses deliveries with another secret, an old timestamp, or a second hop, and stores nothing', async () => {
  await using world = await cellWorld()
  const text = textTo(world, 'Hello')
  const codeOf = async (answer: Promise<Answer<Loose>>): Promise<unknown[]> => {
    const { status, body } = await answer
    return [status, body.code]
  }
  expect(await codeOf(world.anyone.post(DELIVERIES_PATH, text))).toEqual([401, 'signature_missing'])
  expect(await codeOf(passOn(world, text, { secret: `${SECRET}!` }))).toEqual([
    401,
    'signature_mismatch',
  ])
  const changed = { changes: (sent: string) => sent.replace('"hops":1', '"hops":0') }
  expect(await codeOf(passOn(world, text, changed))).toEqual([401, 'signature_mismatch'])
  for (const minutes of [-6, 6])
    expect(
      await codeOf(passOn(world, text, { atMs: world.clock.nowMs() + minutes * 60_000 })),
    ).toEqual([401, 'signature_expired'])
  expect(await codeOf(passOn(world, text, { facts: { hops: 2 } }))).toEqual([
    400,
    'already_passed_on',
  ])
  expect(await codeOf(passOn(world, text, { facts: { cell: OWN } }))).toEqual([
    400,
    'already_passed_on',
  ])
  for (const facts of [{ hops: 'x' }, { signed_by: 'everybody' }, { unknown: ['0'] }])
    expect(await codeOf(passOn(world, text, { facts }))).toEqual([400, 'invalid_input'])
  await world.settle()
  expect(await events(world)).toEqual([])
})

test('facts about thousands of changes are no headers, which a proxy would refuse', async () => {
  await using world = await cellWorld()
  const unknown = Array.from({ length: 6_000 }, (_, nth) => `0 ${nth}`)
  const { status, data } = await passOn(world, textTo(world, 'Hello'), { facts: { unknown } })
  expect([status, data]).toEqual([200, { known: true, changes: ['0 0'] }])
  await world.settle()
  expect(world.rows('select 1 from messages')).toHaveLength(1)
  const facts = JSON.stringify({ ...FACTS, unknown })
  const request = { path: DELIVERIES_PATH, facts, body: Buffer.from('{}') }
  expect(JSON.stringify(signedRequest(SECRET, request, 0).headers).length).toBeLessThan(500)
})

test('a server without other cells takes no deliveries from them and passes nothing on', async () => {
  await using world = await World.create()
  expect((await passOn(world, textTo(world, 'Hello'))).status).toBe(401)
  await deliver(world, textTo(world, 'Is anybody there?', { line: STRANGE_LINE }))
  expect(world.rows("select id from jobs where kind = 'inbound.pass-on'")).toEqual([])
})

test('takes the changes of its numbers once and says that it knows them', async () => {
  await using world = await cellWorld()
  const body = combine(textTo(world, 'Theirs', { line: STRANGE_LINE }), textTo(world, 'Ours'))
  const facts = { unknown: ['1 0'] }
  for (let round = 0; round < 2; round += 1)
    expect((await passOn(world, body, { facts })).data).toEqual({ known: true, changes: ['1 0'] })
  await world.settle()
  expect(await events(world)).toMatchObject([
    { phone_number_id: lineOf(world.tenant).phoneNumberId, state: 'done' },
  ])
  expect(world.rows('select cell, signed_by from inbound_bodies')).toEqual([
    { cell: PEER, signed_by: 'app' },
  ])
  expect(world.rows("select id from jobs where kind = 'inbound.pass-on'")).toEqual([])
})

test('a delivery signed by an account is applied only to accounts of the same secret', async () => {
  await using world = await cellWorld()
  const facts = { signed_by: String(world.other.accountId) }
  expect((await passOn(world, textTo(world, 'Hello'), { facts })).status).toBe(200)
  await world.settle()
  expect(await events(world)).toMatchObject([{ state: 'ignored', reason: 'not_signed_for' }])
})

test('keeps the changes of unknown numbers until the number is connected', async () => {
  await using world = await cellWorld({ isConnected: false })
  const body = textTo(world, 'Early', { line: lineOf(world.tenant) })
  expect((await passOn(world, body)).data).toEqual({ known: false, changes: [] })
  // What the sender has an account for is not kept here.
  const shared = { unknown: [], shared: ['0 0'] }
  const theirs = textTo(world, 'Theirs', { line: STRANGE_LINE })
  expect((await passOn(world, theirs, { facts: shared })).data['known']).toBe(false)
  await world.settle()
  // Nothing is missing here: the server where it came in counts it, or another one has taken it.
  const unrouted = [{ state: 'unrouted', reason: 'received_elsewhere' }]
  expect(await events(world)).toMatchObject(unrouted)
  const { data } = await (await world.as('super')).get('/api/inbound/stats')
  expect(data).toMatchObject({ received: 1, unrouted: 0 })
  await world.connect(world.tenant)
  await world.settle()
  expect(await events(world)).toMatchObject([{ state: 'done', reason: null }])
})

test('a delivery that reaches no cell is tried twenty times, then reported, and stays unrouted', async () => {
  await using world = await cellWorld()
  changeRows(world.program.http.db.sqlite, 'update users set is_super_admin = 1 where id = ?', [
    world.tenant.userIds.manager,
  ])
  await deliver(world, textTo(world, 'Is anybody there?', { line: STRANGE_LINE }))
  for (let attempt = 1; attempt < 20; attempt += 1) {
    world.clock.advance({ hours: 6 })
    await world.settle()
  }
  expect(world.rows("select state, attempt from jobs where kind = 'inbound.pass-on'")).toEqual([
    { state: 'discarded', attempt: 20 },
  ])
  expect(world.rows("select severity from notifications where kind = 'cell_unreachable'")).toEqual([
    { severity: 'critical' },
  ])
  expect(await events(world)).toMatchObject([{ state: 'unrouted', reason: null }])
})

test('signs the webhook of the platform with the app secret as before', async () => {
  await using world = await cellWorld()
  const { status } = await world.simulator.post(textTo(world, 'Hello'), { secret: APP_SECRET })
  expect(status).toBe(200)
  await world.settle()
  expect(await events(world)).toMatchObject([{ state: 'done' }])
})
