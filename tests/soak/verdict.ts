/** What was measured at one moment. */
export interface Sample {
  /** Seconds since the load began. */
  atS: number
  /** The process's own memory, without what it has mapped of the database file. */
  memoryMib: number
  /** All of it (RSS). */
  rssMib: number
  walMib: number
  files: number
  /**
   * The longest delay of the event loop since the sample before, and that of the process that makes
   * the load, which tells of the machine.
   */
  lagMs: number
  ownLagMs: number
}

/** A quantity after the first minute and at the end. */
export interface Verdict {
  what: string
  unit: string
  first: number
  last: number
  holds: boolean
}

/** From when on things should stay as they are, and how long each of the two spans is, seconds. */
const SETTLED_S = 60
const SPAN_S = 60
const MARGIN = 0.1

/**
 * What is judged, and how much more of it is too little to matter: a large transaction in the log,
 * a file that happens to be open, a pause for collecting garbage. Of the delay counts what goes
 * beyond that of the process beside it: on a machine that is busy with other things all of them
 * wait.
 */
const JUDGED: { what: string; unit: string; of: (sample: Sample) => number; floor: number }[] = [
  { what: 'memory (RSS)', unit: 'MiB', of: ({ rssMib }) => rssMib, floor: 0 },
  { what: 'of it its own', unit: 'MiB', of: ({ memoryMib }) => memoryMib, floor: 0 },
  { what: 'write-ahead log', unit: 'MiB', of: ({ walMib }) => walMib, floor: 1 },
  { what: 'open files', unit: '', of: ({ files }) => files, floor: 4 },
  {
    what: 'event loop delay',
    unit: 'ms',
    of: ({ lagMs, ownLagMs }) => Math.max(0, lagMs - ownLagMs),
    floor: 50,
  },
]

/**
 * Compares the minute after the first with the last one: medians, since single samples tell of
 * chance.
 */
export function judge(samples: Sample[]): Verdict[] {
  const endS = samples.at(-1)?.atS ?? 0
  const early = samples.filter(({ atS }) => atS >= SETTLED_S && atS < SETTLED_S + SPAN_S)
  const late = samples.filter(({ atS }) => atS > endS - SPAN_S)
  return JUDGED.map(({ what, unit, of, floor }) => {
    const [first, last] = [median(early.map(of)), median(late.map(of))]
    return { what, unit, first, last, holds: last - first <= Math.max(first * MARGIN, floor) }
  })
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** The verdicts as a table. */
export function tableOf(verdicts: Verdict[]): string {
  const rows = verdicts.map(({ what, unit, first, last, holds }) => {
    const change = `${last >= first ? '+' : ''}${(((last - first) / first) * 100 || 0).toFixed(1)} %`
    return `| ${what} | ${first.toFixed(1)} ${unit} | ${last.toFixed(1)} ${unit} | ${change} | ${holds ? 'ok' : 'GROWS'} |`
  })
  return [
    '| | after the first minute | at the end | change | |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
