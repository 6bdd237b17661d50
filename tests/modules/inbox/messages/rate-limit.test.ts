import { describe, expect, test } from 'bun:test'

import { createProgram, type Program } from '../../../../src/container'
import { wrapDb } from '../../../../src/infra/db/connection'
import { countingIds } from '../../../support/clock'
import { Outbox } from '../../../support/outbox'
import { changeRows } from '../../../support/sql'

const texts = (count: number): string[] => Array.from({ length: count }, (_, nth) => `Text ${nth}`)

/** Sends `count` texts, in turns to each of the contacts. */
async function sendMany(
  outbox: Outbox,
  contacts: { [key: string]: unknown }[],
  count: number,
): Promise<string[]> {
  const ids: string[] = []
  for (let nth = 0; nth < count; nth += 1)
    ids.push(await outbox.send(contacts[nth % contacts.length] ?? {}, `Text ${nth}`))
  return ids
}

/** The same installation after a restart: what was only in memory is gone. */
function restarted(outbox: Outbox): Program {
  const { world } = outbox
  const { log, random, platform, files } = world.program.http
  const db = wrapDb(world.program.http.db.sqlite, { synchronous: 'normal', cacheMib: 8 })
  return createProgram(
    world.config,
    world.secrets,
    { clock: world.clock, ids: countingIds(), random, log, db, platform, files },
    null,
  )
}

describe('a number', () => {
  test.each<[level: string, perSecond: number, count: number]>([
    ['STANDARD', 80, 200],
    ['COEXISTENCE', 20, 60],
    ['HIGH', 1_000, 100],
  ])(
    'of the level %s sends %p messages a second, after a second’s worth at once',
    async (level, perSecond, count) => {
      await using outbox = await Outbox.open({ tenants: 1 })
      const { world } = outbox
      changeRows(world.program.http.db.sqlite, 'update accounts set throughput_level = ?', [level])
      world.simulator.enforce({ throughputPerSecond: perSecond })
      const ids = await sendMany(outbox, await outbox.contacts(16), count)
      await world.settle()
      expect(outbox.calls()).toBe(Math.min(perSecond, count))
      const seconds = Math.ceil(Math.max(0, count - perSecond) / perSecond)
      await outbox.pass({ seconds, stepMs: 125 }, (passedMs) => {
        const due = Math.min(count, perSecond + (perSecond * passedMs) / 1_000)
        expect({
          passedMs,
          calls: outbox.calls(),
          off: Math.abs(outbox.calls() - due) > due * 0.02 + 1,
        }).toMatchObject({ off: false })
      })
      // The platform, which keeps the same limit, refused nothing, and nothing was lost or doubled.
      expect([outbox.calls(), outbox.texts().length]).toEqual([count, count])
      const statuses = world.rows<{ status: string }>(
        `select distinct status from messages where direction = 'outgoing'`,
      )
      expect(statuses).toEqual([{ status: 'delivered' }])
      expect(ids.length).toBe(count)
    },
  )

  test('uses its new rate after its throughput level changes', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    await sendMany(outbox, await outbox.contacts(10), 150)
    await world.settle()
    expect(outbox.calls()).toBe(80)
    world.program.http.db.sqlite.run(`update accounts set throughput_level = 'COEXISTENCE'`)
    await outbox.pass({ seconds: 2 })
    expect(outbox.calls()).toBe(80 + 40)
    world.program.http.db.sqlite.run(`update accounts set throughput_level = 'HIGH'`)
    await outbox.pass({ seconds: 0.25 })
    expect(outbox.calls()).toBe(150)
  })

  test('halves its rate for a minute after throttling, then recovers by a tenth every ten seconds', async () => {
    await using outbox = await Outbox.open()
    const { world } = outbox
    const [contact] = await outbox.contacts(1)
    world.simulator.fail({ code: 130_429 }, { phone: world.tenant.phoneId })
    const id = await outbox.send(contact ?? {}, 'Hi')
    await world.settle()
    const rates: number[] = []
    for (const seconds of [0, 59, 1, 9, 1, 10, 10, 10, 10]) {
      world.clock.advance({ seconds })
      rates.push((await outbox.stats())['rate_now'] as number)
    }
    expect(rates).toEqual([40, 40, 48, 48, 56, 64, 72, 80, 80])
    expect(await outbox.stats(world.other)).toMatchObject({ rate_now: 80, rate_limit: 80 })
    await world.settle()
    expect((await outbox.read(id))['status']).toBe('delivered')
    expect(
      world.rows('select attempt from jobs where kind = ? and attempt > 1', 'message.send'),
    ).toEqual([])
  })

  test('settles below a lower limit of the platform and delivers every message once', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    world.simulator.enforce({ throughputPerSecond: 10 })
    await sendMany(outbox, await outbox.contacts(20), 120)
    await world.settle()
    await outbox.pass({ seconds: 40, stepMs: 500 })
    expect(outbox.texts().length).toBe(120)
    // Far fewer refusals than at the speed it began with.
    expect(outbox.calls()).toBeLessThan(120 + 120)
  })

  test('waits as long as Retry-After says and keeps the order', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const [contact, other] = await outbox.contacts(2)
    world.simulator.fail({ code: 130_429, retryAfter: 120 })
    const ids = [
      await outbox.send(contact ?? {}, 'One'),
      await outbox.send(contact ?? {}, 'Two'),
      await outbox.send(other ?? {}, 'Three'),
    ]
    await world.settle()
    world.clock.advance({ seconds: 119 })
    await world.settle()
    expect(outbox.texts()).toEqual(outbox.texts().filter((text) => text === 'Three'))
    world.clock.advance({ seconds: 2 })
    await world.settle()
    expect(outbox.texts(contact)).toEqual(['One', 'Two'])
    for (const id of ids)
      expect(await outbox.read(id)).toMatchObject({ status: 'delivered', warnings: [] })
  })

  test('is not slowed by a full queue of another organization', async () => {
    await using outbox = await Outbox.open()
    const { world } = outbox
    await sendMany(outbox, await outbox.contacts(10), 100)
    const [quiet] = await outbox.contacts(1, world.other)
    const id = await outbox.send(quiet ?? {}, 'Quiet', world.other)
    await world.settle()
    expect((await outbox.read(id, world.other))['status']).toBe('delivered')
    expect(outbox.calls(world.tenant.phoneId)).toBe(80)
  })
})

describe('a contact', () => {
  test('gets a burst of 45 messages, then one every six seconds, in order', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    world.simulator.enforce({ enforcePairRate: true })
    const [contact, other] = await outbox.contacts(2)
    for (const text of texts(50)) await outbox.send(contact ?? {}, text)
    await outbox.send(other ?? {}, 'To another')
    await world.settle()
    expect(outbox.texts(contact)).toEqual(texts(45))
    expect(outbox.texts(other)).toEqual(['To another'])
    await outbox.pass({ seconds: 30, stepMs: 1_000 }, (passedMs) => {
      expect(outbox.texts(contact).length).toBe(45 + Math.floor(passedMs / 6_000))
    })
    expect(outbox.texts(contact)).toEqual(texts(50))
    expect(outbox.calls()).toBe(51)
  })

  test('gets no second burst after a restart', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const [waiting, fresh] = await outbox.contacts(2)
    for (const text of texts(47)) await outbox.send(waiting ?? {}, text)
    for (const text of texts(45)) await outbox.send(fresh ?? {}, text)
    await outbox.pass({ seconds: 1 }) // the number itself sends eighty at once
    expect([outbox.texts(waiting).length, outbox.texts(fresh).length]).toEqual([45, 45])
    const { worker, relay } = restarted(outbox)
    const settle = (): Promise<void> => worker.runUntilIdle(() => relay.drain())
    await outbox.send(fresh ?? {}, 'Text 45')
    await settle()
    world.clock.advance({ seconds: 4, ms: 900 })
    await settle()
    expect([outbox.texts(waiting).length, outbox.texts(fresh).length]).toEqual([45, 45])
    world.clock.advance({ seconds: 1, ms: 100 })
    await settle()
    expect([outbox.texts(waiting), outbox.texts(fresh)]).toEqual([texts(46), texts(46)])
  })

  test('waits with all its messages, in order, after throttling (131056)', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const [contact, other] = await outbox.contacts(2)
    world.simulator.fail({ code: 131_056 }, { recipient: String(contact?.['wa_id']), times: 3 })
    await outbox.send(contact ?? {}, 'One')
    await outbox.send(contact ?? {}, 'Two')
    await outbox.send(other ?? {}, 'To another')
    await world.settle()
    expect(outbox.texts()).toEqual(['To another'])
    // 6, 24 and 96 seconds: the second message may try after a minute, but its contact is still to
    // be left alone.
    await outbox.pass({ seconds: 6 + 24 + 95, stepMs: 1_000 })
    expect(outbox.texts()).toEqual(['To another'])
    await outbox.pass({ seconds: 10, stepMs: 1_000 })
    expect(outbox.texts(contact)).toEqual(['One', 'Two'])
  })

  test('fails its message after six throttled attempts', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const [contact] = await outbox.contacts(1)
    world.simulator.fail({ code: 131_056 }, { times: Infinity })
    const id = await outbox.send(contact ?? {}, 'One')
    await world.settle()
    for (const [nth, seconds] of [6, 24, 96, 384, 384].entries()) {
      expect([outbox.calls(), (await outbox.read(id))['status']]).toEqual([nth + 1, 'pending'])
      world.clock.advance({ seconds })
      await world.settle()
    }
    expect(await outbox.read(id)).toMatchObject({
      status: 'failed',
      error: { code: 'too_many_to_recipient', platform_code: 131_056 },
    })
    expect(outbox.calls()).toBe(6)
  })
})
