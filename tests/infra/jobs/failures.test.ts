import { describe, expect, test } from 'bun:test'

import { HOUR_MS, SECOND_MS } from '../../../src/lib/clock'
import { pauseMs } from '../../../src/infra/jobs/record-result'
import { pruneJobs } from '../../../src/infra/jobs/prune'
import { finish, rowJob, waitingJob, Workbench } from '../../support/workbench'

describe('a job that fails', () => {
  test('is retried after an exponential pause from one second to six hours with full jitter', () => {
    for (const [attempt, ceilingMs] of [
      [1, SECOND_MS],
      [2, 2 * SECOND_MS],
      [5, 16 * SECOND_MS],
      [15, 16_384 * SECOND_MS],
      [16, 6 * HOUR_MS],
      [2_000, 6 * HOUR_MS],
    ] as const) {
      expect({ attempt, least: pauseMs(attempt, () => 0) }).toEqual({ attempt, least: 0 })
      expect({ attempt, half: pauseMs(attempt, () => 0.5) }).toEqual({
        attempt,
        half: ceilingMs / 2,
      })
      expect(pauseMs(attempt, () => 0.999_999)).toBeLessThanOrEqual(ceilingMs)
    }
  })

  test.each(['async', 'transaction'] as const)(
    '(%s) keeps what went wrong and succeeds at its next attempt',
    async (mode) => {
      using bench = new Workbench()
      const run = ({ attempt }: { attempt: number }): void => {
        if (attempt === 1) throw new Error('not today')
      }
      const job =
        mode === 'async' ? waitingJob(async (ctx) => run(ctx)) : rowJob((_tx, ctx) => run(ctx))
      bench.enqueue(job, ['one'])
      const worker = bench.worker([job])
      await finish(worker)
      expect(
        bench.rows('select state, attempt, scheduled_at_ms - attempted_at_ms as pause from jobs'),
      ).toEqual([{ state: 'retryable', attempt: 1, pause: SECOND_MS / 2 }])
      bench.clock.advance({ ms: 499 })
      await finish(worker)
      expect(bench.states()).toEqual(['retryable'])
      bench.clock.advance({ ms: 1 })
      await finish(worker)
      const [row] = bench.rows('select state, attempt, errors from jobs')
      expect<unknown>({ ...row, errors: JSON.parse(String(row?.['errors'])) }).toEqual({
        state: 'completed',
        attempt: 2,
        errors: [{ attempt: 1, at_ms: bench.clock.nowMs() - 500, message: 'not today' }],
      })
    },
  )

  test('frees its slot when it throws synchronously', async () => {
    using bench = new Workbench({ workers: 1 })
    const atOnce = (): Promise<void> => {
      throw new Error('at once')
    }
    const job = waitingJob(atOnce, { maxAttempts: 1 })
    bench.enqueue(job, ['one', 'two', 'three'])
    await finish(bench.worker([job]))
    expect(bench.states()).toEqual(['discarded', 'discarded', 'discarded'])
  })

  test('is discarded after its last attempt together with its follow-up, and stays visible', async () => {
    using bench = new Workbench()
    const job = waitingJob(
      async () => {
        throw new Error('never works')
      },
      {
        maxAttempts: 3,
        whenDiscarded: (_tx, ctx, { name }, reason) =>
          bench.write(
            `${name} given up at ${ctx.attempt}: ${reason}, in transaction: ${bench.deps.db.sqlite.inTransaction}`,
          ),
      },
    )
    bench.enqueue(job, ['one'])
    const worker = bench.worker([job])
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await finish(worker)
      bench.clock.advance({ hours: 1 })
    }
    expect(bench.jobs).toEqual([{ name: 'one', state: 'discarded', attempt: 3 }])
    expect(bench.written).toEqual(['one given up at 3: never works, in transaction: true'])
    pruneJobs(bench.deps)
    bench.clock.advance({ hours: 29 * 24 })
    pruneJobs(bench.deps)
    expect(bench.states()).toEqual(['discarded'])
    bench.clock.advance({ hours: 24 })
    pruneJobs(bench.deps)
    expect(bench.jobs).toEqual([])
  })

  test('is discarded even when its follow-up fails and is rolled back', async () => {
    using bench = new Workbench()
    const job = rowJob(
      () => {
        throw new Error('never works')
      },
      {
        maxAttempts: 1,
        whenDiscarded: () => {
          bench.write('half done')
          throw new Error('neither does this')
        },
      },
    )
    bench.enqueue(job, ['one'])
    await finish(bench.worker([job]))
    expect(bench.states()).toEqual(['discarded'])
    expect(bench.written).toEqual([])
    expect(
      bench.logLines.some((line) => line.includes('follow-up of a discarded job failed')),
    ).toBe(true)
  })
})
