import { afterEach, beforeEach, expect, test } from 'bun:test'

import { abortNamedMove, takeOverNamed } from '../../../src/modules/organization-move/cli'
import { WorldPair } from '../../support/moves'
import { changeRows } from '../../support/sql'
import type { World } from '../../support/world'

let pair: WorldPair

beforeEach(async () => {
  pair = await WorldPair.create()
})
afterEach(() => pair[Symbol.asyncDispose]())

/** Cuts the connection between the servers, or mends it. */
function cut(isCut = true): void {
  for (const world of [pair.from, pair.to]) {
    const { settings } = world.program.http
    const peers = [world === pair.from ? pair.to.url : pair.from.url]
    settings.cells = settings.cells && {
      ...settings.cells,
      secret: isCut
        ? `${world.url}-another-secret-0123456789`
        : 'secret-between-the-cells-0123456789',
      peers,
    }
  }
}

const force = () => abortNamedMove(pair.from.program.http, pair.organization, { isForced: true })

/** Takes the move to the last step, with the copy complete there and nothing ordered. */
async function reachLastStep(): Promise<void> {
  await pair.start()
  await pair.reach('importing', { of: [pair.from] })
  await pair.to.settle()
  changeRows(pair.from.program.http.db.sqlite, "update organization_moves set step = 'activating'")
}

const noticesOf = (world: World): unknown[] =>
  world
    .rows("select title from notifications where severity = 'critical'")
    .map(({ title }) => title)

test('an organization whose target is lost works again when the operator says so', async () => {
  await reachLastStep()
  cut()
  await pair.pass({ seconds: 3_600 })
  expect([pair.step, ...pair.states]).toEqual(['activating', 'moving', 'importing'])
  expect((await (await pair.from.as('super')).delete(pair.path)).body.code).toBe('too_late')
  expect(await force()).toMatchObject({ step: 'aborting', error: expect.stringContaining('lost') })
  expect(pair.states).toEqual(['active', 'importing'])
  expect(
    pair.from.rows("select changes from audit_logs where action = 'move_forced'"),
  ).toHaveLength(1)
  const admin = await pair.from.as('admin', pair.from.other)
  expect((await admin.post('/api/tags', { name: 'VIP' })).status).toBe(201)
  cut(false) // the target comes back
  await pair.reach('aborted')
  await pair.pass({ seconds: 60 })
  expect(pair.states).toEqual(['active', null])
  expect(noticesOf(pair.from)).toEqual([])
})

test('an order that the target did not follow at once is not followed later', async () => {
  await reachLastStep()
  await pair.pass({ of: [pair.from] }) // orders
  expect(pair.to.rows('select state from organization_imports')).toEqual([{ state: 'running' }])
  cut()
  await force()
  pair.to.clock.advance({ minutes: 2 })
  await pair.to.settle()
  expect(pair.states).toEqual(['active', 'importing'])
  expect(pair.to.rows('select state from organization_imports')).toEqual([{ state: 'waiting' }])
})

test('an old order is given again while the move goes on', async () => {
  await reachLastStep()
  await pair.pass({ of: [pair.from] })
  pair.to.clock.advance({ minutes: 2 })
  pair.from.clock.advance({ minutes: 2 })
  await pair.to.settle()
  await pair.reach('completed')
  expect(pair.states).toEqual(['moved', 'active'])
})

test('a target that had taken over before it was lost stops when it comes back', async () => {
  for (const { program, tenant } of [pair.from, pair.to])
    changeRows(program.http.db.sqlite, 'update users set is_super_admin = 1 where id = ?', [
      tenant.userIds.manager,
    ])
  await reachLastStep()
  await pair.pass({ of: [pair.from] })
  await pair.to.settle()
  expect(pair.states).toEqual(['moving', 'active'])
  cut()
  await force()
  cut(false)
  await pair.reach('aborted')
  expect(pair.states).toEqual(['active', 'moved'])
  for (const world of [pair.from, pair.to]) expect(noticesOf(world)).toHaveLength(1)
  const { body } = await pair.to.anyone.post('/api/auth/login', {
    email: pair.from.emailOf('agent', pair.from.other),
    password: 'correct horse battery',
  })
  expect(body).toMatchObject({ code: 'moved', details: { address: pair.from.url } })
})

test('a target that answers is believed, not the operator', async () => {
  await reachLastStep()
  await pair.pass({ of: [pair.from] })
  await pair.to.settle()
  expect(force()).rejects.toThrow('works there')
  await pair.reach('completed')
  expect(pair.states).toEqual(['moved', 'active'])
})

test('a target that waits discards its copy, and nothing has to be stated', async () => {
  await reachLastStep()
  expect(await force()).toMatchObject({ step: 'aborting', forced_at: null })
  await pair.reach('aborted')
  await pair.pass({ seconds: 60 })
  expect(pair.states).toEqual(['active', null])
})

test('the target takes over when the operator says that the other server is lost', async () => {
  await reachLastStep()
  const take = () => takeOverNamed(pair.to.program.http, pair.organization)
  expect(take()).rejects.toThrow('answers')
  const cells = pair.to.program.http.settings.cells
  pair.to.program.http.settings.cells = cells && { ...cells, peers: ['http://127.0.0.1:9'] }
  expect(await take()).toBe(pair.from.url)
  await pair.to.settle()
  expect(pair.states).toEqual(['moving', 'active'])
  expect(pair.to.rows("select 1 from audit_logs where action = 'move_forced'")).toHaveLength(1)
  pair.to.program.http.settings.cells = cells // it comes back all the same
  await pair.reach('completed')
  expect(pair.states).toEqual(['moved', 'active'])
})
