import { describe, expect, test } from 'bun:test'

import { callConnect, callTerminate } from '../../../../src/simulator/call-payloads'
import type { Loose } from '../../../support/client'
import { deliver, lineOf, personOf, secondsIn } from '../../../support/lines'
import { World } from '../../../support/world'

const shownIn = async (world: World): Promise<{ call: Loose; conversation: Loose }> => {
  const manager = await world.as('manager')
  const first = async (path: string): Promise<Loose> =>
    ((await manager.get(path)).data['items'] as Loose[])[0] as Loose
  return { call: await first('/api/calls'), conversation: await first('/api/conversations') }
}

const eventsOf = (world: World): unknown[] =>
  world
    .rows<{ type: string }>("select type from events where type like 'call.%' order by position")
    .map(({ type }) => type)

const about = (world: World, isOurs = false) => ({
  id: 'wacid.1',
  line: lineOf(world.tenant),
  person: personOf(1),
  timestamp: secondsIn(world),
  isOurs,
})

describe('a call whose end is never reported', () => {
  test('rings for an hour, then is missed and unread once', async () => {
    await using world = await World.create()
    world.stays('the event log')
    await deliver(world, callConnect(about(world)))
    world.clock.advance({ minutes: 55 })
    await world.settle()
    expect((await shownIn(world)).call['state']).toBe('ringing')
    for (const minutes of [20, 20]) {
      world.clock.advance({ minutes })
      await world.settle()
      expect(await shownIn(world)).toMatchObject({
        call: { state: 'missed', unread: true, ended_at: null },
        conversation: { unread_count: 1, last_message: { preview: 'Missed call' } },
      })
    }
    expect(eventsOf(world)).toEqual(['call.received', 'call.missed'])
  })

  test('is an unanswered call if it went to the customer', async () => {
    await using world = await World.create()
    await deliver(world, callConnect(about(world, true)))
    world.clock.advance({ minutes: 75 })
    await world.settle()
    expect(await shownIn(world)).toMatchObject({
      call: { state: 'missed', unread: false },
      conversation: { unread_count: 0, last_message: { preview: 'Unanswered call' } },
    })
  })

  test('gets its real end when that is reported after all', async () => {
    await using world = await World.create()
    const call = about(world)
    await deliver(world, callConnect(call))
    world.clock.advance({ minutes: 75 })
    await world.settle()
    await deliver(
      world,
      callTerminate(
        { ...call, timestamp: secondsIn(world) },
        { startedAtS: call.timestamp + 10, durationSeconds: 4_490 },
      ),
    )
    expect(await shownIn(world)).toMatchObject({
      call: {
        state: 'ended',
        unread: false,
        duration_seconds: 4_490,
        ended_at: '2026-11-21T10:45:00.000Z',
      },
      conversation: { unread_count: 0, last_message: { preview: 'Call' } },
    })
    expect(eventsOf(world)).toEqual(['call.received', 'call.missed', 'call.ended'])
  })

  test('ends for all organizations, however many calls there are', async () => {
    await using world = await World.create()
    for (let nth = 0; nth < 30; nth += 1)
      await deliver(world, callConnect({ ...about(world), id: `wacid.${nth}` }))
    await deliver(world, callConnect({ ...about(world), line: lineOf(world.other) }))
    world.clock.advance({ minutes: 75 })
    await world.settle()
    expect(world.rows('select state, count(*) as n from calls group by state')).toEqual([
      { state: 'missed', n: 31 },
    ])
  })
})
