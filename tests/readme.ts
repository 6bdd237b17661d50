/**
 * Writes the table of settings, generated from `src/environment.ts`, into the page of settings between
 * its two markers.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configTable } from '../src/environment-docs'

const PAGE = join(import.meta.dir, '../src/docs/configure.md')
const [FROM, TO] = ['<!-- configuration -->\n', '\n<!-- /configuration -->']

/**
 * Returns the page with the table between its markers replaced by `table`. Throws when a marker is
 * missing or there twice.
 */
export function withTable(text: string, table: string): string {
  const [before, rest, ...surplus] = text.split(FROM)
  const [, after, ...more] = (rest ?? '').split(TO)
  if (before === undefined || after === undefined || surplus.length > 0 || more.length > 0)
    throw new Error(
      `the page needs ${FROM.trim()} and ${TO.trim()} once each, on lines of their own`,
    )
  return before + FROM + table + TO + after
}

if (import.meta.main) writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), configTable()))
