/** Result of a run of `bun test`. */
export interface TestCounts {
  passed: number
  failed: number
}

const RAN = /^Ran (\d+) tests? across \d+ files?\./gm

/**
 * Reads the counts from the last lines of `bun test`. A run that prints nothing, runs nothing or
 * ends badly counts as at least one failure, so that no crash looks like success.
 */
export function readTestSummary(output: string, exitCode: number | null): TestCounts {
  const plain = Bun.stripANSI(output)
  const ran = [...plain.matchAll(RAN)].at(-1)
  if (!ran || Number(ran[1]) === 0) return { passed: 0, failed: 1 }
  const block = plain.slice(0, ran.index)
  const passed = lastCount(block, 'pass')
  const failed = Math.max(
    lastCount(block, 'fail'),
    lastCount(block, 'error'),
    exitCode === 0 ? 0 : 1,
  )
  return passed === 0 && failed === 0 ? { passed, failed: 1 } : { passed, failed }
}

/**
 * Returns the number in the summary line ` 12 pass` at the end of the output; 0 without such a
 * line.
 */
function lastCount(output: string, word: string): number {
  const summary = output.split('\n').slice(-12).join('\n')
  return Number([...summary.matchAll(new RegExp(`^ *(\\d+) ${word}s?$`, 'gm'))].at(-1)?.[1] ?? 0)
}
