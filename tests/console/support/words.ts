import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import IntlMessageFormat from 'intl-messageformat'

import { directionOf, type Language } from '../../../src/console/texts/languages'

/** Finds a text by its key, and fills it in. */
export type Words = (key: string, values?: Record<string, string | number>) => string

const FOLDER = join(import.meta.dir, '../../../src/console/texts')

/** Returns what finds the words of the console in a language by the key of their text. */
export function wordsOf(language: Language): Words {
  const folder = join(FOLDER, language)
  const texts = Object.assign(
    {},
    ...readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8'))),
  ) as Record<string, string>
  /** Values stand alone in a text from right to left, as in the console. */
  const isolated = (value: string | number): string | number =>
    typeof value === 'string' && directionOf(language) === 'rtl' ? `\u2068${value}\u2069` : value
  return (key, values = {}) => {
    const text = texts[key]
    if (text === undefined) throw new Error(`there is no text ${key}`)
    const shown = Object.entries(values).map(([name, value]) => [name, isolated(value)] as const)
    return String(new IntlMessageFormat(text, language).format(Object.fromEntries(shown)))
  }
}
