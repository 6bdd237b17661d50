import { INSTALLATION, systemCtx, type Deps } from '../ctx'
import { transact } from '../db'
import type { JobDefinition } from './define'
import { enqueue } from './enqueue'

/** Work of the whole installation that comes again and again. */
export interface Schedule {
  name: string
  everyMs: number
  job: JobDefinition<Record<string, never>>
}

/** Names work that is done once in every span of `everyMs` milliseconds. */
export const defineSchedule = (name: string, everyMs: number, job: JobDefinition<Record<string, never>>): Schedule => ({
  name,
  everyMs,
  job,
})

/** Enqueues each schedule's job once per span of time; `seen` remembers the spans this process has enqueued. */
export function enqueueDueSchedules(deps: Deps, schedules: Schedule[], seen: Map<string, number>): void {
  const nowMs = deps.clock.nowMs()
  const due = schedules.filter(({ name, everyMs }) => seen.get(name) !== Math.floor(nowMs / everyMs))
  if (due.length === 0) return
  transact(deps.db, (tx) => {
    const ctx = systemCtx(deps, INSTALLATION)
    for (const { name, everyMs, job } of due)
      enqueue(tx, ctx, job, { args: {}, uniqueKey: `schedule:${name}:${Math.floor(nowMs / everyMs)}` })
  })
  for (const { name, everyMs } of due) seen.set(name, Math.floor(nowMs / everyMs))
}
