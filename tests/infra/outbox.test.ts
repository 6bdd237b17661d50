import { describe, expect, test } from 'bun:test'

import { Type } from '@sinclair/typebox'

import { systemCtx } from '../../src/infra/ctx'
import { savepoint, transact } from '../../src/infra/db/transact'
import type { Job } from '../../src/infra/jobs/job'
import { defineEvent, emit, moveEventsIn, type LoggedEvent } from '../../src/infra/outbox/events'
import {
  createRelay,
  eventsAfter,
  logBounds,
  openEventLog,
  pruneEvents,
  type Relay,
} from '../../src/infra/outbox/relay'
import { subscribe, type Subscription } from '../../src/infra/outbox/subscribe'
import { finish, Named, waitingJob, Workbench } from '../support/workbench'
import { idNamed } from '../support/ids'

const Happened = defineEvent('made.happened', Named)
const Other = defineEvent('made.other', Named)

/** Emits events with these names in one transaction. */
function happen(
  bench: Workbench,
  names: string[],
  organizationId = idNamed('org-a'),
  event = Happened,
): void {
  transact(bench.deps.db, (tx) => {
    for (const name of names)
      emit(tx, systemCtx(bench.deps, organizationId), event, { contactId: null, payload: { name } })
  })
}

/** Creates a relay as in a process, and collects what it publishes. */
function relayOf(
  bench: Workbench,
  subscriptions: Subscription[] = [],
): { relay: Relay; published: LoggedEvent[] } {
  const published: LoggedEvent[] = []
  return {
    relay: createRelay(bench.deps, subscriptions, (batch) => published.push(...batch)),
    published,
  }
}

const namesOf = (events: LoggedEvent[]): string[] =>
  events.map(({ payload }) => (payload as { name: string }).name)
const seqsOf = (bench: Workbench, organizationId: string): number[] =>
  eventsAfter(bench.deps, organizationId, { after: 0, limit: 10_000 }).map(({ seq }) => seq)
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('events', () => {
  test('are numbered per organization without gaps, even after rollbacks', () => {
    using bench = new Workbench()
    const random = (nth: number): number => (nth * 7_919) % 11
    const written: Record<string, number> = { [idNamed('org-a')]: 0, [idNamed('org-b')]: 0 }
    for (let nth = 0; nth < 200; nth += 1) {
      const organizationId = nth % 3 === 0 ? idNamed('org-b') : idNamed('org-a')
      const isRolledBack = random(nth) < 4
      const change = (): void =>
        transact(bench.deps.db, (tx) => {
          const ctx = systemCtx(bench.deps, organizationId)
          emit(tx, ctx, Happened, { contactId: null, payload: { name: `${nth}` } })
          if (isRolledBack) throw new Error('rolled back')
        })
      if (isRolledBack) expect(change).toThrow('rolled back')
      else change()
      if (!isRolledBack) written[organizationId] = (written[organizationId] ?? 0) + 1
    }
    expect(seqsOf(bench, idNamed('org-a'))).toEqual(upTo(written[idNamed('org-a')] ?? 0))
    expect(seqsOf(bench, idNamed('org-b'))).toEqual(upTo(written[idNamed('org-b')] ?? 0))
    expect(logBounds(bench.deps, idNamed('org-a'))).toEqual({
      oldestSeq: 1,
      seq: written[idNamed('org-a')] ?? 0,
    })
  })

  test('of a savepoint that is rolled back use no number', () => {
    using bench = new Workbench()
    transact(bench.deps.db, (tx) => {
      const ctx = systemCtx(bench.deps, idNamed('org-a'))
      emit(tx, ctx, Happened, { contactId: null, payload: { name: 'kept' } })
      expect(() =>
        savepoint(tx, (inner) => {
          emit(inner, ctx, Happened, { contactId: null, payload: { name: 'undone' } })
          throw new Error('undone')
        }),
      ).toThrow('undone')
      emit(tx, ctx, Happened, { contactId: null, payload: { name: 'kept too' } })
    })
    expect(namesOf(eventsAfter(bench.deps, idNamed('org-a'), { after: 0, limit: 10 }))).toEqual([
      'kept',
      'kept too',
    ])
    expect(seqsOf(bench, idNamed('org-a'))).toEqual([1, 2])
  })

  test('with an invalid payload fail the transaction', () => {
    using bench = new Workbench()
    expect(() => happen(bench, [7 as unknown as string])).toThrow('payload of another shape')
    expect(logBounds(bench.deps, idNamed('org-a'))).toEqual({ oldestSeq: 0, seq: 0 })
  })
})

describe('the relay', () => {
  test('publishes committed events once and in order, and none that were rolled back', () => {
    using bench = new Workbench()
    const { relay, published } = relayOf(bench)
    const names = Array.from({ length: 450 }, (_, nth) => `${nth}`)
    happen(bench, names)
    expect(() =>
      transact(bench.deps.db, (tx) => {
        emit(tx, systemCtx(bench.deps, idNamed('org-a')), Happened, {
          contactId: null,
          payload: { name: 'never' },
        })
        throw new Error('rolled back')
      }),
    ).toThrow('rolled back')
    expect(relay.drain()).toBe(450)
    expect(relay.drain()).toBe(0)
    expect(namesOf(published)).toEqual(names)
  })

  test('enqueues one job per subscription with the payload as arguments', async () => {
    using bench = new Workbench()
    const ran: string[] = []
    const jobs = ['first', 'second'].map((title) =>
      waitingJob(async (_ctx, { name }) => void ran.push(`${title} ${name}`), { name: title }),
    )
    const [first, second] = jobs as [(typeof jobs)[number], (typeof jobs)[number]]
    const { relay } = relayOf(bench, [
      subscribe(Happened, first),
      subscribe(Happened, second),
      subscribe(Other, second),
    ])
    happen(bench, ['a', 'b'])
    happen(bench, ['c'], idNamed('org-b'), Other)
    relay.drain()
    expect(bench.rows('select distinct organization_id as id from jobs order by 1')).toEqual([
      { id: idNamed('org-a') },
      { id: idNamed('org-b') },
    ])
    const worker = bench.worker(jobs)
    await finish(worker)
    relay.drain()
    await finish(worker)
    expect(ran.toSorted()).toEqual(['first a', 'first b', 'second a', 'second b', 'second c'])
  })

  test('continues after a restart without losing or repeating a subscriber', async () => {
    using bench = new Workbench()
    const ran: string[] = []
    // Finished jobs are not kept, so only the stored position prevents a second reaction.
    const job = waitingJob(async (_ctx, { name }) => void ran.push(name))
    const subscriptions = [subscribe(Happened, job)]
    const names = Array.from({ length: 30 }, (_, nth) => `${nth}`)
    for (const name of names) {
      happen(bench, [name])
      happen(bench, [`${name}-quiet`], idNamed('org-a'), Other)
      if (Number(name) % 3 === 0) relayOf(bench, subscriptions).relay.drain()
      await finish(bench.worker([job]))
      bench.deps.db.sqlite.run(`delete from jobs where state = 'completed'`)
    }
    relayOf(bench, subscriptions).relay.drain()
    await finish(bench.worker([job]))
    expect(ran).toEqual(names)
  })

  test('publishes nothing if subscriber jobs cannot be stored, and everything at the next try', () => {
    using bench = new Workbench()
    const job = waitingJob(async () => undefined)
    const wrong: Job<{ name: string }> = { ...job, fits: () => false }
    happen(bench, ['a', 'b'])
    const broken = relayOf(bench, [subscribe(Happened, wrong)])
    expect(() => broken.relay.drain()).toThrow('arguments of another shape')
    expect(broken.published).toEqual([])
    expect(bench.jobs).toEqual([])
    const mended = relayOf(bench, [subscribe(Happened, job)])
    mended.relay.drain()
    expect(namesOf(mended.published)).toEqual(['a', 'b'])
    expect(bench.jobs.map(({ name }) => name)).toEqual(['a', 'b'])
  })

  test('drains once after the current work when woken', async () => {
    using bench = new Workbench()
    const { relay, published } = relayOf(bench)
    happen(bench, ['a'])
    relay.wake()
    relay.wake()
    happen(bench, ['b'])
    expect(published).toEqual([])
    await new Promise((resolve) => setImmediate(resolve))
    expect(namesOf(published)).toEqual(['a', 'b'])
  })

  test('logs an error while waking, keeps running and loses nothing', async () => {
    using bench = new Workbench()
    let isBroken = true
    const heard: string[] = []
    const relay = createRelay(bench.deps, [], (batch) => {
      if (isBroken) throw new Error('nobody may hear this')
      heard.push(...namesOf(batch))
    })
    happen(bench, ['a'])
    relay.wake()
    await new Promise((resolve) => setImmediate(resolve))
    expect(bench.logLines.some((line) => line.includes('event relay failed'))).toBe(true)
    isBroken = false
    happen(bench, ['b'])
    relay.wake()
    await new Promise((resolve) => setImmediate(resolve))
    expect(heard).toContain('b')
  })
})

describe('the log', () => {
  test('is read in pages', () => {
    using bench = new Workbench()
    happen(bench, ['a', 'b', 'c'])
    happen(bench, ['x'], idNamed('org-b'))
    expect(namesOf(eventsAfter(bench.deps, idNamed('org-a'), { after: 1, limit: 1 }))).toEqual([
      'b',
    ])
    expect(namesOf(eventsAfter(bench.deps, idNamed('org-a'), { after: 2, limit: 10 }))).toEqual([
      'c',
    ])
    expect(eventsAfter(bench.deps, idNamed('org-a'), { after: 3, limit: 10 })).toEqual([])
  })

  test('keeps a day, deletes older published events, and keeps its bounds', () => {
    using bench = new Workbench()
    const { relay } = relayOf(bench)
    happen(bench, ['old-1', 'old-2'])
    happen(bench, ['other'], idNamed('org-b'))
    relay.drain()
    bench.clock.advance({ hours: 24, ms: 1 })
    happen(bench, ['young'])
    happen(bench, ['not passed on'])
    expect(pruneEvents(bench.deps)).toBe(3)
    expect(pruneEvents(bench.deps)).toBe(0)
    expect(namesOf(eventsAfter(bench.deps, idNamed('org-a'), { after: 0, limit: 10 }))).toEqual([
      'young',
      'not passed on',
    ])
    // What lies before 3 can no longer be told: a socket that asks for it is told to start over.
    expect(logBounds(bench.deps, idNamed('org-a'))).toEqual({ oldestSeq: 3, seq: 4 })
    expect(logBounds(bench.deps, idNamed('org-b'))).toEqual({ oldestSeq: 2, seq: 1 })
    happen(bench, ['again'], idNamed('org-b'))
    expect(seqsOf(bench, idNamed('org-b'))).toEqual([2])
  })

  test('never deletes unpublished events', () => {
    using bench = new Workbench()
    const { relay, published } = relayOf(bench)
    happen(bench, ['late'])
    bench.clock.advance({ hours: 100 })
    expect(pruneEvents(bench.deps)).toBe(0)
    relay.drain()
    expect(namesOf(published)).toEqual(['late'])
    expect(pruneEvents(bench.deps)).toBe(1)
  })

  test('is pruned past an event of a clock that was days ahead', () => {
    using bench = new Workbench()
    const { relay } = relayOf(bench)
    bench.clock.advance({ hours: 24 * 400 })
    happen(bench, ['ahead'])
    bench.clock.advance({ hours: -24 * 400 })
    happen(bench, ['right'])
    relay.drain()
    bench.clock.advance({ hours: 100 })
    happen(bench, ['young'])
    relay.drain()
    expect([pruneEvents(bench.deps), pruneEvents(bench.deps)]).toEqual([2, 0])
  })

  test('is pruned in batches of a thousand', () => {
    using bench = new Workbench()
    const { relay } = relayOf(bench)
    happen(
      bench,
      Array.from({ length: 2_500 }, (_, nth) => `${nth}`),
    )
    relay.drain()
    bench.clock.advance({ hours: 25 })
    expect([
      pruneEvents(bench.deps),
      pruneEvents(bench.deps),
      pruneEvents(bench.deps),
      pruneEvents(bench.deps),
    ]).toEqual([1_000, 1_000, 500, 0])
    expect(logBounds(bench.deps, idNamed('org-a'))).toEqual({ oldestSeq: 2_501, seq: 2_500 })
  })

  test('keeps its ID across restarts', () => {
    using bench = new Workbench()
    const { logId } = openEventLog(bench.deps)
    expect(openEventLog(bench.deps).logId).toBe(logId)
    using another = new Workbench()
    another.deps.ids.next()
    expect(openEventLog(another.deps).logId).not.toBe(logId)
  })
})

test('stores the contact once and the time of an event', () => {
  using bench = new Workbench()
  const Contacted = defineEvent('made.contacted', Type.Object({ contactId: Type.String() }))
  transact(bench.deps.db, (tx) =>
    emit(tx, systemCtx(bench.deps, idNamed('org-a')), Contacted, {
      contactId: idNamed('contact-1'),
      payload: { contactId: idNamed('contact-1') },
    }),
  )
  expect(eventsAfter(bench.deps, idNamed('org-a'), { after: 0, limit: 1 })).toEqual([
    {
      position: 1,
      organizationId: idNamed('org-a'),
      seq: 1,
      type: 'made.contacted',
      contactId: idNamed('contact-1'),
      payload: { contactId: idNamed('contact-1') },
      atMs: bench.clock.nowMs(),
    },
  ])
  expect(bench.deps.db.sqlite.query('select payload from events').values()).toEqual([['{}']])
})

test('leaves the contact that an event was about in its payload when the contact is merged', () => {
  using bench = new Workbench()
  const Contacted = defineEvent('made.contacted', Type.Object({ contactId: Type.String() }))
  const ctx = systemCtx(bench.deps, idNamed('org-a'))
  const [first, second, third] = [1, 2, 3].map((nth) => idNamed(`contact-${nth}`)) as [
    string,
    string,
    string,
  ]
  transact(bench.deps.db, (tx) => {
    emit(tx, ctx, Contacted, { contactId: first, payload: { contactId: first } })
    moveEventsIn(tx, ctx, { from: first, to: second })
    moveEventsIn(tx, ctx, { from: second, to: third })
  })
  expect(eventsAfter(bench.deps, idNamed('org-a'), { after: 0, limit: 1 })).toMatchObject([
    { contactId: third, payload: { contactId: first } },
  ])
})
