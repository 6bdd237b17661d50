import { Database } from 'bun:sqlite'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { isoTime } from '../../lib/clock'
import type { DataDir } from '../data-dir'
import { flushFile } from './copy-database'
import { PARTS } from './manifest'

/** Returns the work folder of a restore. While it exists, the data folder may be incomplete. */
export const restoreWorkDir = (dir: Pick<DataDir, 'path'>): string => join(dir.path, 'restoring')

/** The parts of a backup in the work folder, ready to replace those of the data folder. */
const readyIn = (dir: Pick<DataDir, 'path'>): string => join(restoreWorkDir(dir), 'ready')

const planIn = (dir: Pick<DataDir, 'path'>): string => join(restoreWorkDir(dir), 'swap.json')

/**
 * Parts of a data folder that a restore replaces. The database goes first and comes last: while it
 * is missing, no server starts.
 */
const REPLACED = [PARTS.database, `${PARTS.database}-wal`, `${PARTS.database}-shm`, PARTS.files]
const BROUGHT = [PARTS.files, PARTS.database]

/** What a replacement moves, written before it begins, so that it can be undone or reported. */
interface Plan {
  mark: string
  former: string[]
  brought: string[]
  /** What the operator is told in the end. */
  report: unknown
}

const keptName = (name: string, mark: string): string => `${name}.${mark}.before-restore`

/** A replacement that was interrupted: whether all of it was done, and what it would have reported. */
export interface InterruptedSwap {
  isComplete: boolean
  report: unknown
  former: string[]
}

/**
 * Replaces the current files with the staged ones, and keeps the former ones as `*.before-restore`.
 * The database is last: while it is missing, the work folder keeps a server from starting. Returns
 * the new names of the former files.
 */
export function replaceWithStaged(dir: DataDir, nowMs: number, report: unknown = null): string[] {
  const ready = readyIn(dir)
  flushFile(join(ready, PARTS.database))
  applyLog(dir.databasePath)
  const plan: Plan = {
    mark: freeMark(dir, nowMs),
    former: REPLACED.filter((name) => existsSync(join(dir.path, name))),
    brought: BROUGHT.filter((name) => existsSync(join(ready, name))),
    report,
  }
  writePlan(dir, plan)
  for (const name of plan.former)
    renameSync(join(dir.path, name), join(dir.path, keptName(name, plan.mark)))
  for (const name of plan.brought) renameSync(join(ready, name), join(dir.path, name))
  flushFile(dir.path)
  rmSync(restoreWorkDir(dir), { recursive: true, force: true })
  return plan.former.map((name) => keptName(name, plan.mark))
}

/** Returns the second in which data is replaced, with a number if others were replaced in it, too. */
function freeMark(dir: DataDir, nowMs: number): string {
  const second = isoTime(nowMs).slice(0, 19).replaceAll(/[-:]/g, '')
  const isTaken = (mark: string): boolean =>
    REPLACED.some((name) => existsSync(join(dir.path, keptName(name, mark))))
  let mark = second
  for (let times = 2; isTaken(mark); times += 1) mark = `${second}-${times}`
  return mark
}

function writePlan(dir: DataDir, plan: Plan): void {
  const path = planIn(dir)
  writeFileSync(`${path}.new`, JSON.stringify(plan), { mode: 0o600 })
  flushFile(`${path}.new`)
  renameSync(`${path}.new`, path)
  flushFile(restoreWorkDir(dir))
}

const readPlan = (dir: DataDir): Plan | null =>
  existsSync(planIn(dir)) ? (JSON.parse(readFileSync(planIn(dir), 'utf8')) as Plan) : null

/**
 * Ends a replacement that was interrupted: removes its work folder if everything was in place, and
 * moves the former files back otherwise. May be interrupted and repeated itself. Returns `null` if
 * there was none.
 */
export function endInterruptedSwap(dir: DataDir): InterruptedSwap | null {
  const plan = readPlan(dir)
  if (plan === null) return null
  const { mark, report } = plan
  const isComplete = !existsSync(join(readyIn(dir), PARTS.database))
  if (!isComplete) undo(dir, plan)
  flushFile(dir.path)
  // The plan first, because without it the rest is only a staged backup.
  rmSync(planIn(dir), { force: true })
  rmSync(restoreWorkDir(dir), { recursive: true, force: true })
  return { isComplete, report, former: plan.former.map((name) => keptName(name, mark)) }
}

/** The database is last here, too: until it is back, no server starts. */
function undo(dir: DataDir, { mark, former, brought }: Plan): void {
  const at = (name: string): string => join(dir.path, name)
  const hasCome = (name: string): boolean =>
    brought.includes(name) && !existsSync(join(readyIn(dir), name)) && existsSync(at(name))
  // Brought back to where it was staged, so that an interrupted undo is seen as such.
  for (const name of BROUGHT.filter(hasCome)) renameSync(at(name), join(readyIn(dir), name))
  for (const name of former.toReversed())
    if (existsSync(at(keptName(name, mark))) && !existsSync(at(name)))
      renameSync(at(keptName(name, mark)), at(name))
}

/** Applies the log of a database to it. If that fails, the log is kept beside it. */
export function applyLog(path: string): void {
  if (!existsSync(path)) return
  try {
    const database = new Database(path, { strict: true })
    database.run('pragma wal_checkpoint(truncate)')
    database.close()
  } catch {
    // A damaged database may be the reason for the restore.
  }
}
