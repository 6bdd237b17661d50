import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

import { Instrumenter } from '@stryker-mutator/instrumenter'

/** A place in a file as the mutation tester writes it, lines and columns from 0. */
interface Position {
  line: number
  column: number
}

/** A stretch of code that mutations replace. */
export interface Range {
  file: string
  start: Position
  end: Position
}

/** A stretch that contains more mutations than this is left out: it would fill the sample with one place. */
const MOST_WITHIN = 5

/** A logger that says nothing, as far as the mutation tester uses it. */
const silent = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  fatal: () => undefined,
}

/** Every mutation there is of some source files, by the stretch it replaces. */
export async function rangesOf(files: string[]): Promise<Range[]> {
  const sources = files.map((name) => ({ name, mutate: true, content: readFileSync(name, 'utf8') }))
  const { mutants } = await new Instrumenter(silent).instrument(sources, { plugins: null, excludedMutations: [], ignorers: [] })
  return mutants.map(({ fileName: file, location: { start, end } }) => ({ file, start, end }))
}

const isBefore = (a: Position, b: Position): boolean => a.line < b.line || (a.line === b.line && a.column <= b.column)
const isWithin = (inner: Range, outer: Range): boolean =>
  inner.file === outer.file && isBefore(outer.start, inner.start) && isBefore(inner.end, outer.end)
const nameOf = ({ file, start, end }: Range): string => `${file}:${start.line}:${start.column}-${end.line}:${end.column}`

/**
 * A random sample of at most `size` mutations, the same for the same seed. A stretch that is chosen brings the mutations inside it along.
 * Returns the stretches and how many mutations they stand for.
 */
export function sampleOf(all: Range[], { size, seed }: { size: number; seed: string }): { ranges: Range[]; mutations: number } {
  const places = [...new Map(all.map((range) => [nameOf(range), range])).values()]
  const rank = (range: Range): string =>
    createHash('sha256')
      .update(`${seed} ${nameOf(range)}`)
      .digest('hex')
  const ranked = places.map((range) => ({ range, rank: rank(range) })).toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
  const chosen = new Set<Range>()
  const ranges: Range[] = []
  for (const { range } of ranked) {
    const within = all.filter((other) => isWithin(other, range))
    const fresh = within.filter((other) => !chosen.has(other))
    if (within.length > MOST_WITHIN || fresh.length === 0 || chosen.size + fresh.length > size) continue
    for (const each of fresh) chosen.add(each)
    ranges.push(range)
  }
  return { ranges, mutations: chosen.size }
}

/** A stretch as the mutation tester takes it in its list of what to mutate. */
export const patternOf = ({ file, start, end }: Range): string => `${file}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`
