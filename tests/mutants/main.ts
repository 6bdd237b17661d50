/**
 * Changes folders of the source in many small ways, one at a time, and looks whether their tests
 * notice: `bun run mutants src/modules/data/exports`. Prints what became of each mutation and the part
 * that was killed, and ends with 1 when that is less than `--least` per cent.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { baselineOf, stepsFor, type Baseline } from './baseline'
import { firstStepsFor, sourcesOf, testsOf, testsOfDeclarations } from './concerned'
import { Copy } from './copy'
import { MISTAKES } from './mistakes'
import { instrumented, mutationsOf, nameOf, sampleOf, type Mutation } from './sample'
import { Trial } from './trial'

const ROOT = resolve(import.meta.dir, '../..')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
    seconds: { type: 'string', default: '60' },
    least: { type: 'string', default: '80' },
    tests: { type: 'string' },
    only: { type: 'string', default: '' },
    after: { type: 'string' },
    mistakes: { type: 'boolean', default: false },
  },
})
process.chdir(ROOT)
const fail = (words: string): never => {
  console.error(words)
  process.exit(2)
}
const numberOf = (name: 'sample' | 'minutes' | 'seconds' | 'least'): number => {
  const value = Number(values[name])
  return Number.isInteger(value) && value > 0 ? value : fail(`--${name} is a whole number above 0.`)
}

/** Runs the test files without a mutation, each once more when it fails; names those left out. */
async function measure(copy: Copy, tests: string[]): Promise<Baseline[]> {
  const baselines: Baseline[] = []
  for (const file of tests) {
    const baseline = (await baselineOf(copy, file)) ?? (await baselineOf(copy, file))
    if (baseline === null) console.log(`left out, it fails without a mutation: ${file}`)
    else baselines.push(baseline)
  }
  return baselines
}

/** The names of the mutations that the report of an earlier run says were killed. */
const killedBefore = new Set(
  values.after === undefined
    ? []
    : [...readFileSync(values.after, 'utf8').matchAll(/^killed \([^)]*\): (.*)$/gm)].map(
        ([, name]) => name,
      ),
)

/** Tries the mutations until the time is over; returns whether each of those tried was killed. */
async function tryAll(
  byId: Map<string, Mutation>,
  baselines: Baseline[],
  copy: Copy,
): Promise<boolean[]> {
  const deadlineMs = performance.now() + numberOf('minutes') * 60_000
  const trial = new Trial(copy)
  const killed: boolean[] = []
  for (const [id, mutation] of byId) {
    if (performance.now() > deadlineMs) break
    if (killedBefore.has(nameOf(mutation))) {
      console.log(`killed (before): ${nameOf(mutation)}`)
      killed.push(true)
      continue
    }
    const startedMs = performance.now()
    const steps = [...firstStepsFor(mutation.file), ...stepsFor(id, baselines)]
    const { isKilled, by, isComplete } = await trial.judge(id, steps, numberOf('seconds') * 1_000)
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
    const reason =
      steps.length === 0 ? ', no test reaches it' : isComplete ? '' : ', not all tests had a turn'
    console.log(
      isKilled
        ? `killed (${seconds} s): ${nameOf(mutation)}\n  by ${by}`
        : `survived (${seconds} s${reason}): ${nameOf(mutation)}\n  ${lineOf(mutation)}`,
    )
    killed.push(isKilled)
  }
  return killed
}

const lineOf = ({ file, start }: Mutation): string =>
  (readFileSync(file, 'utf8').split('\n')[start.line] ?? '').trim()

const folders = positionals.map((folder) => folder.replace(/\/$/, ''))
const sources = folders.flatMap((folder) => (/^src\/./.test(folder) ? sourcesOf(folder) : []))
if (sources.length === 0)
  fail(
    'Name folders of the source: bun run mutants src/modules/data/exports [--sample 60] [--seed 1] [--minutes 60] [--seconds 60].',
  )
const tests = values.tests?.split(',') ?? [
  ...new Set([...folders.flatMap(testsOf), ...testsOfDeclarations(sources)]),
]
if (tests.length === 0) fail('No tests lie beside it; name them with --tests a.test.ts,b.test.ts.')

const temp = mkdtempSync(join(tmpdir(), 'switchboard-mutants-'))
process.on('exit', () => rmSync(temp, { recursive: true, force: true }))
const copy = new Copy(ROOT, join(temp, 'copy'))
process.chdir(copy.folder)
const all = (await mutationsOf(sources)).filter(
  ({ kind }) => !values.mistakes || MISTAKES.has(kind),
)
const sample = sampleOf(all, { size: numberOf('sample'), seed: values.seed }).filter((mutation) =>
  nameOf(mutation).includes(values.only),
)
// `mutationsOf` and `instrumented` read the same files, before they are overwritten.
const { files, byId } = await instrumented(sample)
if (byId.size !== sample.length) fail('Not every mutation of the sample could be placed.')
// Lines of survivors are shown from the files as they were.
const uninstrumented = new Copy(ROOT, join(temp, 'uninstrumented'))
copy.instrument(files)
const baselines = await measure(copy, tests)
if (baselines.length === 0) fail('No tests pass before anything is changed.')
process.chdir(uninstrumented.folder)
console.log(
  `${sample.length} of ${all.length} mutations of ${folders.join(' and ')}, seed ${values.seed}, ${baselines.length} test files.`,
)
const verdicts = await tryAll(byId, baselines, copy)
const killed = verdicts.filter(Boolean).length
const percent = Math.round((1_000 * killed) / Math.max(1, verdicts.length)) / 10
console.log(`${killed} of ${verdicts.length} killed, ${percent} %.`)
if (verdicts.length < sample.length)
  console.log(`No more fit into ${values.minutes} minutes; --minutes gives them more time.`)
process.exitCode = percent < numberOf('least') ? 1 : 0
