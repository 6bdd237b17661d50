/**
 * Proves the whole project: installs, then runs every check and every test, prints each result with
 * its time, and ends with the line `N passed, N failed`, which counts each test and each tool. Uses
 * nothing but Bun, since it starts before the install.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'

import { readTestSummary, type TestCounts } from './support/test-summary'

interface Step {
  name: string
  /** Arguments for this very Bun. */
  args: string[]
  limitS: number
  /** A tool counts as one, a test run as its tests. */
  countsTests?: boolean
  /** A step of another sequence that must have ended before. */
  needs?: Step
  /** Whether it runs with low priority. */
  isLowPriority?: boolean
  env?: Record<string, string>
}

interface Ended {
  exitCode: number | null
  output: string
  tookS: number
  isTimedOut: boolean
}

/**
 * Runtime options for code that runs as rarely as it does in tests. They save a third of the
 * processor time: the last compiler is off, the one before it starts later, and garbage is collected
 * only when needed, in the thread that made it. The allocator keeps its memory for the next test,
 * which saves a fifth of the time in the kernel. The program under test runs with the defaults.
 */
const FOR_TESTS = {
  BUN_JSC_useFTLJIT: '0',
  BUN_JSC_thresholdForOptimizeAfterWarmUp: '4000',
  BUN_JSC_useConcurrentGC: '0',
  BUN_GC_TIMER_DISABLE: '1',
  MIMALLOC_PURGE_DELAY: '-1',
  MIMALLOC_PURGE_HOLES: '0',
  MIMALLOC_SCAVENGER: '0',
}

const tool = (name: string, script: string, limitS = 600): Step => ({
  name,
  args: ['run', script],
  limitS,
  isLowPriority: true,
})
const tests = (name: string, args: string[], limitS: number): Step => ({
  name,
  args: ['test', '--timeout', '30000', '--only-failures', ...args],
  limitS,
  countsTests: true,
  env: FOR_TESTS,
})

const install: Step = {
  name: 'install',
  args: ['install', '--frozen-lockfile', '--silent'],
  limitS: 120,
}
const build: Step = { ...tool('build', 'build:executable', 120), isLowPriority: false }

/**
 * Number of processes that run tests, each with one file at a time. It exceeds the number of cores,
 * because some tests wait. Fewer processes compile less; with more, tests that need a core of their
 * own would fail on a busy machine. Each leads a process group of its own, hence `--no-orphans`: it
 * and everything it started end with the run.
 */
const WORKERS = 3

/** The steps after the install. The sequences run side by side, each in its order. */
const SEQUENCES: Step[][] = [
  [
    build,
    tests(
      'tests',
      [
        '--no-orphans',
        `--parallel=${WORKERS}`,
        '--no-isolate',
        '--path-ignore-patterns',
        'tests/binary/**',
      ],
      1_800,
    ),
  ],
  // These run while tests wait, so that both sequences end at about the same time.
  [
    tool('types', 'check:types'),
    tool('format', 'check:format'),
    { ...tests('binary', ['./tests/binary/'], 240), needs: build },
    // On several cores its type checker repeats much of its work, and other steps need the cores.
    { ...tool('lint', 'check:lint'), env: { GOMAXPROCS: '1' } },
    tool('dead code', 'check:unused'),
    tool('migrations up to date', 'db:check'),
  ],
]

const SHOWN_LINES = 400
/**
 * The niceness of steps with low priority: a third of the weight of others, which is enough to end
 * before them.
 */
const LOW_PRIORITY = 5

const root = join(import.meta.dir, '..')
const logs = mkdtempSync(join(tmpdir(), 'switchboard-verify-'))
const running = new Set<number>()

/** Kills a step and everything it started: each step leads a process group of its own. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended by itself.
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LOW_PRIORITY)
  } catch {
    // Some systems do not permit it. The step then runs with normal priority.
  }
}

async function run(step: Step): Promise<Ended> {
  const startedMs = performance.now()
  const log = join(logs, `${step.name.replaceAll(' ', '-')}.log`)
  const sink = openSync(log, 'w')
  const child = Bun.spawn([process.execPath, ...step.args], {
    cwd: root,
    env: {
      ...process.env,
      NO_COLOR: '1',
      PROGRAM_UNDER_TEST: join(root, 'dist/switchboard'),
      ...step.env,
    },
    stdin: 'ignore',
    stdout: sink,
    stderr: sink,
    detached: true,
  })
  running.add(child.pid)
  if (step.isLowPriority) lowerPriority(child.pid)
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
  return {
    exitCode: child.exitCode,
    output: readFileSync(log, 'utf8'),
    tookS: (performance.now() - startedMs) / 1000,
    isTimedOut,
  }
}

function countsOf(step: Step, ended: Ended): TestCounts {
  if (step.countsTests) return readTestSummary(ended.output, ended.exitCode)
  return ended.exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

function report(step: Step, ended: Ended, counts: TestCounts): void {
  const detail = step.countsTests ? `  ${counts.passed} passed, ${counts.failed} failed` : ''
  console.log(
    `${counts.failed === 0 ? 'ok    ' : 'FAILED'} ${step.name.padEnd(22)} ${ended.tookS.toFixed(1).padStart(6)} s${detail}`,
  )
  if (counts.failed === 0) return
  const lines = ended.output.trimEnd().split('\n')
  if (lines.length > SHOWN_LINES)
    console.log(`      … ${lines.length - SHOWN_LINES} lines left out`)
  for (const line of lines.slice(-SHOWN_LINES)) console.log(`      ${line}`)
  if (ended.isTimedOut) console.log(`      stopped after ${step.limitS} s`)
  else console.log(`      exit code ${ended.exitCode}`)
}

/**
 * Runs a step to its end and adds what it came to. A step that cannot even start is a failure like
 * any other.
 */
async function settle(step: Step, total: TestCounts): Promise<void> {
  const ended = await run(step).catch((error: unknown): Ended => ({
    exitCode: null,
    output: String(error),
    tookS: 0,
    isTimedOut: false,
  }))
  const counts = countsOf(step, ended)
  report(step, ended, counts)
  total.passed += counts.passed
  total.failed += counts.failed
}

/**
 * Everything, the sequences side by side; nothing can work without the install, so a failed one ends
 * the run.
 */
async function verify(): Promise<TestCounts> {
  const total: TestCounts = { passed: 0, failed: 0 }
  await settle(install, total)
  if (total.failed > 0) return total
  const ends = new Map(SEQUENCES.flat().map((step) => [step, Promise.withResolvers<void>()]))
  const runInOrder = async (sequence: Step[]): Promise<void> => {
    for (const step of sequence) {
      if (step.needs) await ends.get(step.needs)?.promise
      await settle(step, total)
      ends.get(step)?.resolve()
    }
  }
  await Promise.all(SEQUENCES.map(runInOrder))
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
