/**
 * Proves the whole project: installs, then runs every check and every test, prints each result with its time, and ends with
 * the line `N passed, N failed`, which counts each test and each tool. Uses nothing but Bun, since it starts before the install.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { readTestSummary, type TestCounts } from './support/test-summary'

interface Step {
  name: string
  /** Arguments for this very Bun. */
  args: string[]
  limitS: number
  /** A tool counts as one, a test run as its tests. */
  countsTests?: boolean
  /** What must have ended before; it stands before this one. */
  needs?: Step
  env?: Record<string, string>
}

interface Ended {
  exitCode: number | null
  output: string
  tookS: number
  isTimedOut: boolean
}

const tool = (name: string, script: string, limitS = 120): Step => ({ name, args: ['run', script], limitS })
const tests = (name: string, args: string[], limitS: number): Step => ({
  name,
  args: ['test', '--timeout', '30000', '--only-failures', ...args],
  limitS,
  countsTests: true,
  // The last of the runtime's compilers takes longer than it spares code that runs as seldom as it does in tests. The program under test has it.
  env: { BUN_JSC_useFTLJIT: '0' },
})

const install: Step = { name: 'install', args: ['install', '--frozen-lockfile', '--silent'], limitS: 120 }
const build = tool('build', 'build')

/** In how many processes the tests run: more of them end closer to each other, but each begins anew. */
const PARTS = 8

const partOf = (nth: number): Step => {
  const args = [`--shard=${nth}/${PARTS}`, '--path-ignore-patterns', 'tests/binary/**']
  return { ...tests(`tests, part ${nth} of ${PARTS}`, args, 280), needs: build }
}

/** All that follows the install, in the order in which it begins. Checks come last: they fill the cores that the tests leave as they end. */
const STEPS: Step[] = [
  build,
  // What is quick and keeps the other core busy while the program is built goes along.
  tool('types', 'check:types'),
  tool('format', 'check:format'),
  ...Array.from({ length: PARTS }, (_, index) => partOf(index + 1)),
  { ...tests('binary', ['./tests/binary/'], 60), needs: build },
  // Its type checker does on several cores much of the work several times; others need them.
  { ...tool('lint', 'check:lint', 200), env: { GOMAXPROCS: '1' } },
  tool('dead code', 'check:unused'),
  tool('migrations up to date', 'db:check'),
]

// More at a time than there may be cores, for some wait: a test that needs a core for itself would be one that fails on a busy machine.
const AT_ONCE = 3
const SHOWN_LINES = 400

const root = join(import.meta.dir, '..')
const logs = mkdtempSync(join(tmpdir(), 'switchboard-verify-'))
const running = new Set<number>()

/** Ends a step with everything it started: each step leads a process group of its own. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended by itself.
  }
}

async function run(step: Step): Promise<Ended> {
  const startedMs = performance.now()
  const log = join(logs, `${step.name.replaceAll(' ', '-')}.log`)
  const sink = openSync(log, 'w')
  const child = Bun.spawn([process.execPath, ...step.args], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', PROGRAM_UNDER_TEST: join(root, 'dist/switchboard'), ...step.env },
    stdin: 'ignore',
    stdout: sink,
    stderr: sink,
    detached: true,
  })
  running.add(child.pid)
  let isTimedOut = false
  const alarm = setTimeout(() => {
    isTimedOut = true
    killGroup(child.pid)
  }, step.limitS * 1000)
  await child.exited
  clearTimeout(alarm)
  killGroup(child.pid)
  running.delete(child.pid)
  closeSync(sink)
  return { exitCode: child.exitCode, output: readFileSync(log, 'utf8'), tookS: (performance.now() - startedMs) / 1000, isTimedOut }
}

function countsOf(step: Step, ended: Ended): TestCounts {
  if (step.countsTests) return readTestSummary(ended.output, ended.exitCode)
  return ended.exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

function report(step: Step, ended: Ended, counts: TestCounts): void {
  const detail = step.countsTests ? `  ${counts.passed} passed, ${counts.failed} failed` : ''
  console.log(`${counts.failed === 0 ? 'ok    ' : 'FAILED'} ${step.name.padEnd(22)} ${ended.tookS.toFixed(1).padStart(6)} s${detail}`)
  if (counts.failed === 0) return
  const lines = ended.output.trimEnd().split('\n')
  if (lines.length > SHOWN_LINES) console.log(`      … ${lines.length - SHOWN_LINES} lines left out`)
  for (const line of lines.slice(-SHOWN_LINES)) console.log(`      ${line}`)
  if (ended.isTimedOut) console.log(`      stopped after ${step.limitS} s`)
  else console.log(`      exit code ${ended.exitCode}`)
}

/** Runs a step to its end and adds what it came to. A step that cannot even start is a failure like any other. */
async function settle(step: Step, total: TestCounts): Promise<void> {
  const ended = await run(step).catch((error: unknown): Ended => ({ exitCode: null, output: String(error), tookS: 0, isTimedOut: false }))
  const counts = countsOf(step, ended)
  report(step, ended, counts)
  total.passed += counts.passed
  total.failed += counts.failed
}

/** Everything, in order, `AT_ONCE` steps side by side; nothing can work without the install, so a failed one ends the run. */
async function verify(): Promise<TestCounts> {
  const total: TestCounts = { passed: 0, failed: 0 }
  await settle(install, total)
  if (total.failed > 0) return total
  const waiting = [...STEPS]
  const ended = new Map<Step, Promise<void>>()
  const lane = async (): Promise<void> => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      if (step.needs) await ended.get(step.needs)
      const work = settle(step, total)
      ended.set(step, work)
      await work
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return total
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const pid of running) killGroup(pid)
    console.log('interrupted\n0 passed, 1 failed')
    process.exit(1)
  })
}

const total = await verify()
rmSync(logs, { recursive: true, force: true })
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exit(total.failed === 0 ? 0 : 1)
