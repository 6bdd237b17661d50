import { expect, test } from 'bun:test'

import {
  codeOf,
  ownImportsOf,
  readConsole,
  readSimulator,
  readSources,
  type Source,
} from '../support/sources'

/** The files of the program. */
export const sources = readSources('src')
/** The files of the web console. */
export const consoleFiles = readConsole()
/** The files of the simulated platform, which stands outside of the server, as the real one does. */
export const simulator = readSimulator()
/** The files of its tests. */
export const tests = readSources('tests')

/** Answers one line for each place that breaks the rule. */
export type Check = (files: Source[]) => string[]

export interface Example {
  /** Made-up trees, each of which the check must refuse. */
  refuses: Source[][]
  /** A made-up tree it must accept. */
  accepts: Source[]
}

/** A made-up file. */
export const file = (path: string, ...lines: string[]): Source => ({
  path,
  text: `${lines.join('\n')}\n`,
})

/**
 * One test per rule: the check must catch made-up violations, let correct files pass, and find none
 * in the real tree.
 */
export function rule(name: string, check: Check, example: Example, real: Source[] = sources): void {
  test(name, () => {
    for (const tree of example.refuses)
      expect({ tree, caught: check(tree).length > 0 }).toEqual({ tree, caught: true })
    expect(check(example.accepts)).toEqual([])
    expect(real.length).toBeGreaterThan(5)
    expect(check(real)).toEqual([])
  })
}

/** Whether a file declares tables, or fields that are their columns. */
export const isTable = (path: string): boolean => /\/(([\w-]+-)?table|plain-fields)\.ts$/.test(path)
/** Whether a file holds controllers. */
export const isController = (path: string): boolean => /^src\/modules\/.*\/routes\.ts$/.test(path)
/** The entry of a module in the list of modules. */
export const isEntry = (path: string): boolean =>
  /^src\/modules\/[\w-]+\/[\w-]+\/module\.ts$/.test(path)
/** The module of a file; `null` outside of modules. */
export const moduleOf = (path: string): string | null =>
  /^src\/modules\/[^/]+\/([^/]+)\//.exec(path)?.[1] ?? null
/** Files directly in `src` that belong to the first layer: they import nothing of ours to the right. */
const FIRST_LAYER = new Set([
  'src/config.ts',
  'src/environment.ts',
  'src/console-bundle.ts',
  'src/viewer-bundle.ts',
])

/** The layer of a file. */
export const layerOf = (path: string): string =>
  FIRST_LAYER.has(path)
    ? 'lib'
    : path.startsWith('src/commands/')
      ? 'top'
      : (/^src\/([^/]+)\//.exec(path)?.[1] ?? 'top')
/** The line of a place in a text, from 1. */
export const lineAt = (text: string, index: number): number =>
  text.slice(0, index).split('\n').length

/** A check of each import of ours on its own; `judge` answers what is wrong with it, or null. */
export const eachImport =
  (judge: (from: string, to: string) => string | null): Check =>
  (files) =>
    files.flatMap((source) =>
      ownImportsOf(source, files).flatMap(({ target }) => {
        const wrong = judge(source.path, target)
        return wrong === null ? [] : [`${source.path} imports ${target}: ${wrong}`]
      }),
    )

/** A check that refuses a pattern in code, comments aside, in files that `concerns` names. */
export const refusing =
  (
    pattern: RegExp,
    concerns: (path: string) => boolean = () => true,
    textOf: (source: Source) => string = codeOf,
  ): Check =>
  (files) =>
    files
      .filter(({ path }) => concerns(path))
      .flatMap((source) => {
        const text = textOf(source)
        return [...text.matchAll(pattern)].map(
          (match) => `${source.path}:${lineAt(text, match.index)}: ${match[0].trim()}`,
        )
      })

/** Files other than those. */
export const otherThan =
  (allowed: string[]) =>
  (path: string): boolean =>
    !allowed.includes(path)
