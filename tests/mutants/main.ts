/**
 * Changes a folder of the source in many small ways, one at a time, and looks whether its tests
 * notice: `bun run mutants src/modules/exports`. Prints what survived and the part that was killed,
 * and ends with 1 when that is less than `--least` per cent.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { sourcesOf, testsOf, testsOfRoutes } from './concerned'
import { runOf, testsFor, type Run } from './coverage'
import { mutated, mutationsOf, nameOf, sampleOf, type Mutation } from './sample'

const ROOT = resolve(import.meta.dir, '../..')
/**
 * A test run with an endless loop in it is ended after so long, milliseconds, beside three times
 * what it takes.
 */
const PATIENCE_MS = 20_000
/** What a copy of the project consists of. */
const COPIED = [
  'src',
  'tests',
  'drizzle',
  'package.json',
  'bunfig.toml',
  'tsconfig.json',
  'README.md',
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
    'at-once': { type: 'string', default: '1' },
    least: { type: 'string', default: '80' },
    tests: { type: 'string' },
    only: { type: 'string', default: '' },
  },
})
process.chdir(ROOT)
const fail = (words: string): never => {
  console.error(words)
  process.exit(2)
}
const numberOf = (name: 'sample' | 'minutes' | 'at-once' | 'least'): number => {
  const value = Number(values[name])
  return Number.isInteger(value) && value > 0 ? value : fail(`--${name} is a whole number above 0.`)
}

/**
 * A copy of the project that mutations are made in; what is edited in the project meanwhile does
 * not disturb.
 */
function copyTo(folder: string): string {
  mkdirSync(folder)
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Whether one of the tests fails with the mutation in place, or does not end. */
async function isKilled(mutation: Mutation, runs: Run[], copy: string): Promise<boolean> {
  const file = join(copy, mutation.file)
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, mutated(text, mutation))
  try {
    const own = testsFor(mutation, runs).map(({ test, tookMs }) => ({ test, part: '', tookMs }))
    for (const { test, part, tookMs } of [
      ...own,
      ...testsOfRoutes(mutation.file).map((each) => ({ ...each, tookMs: PATIENCE_MS })),
    ]) {
      const command = [
        'bun',
        'test',
        '--bail',
        '--timeout',
        '60000',
        ...(part === '' ? [] : ['-t', part]),
        test,
      ]
      const timeout = PATIENCE_MS + 3 * Math.ceil(tookMs)
      const run = Bun.spawn(command, {
        cwd: copy,
        stdout: 'ignore',
        stderr: 'ignore',
        timeout,
        killSignal: 'SIGKILL',
      })
      if ((await run.exited) !== 0) return true
    }
    return false
  } finally {
    writeFileSync(file, text)
  }
}

/**
 * Tries the mutations, `--at-once` at the same time, until the time is over; returns those tried
 * with what became of them.
 */
async function tryAll(
  sample: Mutation[],
  runs: Run[],
  copies: string[],
): Promise<{ mutation: Mutation; killed: boolean }[]> {
  const deadlineMs = performance.now() + numberOf('minutes') * 60_000
  const waiting = [...sample]
  const tried: { mutation: Mutation; killed: boolean }[] = []
  const work = async (copy: string): Promise<void> => {
    for (
      let mutation = waiting.shift();
      mutation !== undefined && performance.now() < deadlineMs;
      mutation = waiting.shift()
    ) {
      const killed = await isKilled(mutation, runs, copy)
      tried.push({ mutation, killed })
      if (!killed) console.log(`survived: ${nameOf(mutation)}`)
    }
  }
  await Promise.all(copies.map(work))
  return tried
}

const folder = (positionals[0] ?? '').replace(/\/$/, '')
const sources = /^src\/./.test(folder) ? sourcesOf(folder) : []
if (sources.length === 0)
  fail(
    'Name a folder of the source: bun run mutants src/modules/exports [--sample 60] [--seed 1] [--minutes 60].',
  )
const tests = values.tests?.split(',') ?? testsOf(folder)
if (tests.length === 0)
  fail(`No tests lie beside ${folder}; name them with --tests a.test.ts,b.test.ts.`)

const temp = mkdtempSync(join(tmpdir(), 'switchboard-mutants-'))
process.on('exit', () => rmSync(temp, { recursive: true, force: true }))
const first = copyTo(join(temp, '0'))
const copies = [
  first,
  ...Array.from({ length: numberOf('at-once') - 1 }, (_, nth) =>
    copyTo(join(temp, String(nth + 1))),
  ),
]
process.chdir(first)
const all = await mutationsOf(sources)
const sample = sampleOf(all, { size: numberOf('sample'), seed: values.seed }).filter((mutation) =>
  nameOf(mutation).includes(values.only),
)
const ran = tests.map((test) => ({ test, run: runOf(test, temp) }))
for (const { test, run } of ran)
  if (run === null) console.log(`left out, for it fails before anything is changed: ${test}`)
const runs = ran.flatMap(({ run }) => run ?? [])
if (runs.length === 0) fail('No tests pass before anything is changed.')
console.log(
  `${sample.length} of ${all.length} mutations of ${folder}, seed ${values.seed}, ${runs.length} test files.`,
)
const tried = await tryAll(sample, runs, copies)
const killed = tried.filter((each) => each.killed).length
const percent = Math.round((1_000 * killed) / Math.max(1, tried.length)) / 10
console.log(`${killed} of ${tried.length} killed, ${percent} %.`)
if (tried.length < sample.length)
  console.log(`No more fit into ${values.minutes} minutes; --minutes gives them more time.`)
process.exitCode = percent < numberOf('least') ? 1 : 0
