import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

import { Instrumenter, type InstrumentResult } from '@stryker-mutator/instrumenter'

import { teachMistakes } from './mistakes'

/** A place in a file as the mutation tester writes it, lines and columns from 0. */
interface Position {
  line: number
  column: number
}

/** One small change of a source file: what it replaces, and by what. */
export interface Mutation {
  file: string
  kind: string
  start: Position
  end: Position
  replacement: string
}

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

/**
 * What stands before the words of the API's document. The comparison with
 * `tests/contract/openapi.json` guards these words, not the tests of a folder.
 */
const BEFORE_WORDS = /\b(?:description|summary|detail|title|examples)\b[^,]*$/
/** A sentence in the schema of a route is a description too, though a function puts it there. */
const SENTENCE = /^['`].+\.['`]$/
/** The reason of a query of several organizations is for readers only; the program ignores it. */
const BEFORE_REASON = /\bacrossOrganizations\(\s*$/

interface Source {
  name: string
  content: string
  /** What may be mutated: everything, or what lies within these places. */
  mutate: true | { start: Position; end: Position }[]
}

async function instrument(sources: Source[]): Promise<InstrumentResult> {
  await teachMistakes()
  return new Instrumenter(silent).instrument(sources, {
    plugins: null,
    excludedMutations: [],
    ignorers: [],
  })
}

const toMutation = ({
  fileName: file,
  mutatorName: kind,
  location: { start, end },
  replacement,
}: InstrumentResult['mutants'][number]): Mutation => ({ file, kind, start, end, replacement })

/**
 * Every mutation there is of some source files, but for those of the words of the API's document and
 * of the reasons that stand in the source for readers.
 */
export async function mutationsOf(files: string[]): Promise<Mutation[]> {
  const sources = files.map((name) => ({
    name,
    mutate: true as const,
    content: readFileSync(name, 'utf8'),
  }))
  const lines = new Map(sources.map(({ name, content }) => [name, content.split('\n')]))
  const { mutants } = await instrument(sources)
  const isForReaders = ({ file, start, end }: Mutation): boolean => {
    const line = lines.get(file)?.[start.line] ?? ''
    const replaced = line.slice(start.column, end.line === start.line ? end.column : undefined)
    const before = line.slice(0, start.column)
    return (
      BEFORE_WORDS.test(before) ||
      BEFORE_REASON.test(`${lines.get(file)?.[start.line - 1] ?? ''}\n${before}`) ||
      (file.endsWith('/model.ts') && SENTENCE.test(replaced))
    )
  }
  return mutants.map(toMutation).filter((mutation) => !isForReaders(mutation))
}

/**
 * The source files of some mutations with all of these in them, each behind a switch, and the
 * mutations by the names of their switches.
 */
export async function instrumented(
  sample: Mutation[],
): Promise<{ files: InstrumentResult['files']; byId: Map<string, Mutation> }> {
  const names = new Set(sample.map(nameOf))
  const files = [...new Set(sample.map(({ file }) => file))]
  const result = await instrument(
    files.map((name) => ({
      name,
      content: readFileSync(name, 'utf8'),
      mutate: sample.filter(({ file }) => file === name).map(({ start, end }) => ({ start, end })),
    })),
  )
  const wanted = result.mutants
    .map((mutant) => [mutant.id, toMutation(mutant)] as const)
    .filter(([, mutation]) => names.has(nameOf(mutation)))
  return { files: result.files, byId: new Map(wanted) }
}

/** A mutation in a line of its own: where it is and what it puts there. */
export const nameOf = ({ file, kind, start, end, replacement }: Mutation): string =>
  `${file}:${start.line + 1}:${start.column + 1}-${end.line + 1}:${end.column + 1} ${kind} -> ${replacement.replaceAll(/\s+/g, ' ')}`

/** A random sample of at most `size` mutations, the same for the same seed. */
export function sampleOf(
  all: Mutation[],
  { size, seed }: { size: number; seed: string },
): Mutation[] {
  const rank = (mutation: Mutation): string =>
    createHash('sha256')
      .update(`${seed} ${nameOf(mutation)}`)
      .digest('hex')
  return all
    .map((mutation) => ({ mutation, rank: rank(mutation) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, size)
    .map(({ mutation }) => mutation)
}
