import { rm } from 'node:fs/promises'

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { systemCtx } from '../../../src/infra/ctx'
import { transact } from '../../../src/infra/db/transact'
import { startErasureIn } from '../../../src/modules/organization-deletion/start'
import {
  abortNamedMove,
  eraseNamedCopy,
  takeOverNamed,
} from '../../../src/modules/organization-move/cli'
import { newestMove } from '../../../src/modules/organization-move/queries'
import { askAfterRestore } from '../../../src/modules/organization-move/source/ask-after-restore'
import { enqueueMoveIn } from '../../../src/modules/organization-move/source/change'
import type { Loose } from '../../support/client'
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

describe('after the handover', () => {
  /** Moves the organization, with a message that is sent there. */
  async function moveAway(): Promise<void> {
    await pair.from.simulator.customer({ phone: pair.from.other.phoneId }).says('Hi')
    await pair.from.settle()
    for (const { program, tenant } of [pair.from, pair.to])
      changeRows(program.http.db.sqlite, 'update users set is_super_admin = 1 where id = ?', [
        tenant.userIds.manager,
      ])
    await pair.start()
    await pair.reach('completed')
  }

  /** Takes the move to where the source has handed over and the target has lost the last step. */
  async function loseLastStep(): Promise<void> {
    await reachLastStep()
    const { sqlite } = pair.from.program.http.db
    changeRows(
      sqlite,
      "update jobs set state = 'cancelled', finished_at_ms = 1, lease_until_ms = null where kind = 'organization.move'",
    )
    changeRows(sqlite, "update organization_moves set step = 'completed', finished_at_ms = 1")
    changeRows(
      sqlite,
      "update organizations set state = 'moved', moved_to = ?, deletes_at_ms = ? where id = ?",
      [pair.to.url, pair.from.clock.nowMs() + 30 * 24 * 3_600_000, pair.organization],
    )
    expect(pair.states).toEqual(['moved', 'importing'])
  }

  /** Lets the target forget the organization, as after a restore of an older backup. */
  async function forget(): Promise<void> {
    const { program, other } = { program: pair.to.program, other: pair.organization }
    changeRows(program.http.db.sqlite, 'delete from organization_imports')
    transact(program.http.db, (tx) => startErasureIn(tx, program.http, other))
    await pair.to.settle()
  }

  const DAYS_31 = 31 * 24 * 3_600

  test('a target that lost its last step takes it again', async () => {
    await loseLastStep()
    const [lost] = pair.to.rows('select archive_path as path from organization_imports')
    await rm(String(lost?.['path'])) // it was on the machine that failed
    await pair.pass({ seconds: 300 })
    await pair.pass()
    expect(pair.states).toEqual(['moved', 'active'])
    expect(noticesOf(pair.from)).toEqual([])
    await pair.pass({ seconds: DAYS_31 })
    await pair.pass({ seconds: 300 })
    expect(pair.states).toEqual([null, 'active'])
  })

  test('the copy is kept while the target has not got the organization, and works again', async () => {
    await moveAway()
    await forget()
    await pair.pass({ seconds: DAYS_31 })
    await pair.pass({ seconds: 300 })
    expect(pair.states).toEqual(['moved', null])
    expect(noticesOf(pair.from)).toEqual(['Organization missing'])
    expect((await pair.admin.get(pair.path)).status).toBe(401) // long ago
    expect((await (await pair.from.as('super')).get(pair.path)).data['error']).toContain(
      'does not have the organization',
    )
    expect((await force()).step).toBe('aborting')
    await pair.reach('aborted')
    expect(pair.states).toEqual(['active', null])
    const customer = pair.from.simulator.customer({ phone: pair.from.other.phoneId })
    await customer.says('Again')
    await pair.pass()
    expect(pair.from.rows("select 1 from messages where direction = 'incoming'")).toHaveLength(2)
  })

  test('the copy is kept while the target does not answer', async () => {
    await moveAway()
    cut()
    await pair.pass({ seconds: DAYS_31 })
    await pair.pass({ seconds: 300 })
    expect(pair.states).toEqual(['moved', 'active'])
    expect(noticesOf(pair.from)).toEqual(['Organization missing'])
    cut(false)
    await pair.pass({ seconds: 300 })
    expect(pair.states).toEqual([null, 'active'])
  })

  test('a target that works is not told to stop', async () => {
    await moveAway()
    expect(force()).rejects.toThrow('works there')
    expect(pair.states).toEqual(['moved', 'active'])
  })

  test('what may have been sent there is not sent when it works here again', async () => {
    const { from } = pair
    const admin = await from.as('admin', from.other)
    const contact = await from.contactOf(from.other)
    const planned = await admin.post('/api/scheduled-messages', {
      contact_id: contact['id'],
      message: { type: 'text', text: 'Your order' },
      send_at: new Date(from.clock.nowMs() + 3_600_000).toISOString(),
    })
    expect(planned.status).toBe(201)
    await moveAway()
    await forget()
    from.clock.advance({ hours: 2 })
    await force()
    await pair.pass({ seconds: 60 })
    expect(from.rows('select state from scheduled_messages')).toEqual([{ state: 'failed' }])
    expect(from.rows("select 1 from messages where direction = 'outgoing'")).toEqual([])
  })

  /** Takes the first server back to the time before the move, as a restored backup does. */
  async function restoreSource({ isMoveKnown = false } = {}): Promise<void> {
    await moveAway()
    const { http } = pair.from.program
    if (isMoveKnown) {
      changeRows(
        http.db.sqlite,
        `update organization_moves set step = 'freezing', finished_at_ms = null, archive_bytes = null,
           frozen_at_ms = null, thawed_at_ms = null`,
      )
      const move = newestMove(http, pair.organization)
      transact(http.db, (tx) => enqueueMoveIn(tx, systemCtx(http, pair.organization), move))
    } else changeRows(http.db.sqlite, 'delete from organization_moves')
    changeRows(
      http.db.sqlite,
      "update organizations set state = 'active', deletes_at_ms = null, moved_to = null where id = ?",
      [pair.organization],
    )
    changeRows(http.db.sqlite, 'update accounts set moved_at_ms = null')
    expect(askAfterRestore(http, { freezes: true })).toBe(2)
    cut()
  }
  const stateOfFirst = (): unknown =>
    pair.from.rows('select state from organizations where id = ?', pair.from.tenant.id)[0]?.[
      'state'
    ]

  test('a source that was restored to the time before the move stops, and changes nothing before', async () => {
    await restoreSource()
    await pair.pass({ seconds: 60 })
    expect([...pair.states, stateOfFirst()]).toEqual(['moving', 'active', 'moving'])
    const admin = await pair.from.as('admin')
    expect((await admin.get('/api/tags')).status).toBe(200)
    expect((await admin.post('/api/tags', { name: 'VIP' })).body.code).toBe('organization_moving')
    cut(false)
    await pair.pass({ seconds: 60 })
    expect([...pair.states, stateOfFirst()]).toEqual(['moved', 'active', 'active'])
    expect(noticesOf(pair.from)).toEqual(['Organization stopped'])
    expect((await admin.post('/api/tags', { name: 'VIP' })).status).toBe(201)
  })

  test('what customers write to a restored source is where their organization is, once', async () => {
    await restoreSource()
    await pair.pass()
    const { from, to } = pair
    for (const { phoneId } of [from.other, from.tenant])
      await from.simulator.customer({ phone: phoneId }).says('While it asks')
    await pair.pass()
    cut(false)
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
    expect(noticesOf(pair.from)).toEqual(['Servers did not answer after a restore'])
    cut(false)
    await pair.pass({ seconds: 3_600 })
    expect([...pair.states, stateOfFirst()]).toEqual(['moved', 'active', 'active'])
  })

  test('a source that was restored to the time when the move waited does not begin it again', async () => {
    await restoreSource({ isMoveKnown: true })
    await pair.pass({ seconds: 60 })
    expect([...pair.states, pair.step]).toEqual(['moving', 'active', 'freezing'])
    cut(false)
    await pair.pass({ seconds: 60 })
    expect([...pair.states, pair.step]).toEqual(['moved', 'active', 'aborted'])
    await pair.pass({ seconds: 300 })
    expect(pair.states).toEqual(['moved', 'active'])
    expect(noticesOf(pair.from)).toEqual(['Organization stopped'])
  })

  test('a move that waited when the backup was made is aborted without letting it work', async () => {
    await restoreSource({ isMoveKnown: true })
    expect((await (await pair.from.as('super')).delete(pair.path)).status).toBe(200)
    await pair.pass({ seconds: 60 })
    expect(pair.states).toEqual(['moving', 'active'])
    cut(false)
    await pair.pass({ seconds: 60 })
    expect([...pair.states, pair.step]).toEqual(['moved', 'active', 'aborted'])
    expect(noticesOf(pair.from)).toEqual(['Organization stopped'])
  })

  test('a super admin erases the copy at once', async () => {
    await moveAway()
    const [row] = pair.from.rows('select slug from organizations where id = ?', pair.organization)
    const erase = async (wish: Loose) => {
      const path = `/api/organizations/${pair.organization}`
      const { status, body } = await pair.admin.request('DELETE', path, wish)
      return [status, body.code]
    }
    expect(await erase({ confirm: 'wrong', erase_now: true })).toEqual([400, 'invalid_input'])
    expect(await erase({ confirm: row?.['slug'] })).toEqual([409, 'moved'])
    expect(await erase({ confirm: row?.['slug'], erase_now: true })).toEqual([200, undefined])
    await pair.pass()
    expect(pair.states).toEqual([null, 'active'])
    expect(await erase({ confirm: row?.['slug'], erase_now: true })).toEqual([404, 'not_found'])
  })

  test('the operator erases the copy although the other server is gone', async () => {
    await moveAway()
    cut()
    const erase = (isForced: boolean) =>
      eraseNamedCopy(pair.from.program.http, pair.organization, { isForced })
    expect(erase(false)).rejects.toThrow('only copy')
    await erase(true)
    await pair.pass()
    expect(pair.states).toEqual([null, 'active'])
  })

  test('the copy is erased soon after a person or the organization was erased there', async () => {
    await moveAway()
    const admin = await pair.to.signIn(pair.from.emailOf('admin', pair.from.other))
    const { data } = await admin.get('/api/contacts')
    const id = String((data['items'] as Loose[])[0]?.['id'])
    expect((await admin.post(`/api/contacts/${id}/erase`, { confirm: id })).status).toBe(201)
    await pair.pass({ seconds: 300 })
    expect(pair.states).toEqual([null, 'active'])
  })
})
