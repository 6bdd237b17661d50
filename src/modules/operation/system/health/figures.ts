import { and, asc, eq, gte } from 'drizzle-orm'

import { DAY_MS, isoTime, SECOND_MS } from '../../../../lib/clock'
import { INSTALLATION, type Deps, type JobCtx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { saveArgsIn } from '../../../../infra/jobs/save-args'
import { jobs } from '../../../../infra/jobs/table'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { oldestPendingMs } from '../../../channel/inbound/journal/staging-queue'
import { NoteFigures, type NoteFiguresArgs } from '../jobs'
import { countFailed } from './failed-jobs'
import type { FigureList, Noted } from './model'

declare module '../../../../infra/ctx' {
  interface Deps {
    /** Returns how long other work waited at most since it was last asked, seconds. */
    loopWaits: { take: () => number }
  }
}

const MAX_WAITING = 10_000

/**
 * Notes the figures of the moment in the row of the job itself, which is kept for a day as every job
 * that is completed: a day of figures, which ends by itself.
 */
export async function noteFigures(ctx: JobCtx): Promise<void> {
  const figures = await figuresNow(ctx)
  transact(ctx.db, (tx) => {
    saveArgsIn(tx, ctx, NoteFigures, { figures })
  })
}

async function figuresNow(deps: Deps): Promise<Noted> {
  const { values } = await deps.metrics.messages.get()
  const sum = (direction: string, isFailed: boolean): number =>
    values
      .filter(({ labels }) => labels.direction === direction)
      .filter(({ labels }) => (labels.outcome === 'failed') === isFailed)
      .reduce((total, { value }) => total + value, 0)
  const waiting = deps.db.sqlite
    .query<{ n: number }, [number]>(
      "select count(*) as n from (select 1 from jobs where state = 'available' and is_blocked = 0 limit ?)",
    )
    .get(MAX_WAITING)
  const pendingMs = oldestPendingMs(deps)
  return {
    messages_in: sum('incoming', false),
    messages_out: sum('outgoing', false),
    messages_failed: sum('outgoing', true),
    jobs_waiting: waiting?.n ?? 0,
    jobs_failed: countFailed(deps),
    webhook_lag_seconds:
      pendingMs === Infinity ? 0 : Math.max(0, deps.clock.nowMs() - pendingMs) / SECOND_MS,
    loop_wait_seconds: deps.loopWaits.take(),
    memory_bytes: process.memoryUsage.rss(),
  }
}

/** Returns the figures of the last day, of messages those since the figures before. */
export function notedFigures(ctx: ReadCtx, _query: null): FigureList {
  const rows = ctx.db.orm
    .select({ args: jobs.args, atMs: jobs.finishedAtMs })
    .from(jobs)
    .where(
      and(
        eq(jobs.organizationId, INSTALLATION),
        eq(jobs.state, 'completed'),
        eq(jobs.kind, NoteFigures.name),
        gte(jobs.finishedAtMs, ctx.clock.nowMs() - DAY_MS),
      ),
    )
    .orderBy(asc(jobs.id))
    .all()
  const noted = rows.flatMap(({ args, atMs }) => {
    const { figures } = JSON.parse(args) as NoteFiguresArgs
    return figures === undefined ? [] : [{ ...figures, atMs: atMs ?? 0 }]
  })
  return {
    items: noted.slice(1).map((now, nth) => {
      const before = noted[nth]
      // a counter that is lower began at zero, with the process
      const since = (key: 'messages_in' | 'messages_out' | 'messages_failed'): number =>
        now[key] - (before && before[key] <= now[key] ? before[key] : 0)
      const { atMs, ...figures } = now
      return {
        at: isoTime(atMs),
        ...figures,
        messages_in: since('messages_in'),
        messages_out: since('messages_out'),
        messages_failed: since('messages_failed'),
      }
    }),
  }
}
