import { describe, expect, test } from 'bun:test'

import type { Gate } from '../../../src/infra/jobs/work'
import { finish, heldJob, until, waitingJob, Workbench } from '../../support/workbench'
import { idNamed } from '../../support/ids'

describe('a gate', () => {
  /** Creates a gate of the send queue with a changeable limit for each key. */
  function gated(room: Record<string, number>) {
    const gate: Gate = {
      queue: 'send',
      check: (_deps, { gateKey }) => ({ room: room[gateKey] ?? 0, nextAtMs: null }),
    }
    const ran: string[] = []
    const job = waitingJob(
      async (_ctx, { name }) => {
        ran.push(name)
        const key = name.slice(0, 1)
        room[key] = (room[key] ?? 0) - 1
      },
      { queue: 'send' },
    )
    return { gate, ran, job, room }
  }

  test('that throws stalls only its own queue until it works again, and logs the error once', async () => {
    using bench = new Workbench()
    const { gate, ran, job, room } = gated({ a: 1 })
    let isBroken = true
    const asked: Gate = {
      queue: 'send',
      check(deps, at) {
        if (isBroken) throw new Error('cannot be asked')
        return gate.check(deps, at)
      },
    }
    const done: string[] = []
    const other = waitingJob(async (_ctx, { name }) => void done.push(name), {
      name: 'other',
      queue: 'default',
    })
    bench.enqueue(job, ['a1'], { gateKey: 'a' })
    bench.enqueue(other, ['one'])
    const worker = bench.worker([job, other], [], [asked])
    for (let turn = 0; turn < 5; turn += 1) {
      worker.step()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(done).toEqual(['one'])
    expect(bench.jobs.map(({ name, state }) => [name, state])).toEqual([
      ['a1', 'available'],
      ['one', 'completed'],
    ])
    expect(bench.logLines.filter((line) => line.includes('cannot be asked'))).toHaveLength(1)
    isBroken = false
    await finish(worker)
    expect([ran, room]).toEqual([['a1'], { a: 0 }])
  })

  test('admits only as many jobs as it has room for and keeps the others in order', async () => {
    using bench = new Workbench()
    const { gate, ran, job, room } = gated({ a: 2, b: 0 })
    bench.enqueue(job, ['a1', 'a2', 'a3', 'a4'], { gateKey: 'a' })
    bench.enqueue(job, ['b1'], { gateKey: 'b' })
    bench.enqueue(job, ['free'])
    const worker = bench.worker([job], [], [gate])
    await finish(worker)
    expect(ran.toSorted()).toEqual(['a1', 'a2', 'free'])
    expect(
      bench.rows(`select first_attempted_at_ms as at, attempt from jobs where state = 'available'`),
    ).toEqual([
      { at: null, attempt: 0 },
      { at: null, attempt: 0 },
      { at: null, attempt: 0 },
    ])
    Object.assign(room, { a: 5, b: 5 })
    await finish(worker)
    expect(ran.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3', 'a4'])
    expect(ran).toContain('b1')
  })

  test('that is closed does not delay jobs behind open gates', async () => {
    using bench = new Workbench()
    const { gate, ran, job } = gated({ a: 0, b: 1 })
    for (let nth = 100; nth < 300; nth += 1)
      bench.enqueue(job, ['a1'], { gateKey: 'a' }, idNamed(`org-${nth}`))
    bench.enqueue(job, ['b1'], { gateKey: 'b' }, idNamed('org-999'))
    await finish(bench.worker([job], [], [gate]))
    expect(ran).toEqual(['b1'])
  })

  test('that is closed starves no organization when more wait than one claim examines', async () => {
    using bench = new Workbench()
    const { gate, ran, job } = gated({ a: 0, b: 2 })
    bench.enqueue(job, ['b1'], { gateKey: 'b' }, idNamed('org-0000'))
    for (let nth = 1_000; nth < 3_500; nth += 1)
      bench.enqueue(job, ['a1'], { gateKey: 'a' }, idNamed(`org-${nth}`))
    bench.enqueue(job, ['b2'], { gateKey: 'b' }, idNamed('org-9999'))
    const worker = bench.worker([job], [], [gate])
    await finish(worker)
    expect(ran.toSorted()).toEqual(['b1', 'b2'])
    bench.enqueue(job, ['a2'], { gateKey: 'a' }, idNamed('org-0001'))
    await finish(worker) // which comes to an end although most of them are still there
  })

  test('takes a job back without counting the attempt', async () => {
    using bench = new Workbench()
    let room = 1
    const gate: Gate = { queue: 'send', check: () => ({ room, nextAtMs: null }) }
    const ran: string[] = []
    const job = waitingJob(
      async (_ctx, { name }) => {
        ran.push(name)
        if (ran.length > 1) return undefined
        room = 0
        return { backToGate: true }
      },
      { queue: 'send' },
    )
    bench.enqueue(job, ['one', 'two'], { gateKey: 'a', orderingKey: 'same' })
    const worker = bench.worker([job], [], [gate])
    await finish(worker)
    expect(bench.jobs).toEqual([
      { name: 'one', state: 'available', attempt: 0 },
      { name: 'two', state: 'available', attempt: 0 },
    ])
    bench.clock.advance({ hours: 1 })
    room = 5
    await finish(worker)
    expect(ran).toEqual(['one', 'one', 'two'])
  })

  test('leaves a share of the organization’s sends to its other gates', async () => {
    using bench = new Workbench()
    const gate: Gate = { queue: 'send', check: () => ({ room: Infinity, nextAtMs: null }) }
    const { job, started, letGo } = heldJob({ queue: 'send' })
    const names = Array.from({ length: 100 }, (_, nth) => `slow-${nth}`)
    bench.enqueue(job, names, { gateKey: 'a' })
    const worker = bench.worker([job], [], [gate])
    const done = finish(worker)
    await until(() => started.length === 48)
    bench.enqueue(job, ['quick'], { gateKey: 'b' })
    bench.enqueue(job, ['quick too'], { gateKey: 'a' }, idNamed('org-b'))
    const again = finish(worker)
    await until(() => started.includes('quick') && started.includes('quick too'))
    expect(started.filter((name) => name.startsWith('slow')).length).toBe(48)
    const gone = new Set<string>()
    const pump = setInterval(() => {
      for (const name of started) if (!gone.has(name) && gone.add(name)) letGo(name)
    }, 1)
    await Promise.all([done, again])
    clearInterval(pump)
    expect(started.length).toBe(102)
  })
})
