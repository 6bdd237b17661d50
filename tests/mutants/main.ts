/**
 * Changes a folder of the source in many small ways, one at a time, and looks whether its tests notice: `bun run mutants src/modules/exports`.
 * Prints what survived and the part that was killed, and ends with 1 when that is less than `--least` per cent.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { sourcesOf, testsOf } from './concerned'
import { patternOf, rangesOf, sampleOf } from './sample'

const ROOT = resolve(import.meta.dir, '../..')
const STRYKER = fileURLToPath(new URL('../../bin/stryker.js', import.meta.resolve('@stryker-mutator/core')))
/** A test run with an endless loop in it is ended after so long, milliseconds, beside one and a half times what it takes. */
const PATIENCE_MS = 30_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
    'at-once': { type: 'string', default: '1' },
    least: { type: 'string', default: '80' },
    tests: { type: 'string' },
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

const folder = (positionals[0] ?? '').replace(/\/$/, '')
const sources = /^src\/./.test(folder) ? sourcesOf(folder) : []
if (sources.length === 0) fail('Name a folder of the source: bun run mutants src/modules/exports [--sample 60] [--seed 1] [--minutes 60].')
const tests = values.tests?.split(',') ?? testsOf(folder)
if (tests.length === 0) fail(`No tests lie beside ${folder}; name them with --tests a.test.ts,b.test.ts.`)

const command = ['bun', 'test', '--bail', '--timeout', '30000', ...tests]
const startedMs = performance.now()
const plain = Bun.spawnSync(command, { stdout: 'ignore', stderr: 'pipe' })
if (plain.exitCode !== 0) fail(`The tests fail before anything is changed:\n${plain.stderr.toString().slice(-2_000)}`)
const onceMs = performance.now() - startedMs

const [atOnce, minutes] = [numberOf('at-once'), numberOf('minutes')]
const room = Math.max(1, Math.floor((minutes * 60_000 * atOnce) / onceMs))
const all = await rangesOf(sources)
const { ranges, mutations } = sampleOf(all, { size: Math.min(numberOf('sample'), room), seed: values.seed })
console.log(
  `${mutations} of ${all.length} mutations of ${folder} (seed ${values.seed}); ${tests.length} test files take ${Math.round(onceMs / 1_000)} s each time.`,
)
if (room < numberOf('sample')) console.log(`No more fit into ${minutes} minutes; --minutes gives them more time.`)

const temp = mkdtempSync(join(tmpdir(), 'switchboard-mutants-'))
const report = join('dist/mutants', `${folder.replaceAll('/', '-')}-${values.seed}.json`)
mkdirSync('dist/mutants', { recursive: true })
const settings = {
  testRunner: 'command',
  commandRunner: { command: command.join(' ') },
  mutate: ranges.map(patternOf),
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: report },
  thresholds: { high: 100, low: numberOf('least'), break: numberOf('least') },
  concurrency: atOnce,
  timeoutMS: PATIENCE_MS,
  tempDirName: join(temp, 'sandbox'),
  ignorePatterns: ['dist', 'data', 'tests/bench/results'],
  disableTypeChecks: false,
  tsconfigFile: 'none.json', // its reader knows no TypeScript 7
  checkers: [],
  plugins: [],
  allowConsoleColors: false,
}
try {
  const file = join(temp, 'settings.json')
  writeFileSync(file, JSON.stringify(settings))
  const stryker = Bun.spawn(['bun', '--bun', STRYKER, 'run', file], { stdout: 'inherit', stderr: 'inherit' })
  const deadline = setTimeout(() => stryker.kill(), 2 * minutes * 60_000)
  const code = await stryker.exited
  clearTimeout(deadline)
  console.log(`The report is in ${report}.`)
  process.exitCode = code
} finally {
  rmSync(temp, { recursive: true, force: true })
}
