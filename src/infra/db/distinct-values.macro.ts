import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** How many different values columns hold, by table and column. */
export type DistinctValues = Record<string, Record<string, number>>

/**
 * Reads the `distinct-values.json` beside every `table.ts` while bundling, so that the binary
 * carries the figures inside.
 */
export function readDistinctValues(): DistinctValues {
  const source = join(import.meta.dir, '../..')
  const files = [...new Bun.Glob('**/distinct-values.json').scanSync(source)].toSorted()
  return Object.assign(
    {},
    ...files.map(
      (file) => JSON.parse(readFileSync(join(source, file), 'utf8')) as DistinctValues, // our own files; a test compares them with the schema
    ),
  ) as DistinctValues
}
