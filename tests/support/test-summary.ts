/** What a run of `bun test` came to. */
export interface TestCounts {
  passed: number
  failed: number
}

const RAN = /^Ran (\d+) tests? across \d+ files?\./gm

/**
 * Reads the counts from the last lines `bun test` printed. A run that says nothing, ran nothing or
 * ended badly counts as at least one failure, so that no crash can look like success.
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
 * The number in the summary line ` 12 pass` at the end of the output; 0 when there is no such line.
 */
function lastCount(output: string, word: string): number {
  const summary = output.split('\n').slice(-12).join('\n')
  return Number([...summary.matchAll(new RegExp(`^ *(\\d+) ${word}s?$`, 'gm'))].at(-1)?.[1] ?? 0)
}
