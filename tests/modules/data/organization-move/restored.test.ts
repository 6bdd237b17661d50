import { afterEach, beforeEach, expect, test } from 'bun:test'

import { systemCtx } from '../../../../src/infra/ctx'
import { transact } from '../../../../src/infra/db/transact'
import { newestMove } from '../../../../src/modules/data/organization-move/queries'
import { askAfterRestore } from '../../../../src/modules/data/organization-move/source/ask-after-restore'
import { enqueueMoveIn } from '../../../../src/modules/data/organization-move/source/change'
import { WorldPair } from '../../../support/moves'
import { changeRows, type Value } from '../../../support/sql'
import type { World } from '../../../support/world'

let pair: WorldPair

beforeEach(async () => {
  pair = await WorldPair.create()
})
afterEach(() => pair[Symbol.asyncDispose]())

const change = (world: World, statement: string, values: Value[] = []) =>
  changeRows(world.program.http.db.sqlite, statement, values)

/** Moves the organization. */
async function moveAway(): Promise<void> {
  pair.addSuperAdmins()
  await pair.start()
  await pair.reach('completed')
}

/** Gives the first server the state of a backup in which the organization works there. */
function forgetMove(): void {
  change(
    pair.from,
    `update organizations set state = 'active', deletes_at_ms = null, moved_to = null, moves = 0
     where id = ?`,
    [pair.organization],
  )
  change(pair.from, 'update accounts set moved_at_ms = null')
}

const restore = ({ freezes = true } = {}): number =>
  askAfterRestore(pair.from.program.http, { freezes })

/** Takes the first server back to the time before the move, as a restored backup does. */
async function restoreSource({ isMoveKnown = false } = {}): Promise<void> {
  await moveAway()
  const { http } = pair.from.program
  if (isMoveKnown) {
    change(
      pair.from,
      `update organization_moves set step = 'freezing', finished_at_ms = null, archive_bytes = null,
         frozen_at_ms = null, thawed_at_ms = null`,
    )
    const move = newestMove(http, pair.organization)
    transact(http.db, (tx) => enqueueMoveIn(tx, systemCtx(http, pair.organization), move))
  } else change(pair.from, 'delete from organization_moves')
  forgetMove()
  expect(restore()).toBe(2)
  pair.cut()
}

const stateOfFirst = (): unknown =>
  pair.from.rows('select state from organizations where id = ?', pair.from.tenant.id)[0]?.['state']

test('a source that was restored to the time before the move stops, and changes nothing before', async () => {
  await restoreSource()
  await pair.pass({ seconds: 60 })
  expect([...pair.states, stateOfFirst()]).toEqual(['moving', 'active', 'moving'])
  const admin = await pair.from.as('admin')
  expect((await admin.get('/api/tags')).status).toBe(200)
  expect((await admin.post('/api/tags', { name: 'VIP' })).body.code).toBe('organization_moving')
  pair.cut(false)
  await pair.pass({ seconds: 60 })
  expect([...pair.states, stateOfFirst()]).toEqual(['moved', 'active', 'active'])
  expect(pair.noticesOf(pair.from)).toEqual(['Organization stopped'])
  expect((await admin.post('/api/tags', { name: 'VIP' })).status).toBe(201)
})

test('what customers write to a restored source is where their organization is, once', async () => {
  await restoreSource()
  await pair.pass()
  const { from, to } = pair
  for (const { phoneId } of [from.other, from.tenant])
    await from.simulator.customer({ phone: phoneId }).says('While it asks')
  await pair.pass()
  pair.cut(false)
  await pair.pass({ seconds: 60 })
  await pair.pass({ seconds: 600 })
  const received = (world: World): unknown[] =>
    world
      .rows("select organization_id as of from messages where content like '%While it asks%'")
      .map(({ of }) => of)
  expect([received(from), received(to)]).toEqual([[from.tenant.id], [pair.organization]])
})

test('a restored source works after ten minutes without an answer, and stops when it comes', async () => {
  await restoreSource()
  await pair.pass()
  await pair.pass({ seconds: 601 })
  expect([...pair.states, stateOfFirst()]).toEqual(['active', 'active', 'active'])
  expect(pair.noticesOf(pair.from)).toEqual(['Servers did not answer after a restore'])
  pair.cut(false)
  await pair.pass({ seconds: 3_600 })
  expect([...pair.states, stateOfFirst()]).toEqual(['moved', 'active', 'active'])
})

test('a source that was restored to the time when the move waited does not begin it again', async () => {
  await restoreSource({ isMoveKnown: true })
  await pair.pass({ seconds: 60 })
  expect([...pair.states, pair.step]).toEqual(['moving', 'active', 'freezing'])
  pair.cut(false)
  await pair.pass({ seconds: 60 })
  expect([...pair.states, pair.step]).toEqual(['moved', 'active', 'aborted'])
  await pair.pass({ seconds: 300 })
  expect(pair.states).toEqual(['moved', 'active'])
  expect(pair.noticesOf(pair.from)).toEqual(['Organization stopped'])
})

test('a move that waited when the backup was made is aborted without letting it work', async () => {
  await restoreSource({ isMoveKnown: true })
  expect((await (await pair.from.as('super')).delete(pair.path)).status).toBe(200)
  await pair.pass({ seconds: 60 })
  expect(pair.states).toEqual(['moving', 'active'])
  pair.cut(false)
  await pair.pass({ seconds: 60 })
  expect([...pair.states, pair.step]).toEqual(['moved', 'active', 'aborted'])
  expect(pair.noticesOf(pair.from)).toEqual(['Organization stopped'])
})

test('the copy of a restored source is erased when a person is erased at the target', async () => {
  const { from, to } = pair
  await from.simulator.customer({ phone: from.other.phoneId }).says('Forget me')
  await restoreSource()
  pair.cut(false)
  await pair.pass({ seconds: 60 })
  expect(pair.states).toEqual(['moved', 'active'])
  change(
    to,
    `insert into privacy_requests
       (organization_id, id, kind, state, contact_id, parts_left, created_at_ms, completed_at_ms)
       select organization_id, ?, 'erase', 'completed', id, 0, ?, ? from contacts limit 1`,
    [to.program.http.ids.next(), to.clock.nowMs(), to.clock.nowMs()],
  )
  await pair.pass({ seconds: 300 })
  await pair.pass({ seconds: 60 })
  expect(pair.states).toEqual([null, 'active'])
})

test('an organization that went on to another server from there is where that one says', async () => {
  await restoreSource()
  change(
    pair.to,
    "update organizations set state = 'moved', moved_to = ?, deletes_at_ms = 1 where id = ?",
    ['https://c.example.com', pair.organization],
  )
  pair.cut(false)
  await pair.pass({ seconds: 60 })
  expect(
    pair.from.rows(
      'select state, moved_to as at from organizations where id = ?',
      pair.organization,
    ),
  ).toEqual([{ state: 'moved', at: 'https://c.example.com' }])
})

test('an organization stops although it came to the other server from a third one', async () => {
  await restoreSource()
  change(pair.to, "update organization_imports set from_cell = 'https://c.example.com'")
  pair.cut(false)
  await pair.pass({ seconds: 60 })
  expect(pair.states).toEqual(['moved', 'active'])
})

test('a source that was restored to the middle of the move waits for the target', async () => {
  await moveAway()
  change(
    pair.from,
    "update organization_moves set step = 'importing', finished_at_ms = null, thawed_at_ms = null",
  )
  forgetMove()
  change(pair.from, "update organizations set state = 'moving' where id = ?", [pair.organization])
  expect(restore()).toBe(2)
  const { http } = pair.from.program
  transact(http.db, (tx) =>
    enqueueMoveIn(tx, systemCtx(http, pair.organization), newestMove(http, pair.organization)),
  )
  pair.cut()
  await pair.pass({ seconds: 600 })
  await pair.pass({ seconds: 3_600 })
  await pair.pass({ seconds: 3_600 })
  expect([...pair.states, stateOfFirst()]).toEqual(['moving', 'active', 'active'])
  pair.cut(false)
  await pair.reach('completed')
  expect(pair.states).toEqual(['moved', 'active'])
})

test('a move whose archive the target did not get ends after a restore', async () => {
  await pair.start()
  change(pair.from, "update organization_moves set step = 'draining', frozen_at_ms = 1")
  change(pair.from, "update organizations set state = 'moving' where id = ?", [pair.organization])
  expect(restore()).toBe(2)
  await pair.reach('aborted')
  await pair.pass({ seconds: 60 })
  expect([...pair.states, pair.error]).toEqual([
    ...['active', null],
    expect.stringContaining('was restored'),
  ])
})

/**
 * Takes the first server back to the middle of an earlier move, which was aborted before the one that was
 * completed.
 */
async function restoreToEarlierMove(target: string): Promise<void> {
  await moveAway()
  const { http } = pair.from.program
  change(
    pair.from,
    `update organization_moves set id = ?, target = ?, step = 'importing', finished_at_ms = null, thawed_at_ms = null`,
    [http.ids.next(), target],
  )
  forgetMove()
  change(pair.from, "update organizations set state = 'moving' where id = ?", [pair.organization])
  const move = newestMove(http, pair.organization)
  transact(http.db, (tx) => enqueueMoveIn(tx, systemCtx(http, pair.organization), move))
  expect(restore()).toBe(2)
}

test('a source that was restored to an earlier move stops where a later one took its organization', async () => {
  await restoreToEarlierMove(pair.to.url)
  for (let round = 0; round < 3; round += 1) {
    await pair.pass({ seconds: 30 })
    expect(pair.states[0]).not.toBe('active')
  }
  expect(pair.states).toEqual(['moved', 'active'])
})

test('an earlier move to a third server does not let an organization work that is elsewhere', async () => {
  const third = 'https://c.example.com'
  await restoreToEarlierMove(third)
  const { http } = pair.from.program
  http.settings.cells?.peers.push(third)
  const send = http.cellClient.post.bind(http.cellClient)
  const nothing = {
    ...{ version: '', schema: '', state: 'receiving', bytes: 0, rows_done: 0, rows_total: 0 },
    ...{ counts: {}, error: null, place: 'none', moved_to: null, moves: 0 },
    erases_copy: false,
  }
  const body = Buffer.from(JSON.stringify({ data: nothing }))
  http.cellClient.post = (ctx, request) =>
    request.cell === third
      ? Promise.resolve({ kind: 'answered', status: 200, body } as never)
      : send(ctx, request)
  for (let round = 0; round < 3; round += 1) await pair.pass({ seconds: 60 })
  expect([...pair.states, pair.step]).toEqual(['moved', 'active', 'aborted'])
})

test('a second restore asks again before anything works', async () => {
  await restoreSource()
  pair.cut(false)
  await pair.pass() // the answers come, and the backup is made
  expect(stateOfFirst()).toBe('active')
  pair.cut()
  for (const { clock } of [pair.from, pair.to]) clock.advance({ hours: 1 })
  expect(restore()).toBe(1)
  await pair.pass()
  expect(stateOfFirst()).toBe('moving')
  expect(pair.noticesOf(pair.from)).toEqual(['Organization stopped'])
})

test('the operator opens what an earlier restore froze', async () => {
  await restoreSource()
  await pair.pass()
  expect(pair.states).toEqual(['moving', 'active'])
  expect(restore({ freezes: false })).toBe(0)
  await pair.pass()
  expect([...pair.states, stateOfFirst()]).toEqual(['active', 'active', 'active'])
})

test('webhooks that waited when the backup was made are processed', async () => {
  const { from } = pair
  await from.simulator.customer({ phone: from.other.phoneId }).says('Long ago')
  await from.settle()
  expect(from.rows("select 1 from messages where content like '%Long ago%'")).toHaveLength(1)
  change(from, "delete from messages where content like '%Long ago%'")
  change(
    from,
    "update inbound_events set state = 'pending', organization_id = null, account_id = null",
  )
  for (const { clock } of [from, pair.to]) clock.advance({ hours: 20 })
  restore()
  change(from, "update inbound_events set state = 'unrouted'") // its job ran without the number
  await pair.pass({ seconds: 60 })
  await pair.pass({ seconds: 60 })
  expect(from.rows("select 1 from messages where content like '%Long ago%'")).toHaveLength(1)
})

test('asks all servers at the same time', async () => {
  await restoreSource()
  const { http } = pair.from.program
  const { cells } = http.settings
  const silent = Array.from({ length: 3 }, (_, nth) => `https://c${nth}.example.com`)
  http.settings.cells = cells && { ...cells, peers: [...cells.peers, ...silent] }
  const asked = new Set<string>()
  const all = Promise.withResolvers<void>()
  http.cellClient.post = async (_, { cell }) => {
    if (asked.add(cell).size === 4) all.resolve()
    await all.promise
    return { kind: 'failed', cause: 'ETIMEDOUT' } as never
  }
  await pair.pass({ of: [pair.from] })
  expect(asked.size).toBe(4)
})
