import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { textMessage } from '../../../../src/simulator/payloads'
import type { Answer, Loose } from '../../../support/client'
import { deliver, lineOf } from '../../../support/lines'
import { WorldPair } from '../../../support/moves'
import { changeRows } from '../../../support/sql'

let pair: WorldPair

beforeEach(async () => {
  pair = await WorldPair.create()
})
afterEach(() => pair[Symbol.asyncDispose]())

const codeOf = ({ status, body }: Answer<Loose>): unknown[] => [status, body.code]

const say = (text: string) =>
  pair.from.simulator.customer({ phone: pair.from.other.phoneId }).says(text)

test('goes step by step, and works at one server at a time', async () => {
  const { from, to } = pair
  await say('Before')
  await from.settle()
  expect((await pair.start()).status).toBe(202)
  const seen: unknown[] = []
  while (pair.step !== 'completed') {
    await pair.pass()
    if (seen.at(-1) !== pair.step) seen.push(pair.step)
    const working = pair.states.filter((state) => state === 'active')
    expect(working.length).toBeLessThanOrEqual(1)
  }
  expect(pair.states).toEqual(['moved', 'active'])
  expect(to.rows('select count(*) as n from messages')).toEqual([{ n: 1 }])
  const { data } = await pair.admin.get(pair.path)
  expect(data).toMatchObject({ step: 'completed', to: to.url, error: null })
  const member = await from.anyone.post('/api/auth/login', {
    email: from.emailOf('agent', from.other),
    password: 'correct horse battery',
  })
  expect([member.status, member.body.details]).toEqual([409, { address: to.url }])
  expect(
    to.rows(
      "select action from audit_logs where resource_type = 'organization' and action = 'imported'",
    ),
  ).toHaveLength(1)
})

test('a row that the target deletes because it is old does not end the move', async () => {
  const { from, to } = pair
  const admin = await from.as('admin', from.other)
  await admin.post('/api/tags', { name: 'VIP' })
  await pair.start()
  await pair.reach('importing', { of: [from] })
  // Stands for the nightly deletion, between the last row and the comparison.
  to.program.http.db.sqlite.run(
    `create trigger pruned after update of step on organization_imports when new.step = 'scratch'
     begin delete from audit_logs where resource_type = 'tag'; end`,
  )
  await pair.reach('completed')
  expect(pair.states).toEqual(['moved', 'active'])
  expect(to.rows("select 1 from audit_logs where resource_type = 'tag'")).toEqual([])
})

describe('can be aborted', () => {
  for (const step of ['freezing', 'draining', 'exporting', 'uploading', 'importing'])
    test(`while ${step}: it works here again, and nothing is left there`, async () => {
      const { from, to } = pair
      await pair.start()
      // The steps before `importing` are stopped between two runs by hand.
      if (step === 'importing') await pair.reach(step, { of: [from] })
      else {
        changeRows(
          from.program.http.db.sqlite,
          `update organizations set state = 'moving' where id = ? and '${step}' <> 'freezing'`,
          [pair.organization],
        )
        changeRows(
          from.program.http.db.sqlite,
          `update accounts set moved_at_ms = 1 where organization_id = ? and '${step}' not in ('freezing', 'draining')`,
          [pair.organization],
        )
        changeRows(from.program.http.db.sqlite, `update organization_moves set step = '${step}'`)
      }
      await say('Meanwhile')
      expect((await pair.admin.delete(pair.path)).data['step']).toBe('aborting')
      expect(pair.states[0]).toBe('active')
      await pair.reach('aborted')
      await pair.pass({ seconds: 60 })
      expect(pair.states).toEqual(['active', null])
      expect(from.rows("select id from messages where direction = 'incoming'")).toHaveLength(1)
      const admin = await from.as('admin', from.other)
      expect((await admin.post('/api/tags', { name: 'VIP' })).status).toBe(201)
      expect(
        to.rows('select state from organization_imports where finished_at_ms is null'),
      ).toEqual([])
      expect(codeOf(await pair.admin.delete(pair.path))).toEqual([409, 'too_late'])
      // It can be moved afterwards.
      expect((await pair.start()).status).toBe(202)
      await pair.reach('completed')
      expect(pair.states).toEqual(['moved', 'active'])
    })
})

test('a webhook that the target still has to pass on survives the end of its copy', async () => {
  const { from, to } = pair
  await pair.start()
  await pair.reach('importing', { of: [from] })
  await to.settle()
  // The first try meets a server that does not take it.
  const { settings } = from.program.http
  const { cells } = settings
  settings.cells = cells && { ...cells, secret: 'another-secret-0123456789-0123456789' }
  await deliver(to, textMessage('At the door of the target', { line: lineOf(from.other) }))
  settings.cells = cells
  changeRows(
    to.program.http.db.sqlite,
    `update jobs set scheduled_at_ms = scheduled_at_ms + 60000 where kind = 'inbound.pass-on'`,
  )
  await pair.admin.delete(pair.path)
  for (let round = 0; round < 10; round += 1) await pair.pass({ seconds: 1 })
  expect(pair.states).toEqual(['active', null])
  await pair.pass({ seconds: 120 })
  await from.settle()
  expect(from.rows("select preview from messages where direction = 'incoming'")).toEqual([
    { preview: 'At the door of the target' },
  ])
})

describe('aborts by itself', () => {
  test('when the target refuses the archive, with the reason', async () => {
    const { from, to } = pair
    changeRows(from.program.http.db.sqlite, 'update users set is_super_admin = 1 where id = ?', [
      from.tenant.userIds.manager,
    ])
    await pair.start()
    await pair.reach('importing', { of: [pair.from] })
    changeRows(
      to.program.http.db.sqlite,
      `insert into organizations (id, name, slug, created_at_ms, updated_at_ms) values (?, 'Other', 'other', 0, 0)`,
      [pair.organization],
    )
    await pair.reach('aborted')
    expect(pair.states).toEqual(['active', 'active'])
    const { data } = await pair.admin.get(pair.path)
    expect(data['error']).toContain('exists here')
    expect(data['error_code']).toBe('import_failed')
    expect(
      pair.from.rows("select 1 from notifications where kind = 'organization_move_aborted'"),
    ).toHaveLength(1)
    expect(pair.from.rows("select 1 from audit_logs where action = 'move_aborted'")).toHaveLength(1)
  })

  test('when the target has no room for it, before a piece is sent', async () => {
    const { from, to } = pair
    await pair.start()
    changeRows(
      from.program.http.db.sqlite,
      `update organizations set state = 'moving' where id = ?`,
      [pair.organization],
    )
    changeRows(
      from.program.http.db.sqlite,
      `update organization_moves set step = 'uploading', archive_bytes = 1, room_bytes = 1e15, frozen_at_ms = ${from.clock.nowMs()}`,
    )
    await say('Meanwhile')
    await pair.reach('aborted')
    expect((await pair.admin.get(pair.path)).data).toMatchObject({
      error: expect.stringContaining('not enough disk space'),
      error_code: 'disk_full',
    })
    expect(pair.states).toEqual(['active', null])
    expect(from.rows("select id from messages where direction = 'incoming'")).toHaveLength(1)
    expect(to.rows('select 1 from organization_imports')).toEqual([])
    const admin = await from.as('admin', from.other)
    expect((await admin.post('/api/tags', { name: 'VIP' })).status).toBe(201)
  })

  test('when the target does not answer for minutes; it is told as soon as it can be', async () => {
    const { from, to } = pair
    await pair.start()
    await pair.reach('importing', { of: [from] })
    const cells = to.program.http.settings.cells
    to.program.http.settings.cells = cells && {
      ...cells,
      secret: 'another-secret-0123456789-0123456789',
    }
    await pair.reach('aborting', { of: [from] })
    expect(pair.states[0]).toBe('active')
    await pair.pass({ seconds: 600 })
    expect([pair.step, pair.states[1]]).toEqual(['aborting', 'importing'])
    to.program.http.settings.cells = cells
    await pair.reach('aborted')
    await pair.pass({ seconds: 60 })
    expect(pair.states).toEqual(['active', null])
  })

  test('when what is under way does not end within a minute', async () => {
    const { from } = pair
    const admin = await from.as('admin', from.other)
    await pair.start()
    changeRows(
      from.program.http.db.sqlite,
      `insert into inbound_bodies (id, received_at_ms, digest, signed_by, size_bytes, body) values (99, 0, x'00', 'app', 0, x'00')`,
    )
    changeRows(
      from.program.http.db.sqlite,
      `insert into inbound_events (id, body_id, entry_index, change_index, received_at_ms, phone_number_id, state) values ('00000000-0000-7000-8000-000000000099', 99, 0, 0, ${from.clock.nowMs()}, ?, 'processing')`,
      [from.other.phoneId],
    )
    await pair.pass()
    expect([pair.step, pair.states[0]]).toEqual(['draining', 'moving'])
    expect(codeOf(await admin.post('/api/tags', { name: 'VIP' }))).toEqual([
      503,
      'organization_moving',
    ])
    await pair.pass({ seconds: 61 })
    expect(pair.states).toEqual(['active', null])
  })
})

describe('is refused', () => {
  test('for a wrong address', async () => {
    const { from, admin, path } = pair
    const to = (address: unknown) => admin.post<Loose>(path, { to: address })
    expect(codeOf(await to(from.url))).toEqual([409, 'same_cell'])
    expect(codeOf(await to('https://c.example.com'))).toEqual([400, 'invalid_input'])
    expect(codeOf(await to(7))).toEqual([400, 'invalid_input'])
    joinTo('http://127.0.0.1:9')
    expect(codeOf(await to('http://127.0.0.1:9'))).toEqual([503, 'unavailable'])
    from.program.http.settings.cells = null
    expect(codeOf(await to(pair.to.url))).toEqual([400, 'invalid_input'])
    expect(from.rows('select 1 from organization_moves')).toEqual([])
  })

  const joinTo = (address: string): void => {
    const { settings } = pair.from.program.http
    if (settings.cells) settings.cells = { ...settings.cells, peers: [address] }
  }

  test('for an organization that does not exist, is there already, or is busy', async () => {
    const { from, to, admin, path } = pair
    const nobody = '01a21d55-5dc1-741d-a708-000000000000'
    expect(
      (await admin.post(`/api/admin/organizations/${nobody}/move`, { to: to.url })).status,
    ).toBe(404)
    const first = `/api/admin/organizations/${from.tenant.id}/move`
    changeRows(
      to.program.http.db.sqlite,
      `insert into organizations (id, name, slug, created_at_ms, updated_at_ms) values (?, 'Other', 'other', 0, 0)`,
      [from.tenant.id],
    )
    expect(codeOf(await admin.post(first, { to: to.url }))).toEqual([409, 'organization_exists'])
    const there = await from.as('super')
    await there.post(`/api/organizations/${pair.organization}/archive`, {})
    expect(codeOf(await pair.start())).toEqual([409, 'organization_busy'])
    await from.settle()
    expect((await pair.start()).status).toBe(202)
    expect(codeOf(await pair.start())).toEqual([409, 'move_running'])
    await pair.reach('completed')
    const moved = await pair.start()
    expect([...codeOf(moved), moved.body.details]).toEqual([409, 'moved', { address: to.url }])
    expect((await admin.get(path)).data['step']).toBe('completed')
  })

  test('by an older version, and by a server with another secret', async () => {
    const { to } = pair
    const { http } = to.program
    const { version } = http
    Object.assign(http, { version: '0.0.9' })
    expect(codeOf(await pair.start())).toEqual([409, 'target_older'])
    Object.assign(http, { version })
    http.settings.cells = http.settings.cells && { ...http.settings.cells, secret: 'x'.repeat(40) }
    expect(codeOf(await pair.start())).toEqual([409, 'cell_refused'])
  })
})

test('says which status a proxy answered for a server that is down', async () => {
  const { cellClient } = pair.from.program.http
  cellClient.post = () =>
    Promise.resolve({ kind: 'answered', status: 503, body: Buffer.from('<html>') } as never)
  const { status, body } = await pair.start()
  expect([status, body.message]).toEqual([503, `${pair.to.url} answered 503. Nothing was changed.`])
})
