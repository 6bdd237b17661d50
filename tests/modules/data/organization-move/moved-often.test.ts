import { afterEach, beforeEach, expect, test } from 'bun:test'

import { transact } from '../../../../src/infra/db/transact'
import { startErasureIn } from '../../../../src/modules/data/organization-deletion/start'
import { abortNamedMove, eraseNamedCopy } from '../../../../src/modules/data/organization-move/cli'
import { askAfterRestore } from '../../../../src/modules/data/organization-move/source/ask-after-restore'
import { startMove, WorldPair } from '../../../support/moves'
import { changeRows, type Value } from '../../../support/sql'
import type { World } from '../../../support/world'

let pair: WorldPair

beforeEach(async () => {
  pair = await WorldPair.create()
})
afterEach(() => pair[Symbol.asyncDispose]())

const change = (world: World, statement: string, values: Value[] = []) =>
  changeRows(world.program.http.db.sqlite, statement, values)

async function moveThere(): Promise<void> {
  await pair.start()
  await pair.reach('completed')
}

/** Moves the organization back to the first server. */
async function moveBack(): Promise<void> {
  await eraseNamedCopy(pair.from.program.http, pair.organization, { isForced: false })
  await pair.pass()
  expect(pair.states).toEqual([null, 'active'])
  const back = await startMove(await pair.to.as('super'), pair.organization, {
    url: pair.from.url,
  } as never)
  expect(back.status).toBe(202)
  for (let round = 0; round < 20 && pair.states[1] !== 'moved'; round += 1) await pair.pass()
}

/** Gives a server the state of a backup in which the organization works there after so many moves. */
function restore(world: World, moves: number): void {
  change(world, 'delete from organization_moves')
  change(
    world,
    `update organizations set state = 'active', deletes_at_ms = null, moved_to = null, moves = ?
     where id = ?`,
    [moves, pair.organization],
  )
  change(world, 'update accounts set moved_at_ms = null')
  askAfterRestore(world.program.http, { freezes: true })
}

test('a server whose clock is ahead stops after a restore, because its organization moved back', async () => {
  pair.to.clock.advance({ minutes: 4 })
  await moveThere()
  await moveBack()
  expect(pair.states).toEqual(['active', 'moved'])
  restore(pair.to, 1)
  await pair.pass({ seconds: 60 })
  expect(pair.states).toEqual(['active', 'moved'])
})

const THIRD = 'https://c.example.com'

/** Lets a third server answer where the organization is. */
function addThird(
  answer: { place: string; moved_to: string | null; moves: number },
  isSilent = () => false,
): void {
  const { http } = pair.from.program
  http.settings.cells?.peers.unshift(THIRD)
  const send = http.cellClient.post.bind(http.cellClient)
  const data = {
    ...{ version: '', schema: '', state: 'receiving', bytes: 0, rows_done: 0, rows_total: 0 },
    ...{ counts: {}, error: null, erases_copy: false, ...answer },
  }
  const body = Buffer.from(JSON.stringify({ data }))
  http.cellClient.post = (ctx, request) =>
    request.cell === THIRD && !isSilent()
      ? Promise.resolve({ kind: 'answered', status: 200, body } as never)
      : send(ctx, request)
}

/** The second server is the first stop of an organization that went on to the third one. */
const goOnToThird = () =>
  change(
    pair.to,
    "update organizations set state = 'moved', moved_to = ?, moves = 2, deletes_at_ms = 1e15 where id = ?",
    [THIRD, pair.organization],
  )

test('an organization that came back over two other servers works after a restore', async () => {
  await moveThere()
  goOnToThird()
  addThird({ place: 'returned', moved_to: pair.from.url, moves: 3 })
  restore(pair.from, 0)
  await pair.pass({ seconds: 60 })
  expect(pair.states).toEqual(['active', 'moved'])
})

test('an organization that came back works as soon as the last server says so', async () => {
  await moveThere()
  goOnToThird()
  let isSilent = true
  addThird({ place: 'returned', moved_to: pair.from.url, moves: 3 }, () => isSilent)
  restore(pair.from, 0)
  await pair.pass({ seconds: 60 })
  expect(pair.states).toEqual(['moved', 'moved'])
  isSilent = false
  await pair.pass({ seconds: 300 })
  expect(pair.states).toEqual(['active', 'moved'])
})

test('a test copy that a third server imported from a file stops nothing after a restore', async () => {
  await moveThere()
  await moveBack()
  addThird({ place: 'here', moved_to: null, moves: 2 })
  restore(pair.from, 0)
  await pair.pass({ seconds: 60 })
  expect(pair.states).toEqual(['active', 'moved'])
})

test('an organization stops where its last move took it', async () => {
  await moveThere()
  goOnToThird()
  addThird({ place: 'here', moved_to: 'https://d.example.com', moves: 3 })
  restore(pair.from, 0)
  await pair.pass({ seconds: 60 })
  expect(
    pair.from.rows(
      'select state, moved_to as at, moves from organizations where id = ?',
      pair.organization,
    ),
  ).toEqual([{ state: 'moved', at: 'https://d.example.com', moves: 3 }])
})

test('a target that was stated to be lost stops when it is restored to the time after it took over', async () => {
  await pair.start()
  await pair.reach('importing', { of: [pair.from] })
  await pair.to.settle()
  change(pair.from, "update organization_moves set step = 'activating'")
  await pair.pass({ of: [pair.from] }) // orders
  await pair.to.settle()
  expect(pair.states).toEqual(['moving', 'active'])
  pair.cut()
  await abortNamedMove(pair.from.program.http, pair.organization, { isForced: true })
  restore(pair.to, 1)
  pair.cut(false)
  await pair.pass({ seconds: 60, of: [pair.to] })
  expect(pair.states).toEqual(['active', 'moved'])
})

test('a copy that is newer than the restored organization is kept until the operator chooses', async () => {
  pair.addSuperAdmins()
  await moveThere()
  // The target had it before, too, and was restored to that time.
  change(pair.to, 'delete from organization_imports')
  change(pair.to, 'update organizations set moves = 0 where id = ?', [pair.organization])
  for (const { clock } of [pair.from, pair.to]) clock.advance({ hours: 31 * 24 })
  await pair.pass({ seconds: 300 })
  expect(pair.states).toEqual(['moved', 'active'])
  expect(pair.noticesOf(pair.from)).toEqual(['Organization works with an older state'])
  expect(
    eraseNamedCopy(pair.from.program.http, pair.organization, { isForced: false }),
  ).rejects.toThrow('may be the only copy')
  const { http } = pair.to.program
  transact(http.db, (tx) => startErasureIn(tx, http, pair.organization))
  await pair.pass({ seconds: 60 })
  await abortNamedMove(pair.from.program.http, pair.organization, { isForced: true })
  expect(pair.states).toEqual(['active', null])
})
