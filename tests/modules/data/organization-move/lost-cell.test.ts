import { rm } from 'node:fs/promises'

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { transact } from '../../../../src/infra/db/transact'
import { startErasureIn } from '../../../../src/modules/data/organization-deletion/start'
import {
  abortNamedMove,
  eraseNamedCopy,
  takeOverNamed,
} from '../../../../src/modules/data/organization-move/cli'
import type { Loose } from '../../../support/client'
import { WorldPair } from '../../../support/moves'
import { changeRows } from '../../../support/sql'

let pair: WorldPair

beforeEach(async () => {
  pair = await WorldPair.create()
})
afterEach(() => pair[Symbol.asyncDispose]())

const force = () => abortNamedMove(pair.from.program.http, pair.organization, { isForced: true })

/** Takes the move to the last step, with the copy complete there and nothing ordered. */
async function reachLastStep(): Promise<void> {
  await pair.start()
  await pair.reach('importing', { of: [pair.from] })
  await pair.to.settle()
  changeRows(pair.from.program.http.db.sqlite, "update organization_moves set step = 'activating'")
}

test('an organization whose target is lost works again when the operator says so', async () => {
  await reachLastStep()
  pair.cut()
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
  pair.cut(false) // the target comes back
  await pair.reach('aborted')
  await pair.pass({ seconds: 60 })
  expect(pair.states).toEqual(['active', null])
  expect(pair.noticesOf(pair.from)).toEqual([])
})

test('a move that is completed while the operator speaks is not aborted', async () => {
  await reachLastStep()
  pair.cut()
  const forced = force()
  const { sqlite } = pair.from.program.http.db
  changeRows(
    sqlite,
    "update organization_moves set step = 'completed', finished_at_ms = step_at_ms",
  )
  changeRows(
    sqlite,
    `update organizations set state = 'moved', deletes_at_ms = updated_at_ms, moved_to = 'elsewhere'
     where state = 'moving'`,
  )
  expect(forced).rejects.toThrow('went on meanwhile')
  expect(pair.states).toEqual(['moved', 'importing'])
})

test('an order that the target did not follow at once is not followed later', async () => {
  await reachLastStep()
  await pair.pass({ of: [pair.from] }) // orders
  expect(pair.to.rows('select state from organization_imports')).toEqual([{ state: 'running' }])
  pair.cut()
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
  pair.addSuperAdmins()
  await reachLastStep()
  await pair.pass({ of: [pair.from] })
  await pair.to.settle()
  expect(pair.states).toEqual(['moving', 'active'])
  pair.cut()
  await force()
  pair.cut(false)
  await pair.reach('aborted')
  expect(pair.states).toEqual(['active', 'moved'])
  for (const world of [pair.from, pair.to]) expect(pair.noticesOf(world)).toHaveLength(1)
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
    pair.addSuperAdmins()
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
    expect(pair.noticesOf(pair.from)).toEqual([])
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
    expect(pair.noticesOf(pair.from)).toEqual(['Organization missing'])
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
    pair.cut()
    await pair.pass({ seconds: DAYS_31 })
    await pair.pass({ seconds: 300 })
    expect(pair.states).toEqual(['moved', 'active'])
    expect(pair.noticesOf(pair.from)).toEqual(['Organization missing'])
    pair.cut(false)
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
    const plan = async (hours: number): Promise<unknown> =>
      (
        await admin.post('/api/scheduled-messages', {
          contact_id: contact['id'],
          message: { type: 'text', text: 'Your order' },
          send_at: new Date(from.clock.nowMs() + hours * 3_600_000).toISOString(),
        })
      ).status
    // More than one transaction changes.
    for (let nth = 0; nth < 15; nth += 1) expect(await plan(1)).toBe(201)
    expect(await plan(3)).toBe(201)
    await moveAway()
    await forget()
    from.clock.advance({ hours: 2 })
    await force()
    await pair.pass({ seconds: 60 })
    expect(
      from.rows(
        'select state, count(*) as n from scheduled_messages group by state order by state',
      ),
    ).toEqual([
      { state: 'failed', n: 15 },
      { state: 'scheduled', n: 1 },
    ])
    expect(from.rows("select 1 from messages where direction = 'outgoing'")).toEqual([])
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
    pair.cut()
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
