import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { builtBinary } from './figures/binary'
import { shown } from './figures/figure'
import { machineOf } from './report'
import { benchSize, measureBytes } from './side/bytes'
import { measureCampaign } from './side/campaign'
import { measureFeatures } from './side/features'
import { measureFrames } from './side/frames'
import { measureGrowth } from './side/growth'
import { measureIdle } from './side/idle'
import { quantile, type PartResult, type SideFigure, type SideOptions } from './side/part'
import { measureSearch } from './side/search'
import { measureStart } from './side/start'
import { measureStatuses } from './side/statuses'
import { measureTexts } from './side/texts'
import { buildYardstick, measureYardstick } from './side/yardstick'

/** Every part of the report; each can be measured alone. */
export const PARTS: Record<string, (options: SideOptions) => Promise<PartResult>> = {
  texts: measureTexts,
  statuses: measureStatuses,
  campaign: measureCampaign,
  frames: measureFrames,
  features: measureFeatures,
  search: measureSearch,
  idle: measureIdle,
  bytes: measureBytes,
  start: measureStart,
}

const RESULTS = join(import.meta.dir, 'results')
const LIMITS = join(import.meta.dir, 'limits.json')

/** What later changes are held against; the others stand in the report only. */
const LIMITED = [
  'idle_pss_mib',
  'start_ms',
  'bytes_per_message',
  'bytes_per_message_peak',
  'text_cpu_us',
  'status_cpu_us',
]
/** Limited times. They are compared as the machine of the limits would take them. */
const TIMES = ['start_ms', 'text_cpu_us', 'status_cpu_us']
/** The processor time of the yardstick on the machine of the limits, microseconds. */
const YARDSTICK = 'yardstick_us'
/** A figure may be so much worse than its limit. */
const TOLERANCE = 0.1

/** What is asked of the report. */
export interface SideRequest {
  parts: string[]
  mib: number
  /** Holds the figures against `limits.json`, or writes them there. */
  checks: boolean
  saves: boolean
}

/**
 * Measures what the server takes of a machine, prints the report, and writes it into `results/`
 * when it is whole. Returns whether every figure that was to be checked is within its limit.
 */
export async function benchSide({ parts, mib, checks, saves }: SideRequest): Promise<boolean> {
  builtBinary()
  buildYardstick()
  const names = parts.length > 0 ? parts : Object.keys(PARTS)
  const limits = readLimits()
  const results: PartResult[] = []
  const yardsticks = [await measureYardstick()]
  for (const name of names) {
    const startedMs = performance.now()
    const result = await PARTS[name]?.({ startBytes: mib * 1_024 ** 2 })
    console.error(`${name}: ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`)
    const before = yardsticks.at(-1) ?? 0
    const after = await measureYardstick()
    yardsticks.push(after)
    if (result) results.push(scaled(result, limits, (before + after) / 2))
  }
  limits[YARDSTICK] ??= quantile(yardsticks, 0.5)
  const figures = results.flatMap((result) => result.figures)
  const lines = results.flatMap((result) => (result.lines ? ['', ...result.lines] : []))
  const report = reportOf(figures, limits, [...yardstickLines(yardsticks, limits), ...lines])
  console.log(`\n${report}`)
  if (names.length === Object.keys(PARTS).length) write(report, figures)
  if (saves) writeLimits(limits, figures)
  const unlimited = figures.filter(({ key }) => LIMITED.includes(key) && !(key in limits))
  if (checks && unlimited.length > 0)
    throw new Error(`limits.json has no ${unlimited.map(({ key }) => key).join(', ')}`)
  return !checks || figures.every((figure) => isWithin(figure, limits))
}

/** Messages of a year of a busy inbox, and of a large database. */
const YEAR_MESSAGES = 1_000_000
const MANY_MESSAGES = 10_000_000

/**
 * Measures what a year of a busy inbox takes on disk and prints the report; of the whole size, it
 * is written into `results/`.
 */
export async function benchYear(messages = YEAR_MESSAGES): Promise<void> {
  builtBinary()
  const lines = [
    '# A year of a busy inbox',
    '',
    machineOf(tmpdir()),
    '',
    ...(await benchSize(messages)),
  ]
  show('size.md', `${lines.join('\n')}\n`, messages >= YEAR_MESSAGES)
}

/**
 * Compares a text in a small database and in a large one and prints the report; of the whole size,
 * it is written into `results/`.
 */
export async function benchGrowth(many = MANY_MESSAGES, few = 100_000): Promise<void> {
  builtBinary()
  show('growth.md', await measureGrowth(few, many), many >= MANY_MESSAGES)
}

function show(name: string, report: string, isSaved: boolean): void {
  console.log(`\n${report}`)
  if (isSaved) writeFileSync(join(RESULTS, name), report)
}

const readLimits = (): Record<string, number> =>
  existsSync(LIMITS) ? (JSON.parse(readFileSync(LIMITS, 'utf8')) as Record<string, number>) : {}

function writeLimits(limits: Record<string, number>, figures: SideFigure[]): void {
  const measured = figures
    .filter(({ key }) => LIMITED.includes(key))
    .map((figure) => [figure.key, comparedOf(figure)] as const)
  const rounded = Object.entries({ ...limits, ...Object.fromEntries(measured) }).map(
    ([key, value]) => [key, Math.round(value * 10) / 10] as const,
  )
  writeFileSync(LIMITS, `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`)
}

/** Adds to limited times what the machine of the limits would take: this one may be slower or busy. */
const scaled = (
  { figures, ...rest }: PartResult,
  { [YARDSTICK]: saved }: Record<string, number>,
  measured: number,
): PartResult => ({
  ...rest,
  figures: figures.map((figure) =>
    saved !== undefined && TIMES.includes(figure.key)
      ? { ...figure, scaled: (figure.value * saved) / measured }
      : figure,
  ),
})

/** Returns what is compared with the limit of a figure. */
const comparedOf = ({ value, scaled: onMachineOfLimits }: SideFigure): number =>
  onMachineOfLimits ?? value

const isWithin = (figure: SideFigure, { [figure.key]: limit }: Record<string, number>): boolean =>
  limit === undefined || comparedOf(figure) <= limit * (1 + TOLERANCE)

const yardstickLines = (measured: number[], limits: Record<string, number>): string[] => [
  '',
  `Scaled times are those of the machine on which the limits were saved: its yardstick took ${shown(limits[YARDSTICK] ?? 0)} µs, here ${shown(quantile(measured, 0.5))} µs (${shown(Math.min(...measured))} to ${shown(Math.max(...measured))}).`,
]

function reportOf(figures: SideFigure[], limits: Record<string, number>, lines: string[]): string {
  const row = (figure: SideFigure): string => {
    const limit = limits[figure.key]
    const verdict =
      limit === undefined ? '' : `${shown(limit)}${isWithin(figure, limits) ? '' : ', exceeded'}`
    const compared = figure.scaled === undefined ? '' : `${shown(figure.scaled)} ${figure.unit}`
    return `| ${figure.name} | ${shown(figure.value)} ${figure.unit} | ${compared} | ${verdict} |`
  }
  return [
    '# What the server takes',
    '',
    `${machineOf(tmpdir())} The compiled program, measured by \`bun run bench side\`.`,
    '',
    '| figure | measured | scaled | limit, to 10 % |',
    '| --- | ---: | ---: | ---: |',
    ...figures.map(row),
    ...lines,
    '',
  ].join('\n')
}

function write(report: string, figures: SideFigure[]): void {
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(join(RESULTS, 'side.md'), report)
  writeFileSync(
    join(RESULTS, 'side.json'),
    `${JSON.stringify({ machine: machineOf(tmpdir()), figures }, null, 2)}\n`,
  )
}
