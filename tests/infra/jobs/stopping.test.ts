import { describe, expect, test } from 'bun:test'

import { finish, heldJob, waitingJob, Workbench } from '../../support/workbench'

describe('time and stopping', () => {
  test('aborts a job at its timeout and counts that as a failed attempt', async () => {
    using bench = new Workbench()
    const job = waitingJob(
      (ctx) =>
        new Promise((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error))
        }),
      { timeoutMs: 10 },
    )
    bench.enqueue(job, ['slow'])
    await finish(bench.worker([job]))
    expect(
      bench.rows(`select state, attempt, json_extract(errors, '$[0].message') as reason from jobs`),
    ).toEqual([{ state: 'retryable', attempt: 1, reason: 'took longer than 10 ms' }])
  })

  test('frees the slot and lease of a job that ignores its signal, and ignores its result', async () => {
    using bench = new Workbench({ workers: 1 })
    const ran: string[] = []
    const released = Promise.withResolvers<void>()
    const job = waitingJob(
      async (_ctx, { name }) => {
        ran.push(name)
        if (name === 'stubborn') await released.promise
      },
      { timeoutMs: 10 },
    )
    bench.enqueue(job, ['stubborn', 'next'])
    const worker = bench.worker([job])
    await finish(worker)
    expect(ran).toEqual(['stubborn', 'next'])
    const reason = 'took longer than 10 ms and did not stop when aborted'
    const state = { state: 'retryable', attempt: 1, reason }
    const read = () =>
      bench.rows(
        `select state, attempt, json_extract(errors, '$[0].message') as reason from jobs order by id`,
      )[0]
    expect(read()).toEqual(state)
    expect(bench.logLines.some((line) => line.includes('job did not stop'))).toBe(true)
    released.resolve()
    await finish(worker)
    expect(read()).toEqual(state)
  })

  test('a stop finishes running jobs and claims no more', async () => {
    using bench = new Workbench({ workers: 1 })
    const { job, started, seen, letGo } = heldJob()
    bench.enqueue(job, ['running', 'waiting'])
    const worker = bench.worker([job])
    worker.start()
    await seen
    const stopped = worker.stop(10_000)
    letGo('running')
    await stopped
    expect(started).toEqual(['running'])
    expect(bench.states()).toEqual(['completed', 'available'])
  })

  test.each([
    ['listens to its signal', true],
    ['does not listen', false],
  ])('a job that is cut short by a stop and %s loses no attempt', async (_what, listens) => {
    using bench = new Workbench()
    const seen = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const job = waitingJob(async (ctx) => {
      seen.resolve()
      await new Promise<void>((resolve, reject) => {
        if (listens) ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error))
        else released.promise.then(resolve, reject)
      })
    })
    bench.enqueue(job, ['long'])
    const worker = bench.worker([job])
    worker.start()
    await seen.promise
    await worker.stop(10)
    expect(bench.jobs).toEqual([{ name: 'long', state: 'available', attempt: 0 }])
    released.resolve()
  })
})
