/**
 * Stands in for `node:fs` in a copy of the sources (`versions.ts`): kills the process like a power
 * cut before one of its changes to files or databases, the one that `KILL_AT` numbers from 1. Their
 * number is written to the file `KILL_COUNT`.
 */
import { Database } from 'bun:sqlite'
import * as fs from 'node:fs'

const { KILL_AT, KILL_COUNT } = process.env
const killAt = Number(KILL_AT ?? 0)
let steps = 0

if (KILL_COUNT !== undefined) process.on('exit', () => fs.writeFileSync(KILL_COUNT, String(steps)))

/** Counts a change. Kills the process before the one that is wanted. */
function step(): void {
  steps += 1
  if (KILL_COUNT !== undefined) fs.writeFileSync(KILL_COUNT, String(steps))
  if (steps === killAt) process.kill(process.pid, 'SIGKILL')
}

const stepping =
  <Given extends unknown[], Result>(
    call: (...given: Given) => Result,
  ): ((...given: Given) => Result) =>
  (...given) => {
    step()
    return call(...given)
  }

export * from 'node:fs'
export const chmodSync = stepping(fs.chmodSync)
export const copyFileSync = stepping(fs.copyFileSync)
export const fsyncSync = stepping(fs.fsyncSync)
export const linkSync = stepping(fs.linkSync)
export const mkdirSync = stepping(fs.mkdirSync)
export const renameSync = stepping(fs.renameSync)
export const rmSync = stepping(fs.rmSync)
export const unlinkSync = stepping(fs.unlinkSync)
export const writeFileSync = stepping(fs.writeFileSync)
export const writeSync = stepping(fs.writeSync)

type Run = (this: Database, ...given: unknown[]) => unknown
const run = Reflect.get(Database.prototype, 'run') as Run
Reflect.set(Database.prototype, 'run', function (this: Database, ...given: unknown[]) {
  step()
  return run.apply(this, given)
})
