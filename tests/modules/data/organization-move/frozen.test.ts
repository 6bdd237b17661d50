import { afterEach, beforeEach, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { WorldPair } from '../../../support/moves'
import { changeRows } from '../../../support/sql'

let pair: WorldPair

beforeEach(async () => {
  pair = await WorldPair.create()
})
afterEach(() => pair[Symbol.asyncDispose]())

interface Move {
  organizationId: string
  step: string
  frozenS: number | null
}

/** The moves, by step. */
const moves = (): Move[] =>
  pair.from.rows<Move>(
    `select organization_id as organizationId, step, (coalesce(thawed_at_ms, ${pair.from.clock.nowMs()}) - frozen_at_ms) / 1000 as frozenS
     from organization_moves order by step`,
  )

/** The states of the organizations, in alphabetical order. */
const states = (): unknown[] =>
  pair.from.rows('select state from organizations order by state').map(({ state }) => state)

test('the second of two moves waits unfrozen until the target is free', async () => {
  const { from, to } = pair
  const first = `/api/admin/organizations/${from.tenant.id}/move`
  expect((await pair.admin.post<Loose>(first, { to: to.url })).status).toBe(202)
  expect((await pair.start()).status).toBe(202)
  // The target does not get to its work: the import of the first one is long.
  for (let round = 0; round < 20; round += 1) await pair.pass({ of: [from], seconds: 5 })
  const [waiting, running] = moves()
  expect([waiting?.step, running?.step]).toEqual(['freezing', 'importing'])
  expect(states()).toEqual(['active', 'moving'])
  const path = `/api/admin/organizations/${waiting?.organizationId}/move` // either may be first
  expect((await pair.admin.get<Loose>(path)).data).toMatchObject({ error_code: 'import_running' })
  const file = { path: 'x.zip' }
  const other = await (await to.as('super')).post('/api/admin/organizations/import', file)
  expect(other.status).toBeGreaterThanOrEqual(400)
  for (let round = 0; round < 12; round += 1) await pair.pass()
  expect(moves().map(({ step }) => step)).toEqual(['completed', 'completed'])
  const second = moves().find((move) => move.organizationId === waiting?.organizationId)
  expect(second?.frozenS).toBeLessThan(30)
})

test('the archive of another organization that begins meanwhile waits for the move', async () => {
  const { from } = pair
  const { sqlite } = from.program.http.db
  const admin = await from.as('admin')
  const archives = (): unknown[] => from.rows('select status from organization_archives')
  const row = '00000000-0000-7000-8000-000000000099'
  changeRows(
    sqlite,
    `insert into inbound_bodies (id, received_at_ms, digest, signed_by, size_bytes, body) values (99, 0, x'00', 'app', 0, x'00')`,
  )
  changeRows(
    sqlite,
    `insert into inbound_events (id, body_id, entry_index, change_index, received_at_ms, phone_number_id, state) values (?, 99, 0, 0, ${from.clock.nowMs()}, ?, 'processing')`,
    [row, from.other.phoneId],
  )
  await pair.start()
  await pair.pass()
  expect(pair.step).toBe('draining')
  await admin.post(`/api/organizations/${from.tenant.id}/archive`, {})
  await pair.pass()
  expect(archives()).toEqual([{ status: 'queued' }])
  changeRows(sqlite, 'delete from inbound_events where id = ?', [row])
  await pair.reach('completed')
  await pair.pass({ seconds: 60 })
  expect(archives()).toEqual([{ status: 'completed' }])
})

test('a move that freezes its organization for too long is aborted', async () => {
  const { from } = pair
  expect((await pair.start()).status).toBe(202)
  await pair.reach('importing', { of: [from] })
  for (let round = 0; round < 6; round += 1) await pair.pass({ of: [from], seconds: 500 })
  expect(states()).toEqual(['active', 'moving'])
  for (let round = 0; round < 3; round += 1) await pair.pass({ of: [from], seconds: 500 })
  expect(states()).toEqual(['active', 'active'])
  expect(pair.error).toContain('frozen for 60 minutes')
  await pair.reach('aborted')
  await pair.pass({ seconds: 60 })
  expect(pair.states).toEqual(['active', null])
})
