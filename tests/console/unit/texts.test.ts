import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { texts as ar } from '../../../src/console/texts/ar'
import { texts as de } from '../../../src/console/texts/de'
import { en as early } from '../../../src/console/texts/en'
import { late } from '../../../src/console/texts/en-late'
import { texts as es } from '../../../src/console/texts/es'
import { texts as pt } from '../../../src/console/texts/pt'

const en: Record<string, string> = { ...early, ...late }

const FOLDER = join(import.meta.dir, '../../../src/console')
const sources = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(FOLDER)]
  .filter((path) => !path.startsWith('texts/') && !path.endsWith('.gen.ts'))
  .map((path) => ({ path, text: readFileSync(join(FOLDER, path), 'utf8') }))
const code = sources.map(({ text }) => text).join('\n')

/** Names that the code puts together, by how they begin. */
const COMPOSED = [...code.matchAll(/`([a-z][\w.-]*\.)\$\{/g)].map(([, start = '']) => start)
const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)\s*[,}]/g)].map(([, name = '']) => name).toSorted()

/** Returns words that people read, in attributes, fields and calls that show them. */
const hardCodedIn = (text: string): string[] =>
  [
    ...text.matchAll(
      /\b(?:label|title|hint|placeholder|alt|detail)\s*(?:=\s*\{?|:\s*)(["'`])([^"'`$]*\p{L}{2,}[^"'`$]*)\1|\bnotify\((["'`])[^"'`]+\3/gu,
    ),
  ].map(([words]) => words)

/** Areas that are translated into every language. */
const TRANSLATED = [
  'sign-in',
  'shell',
  'parts',
  'inbox',
  'list',
  'number',
  'settings',
  'transfers',
  'welcome',
  'search',
  'contact',
  'contacts',
  'templates',
  'campaigns',
  'webhooks',
  'incoming',
  'queue',
  'records',
  'fields',
  'forms',
  'consent',
  'retention',
  'privacy',
  'exports',
  'archives',
  'actions',
  'bot',
  'flow',
]
const isTranslated = (key: string): boolean => TRANSLATED.some((area) => key.startsWith(`${area}.`))

describe('the texts', () => {
  test('are all used', () => {
    const isUsed = (key: string): boolean =>
      code.includes(`'${key}'`) || COMPOSED.some((start) => key.startsWith(start))
    expect(Object.keys(en).filter((key) => !isUsed(key))).toEqual([])
  })

  test.each(Object.entries({ de, es, pt, ar }))('are complete in %s', (_, texts) => {
    const known = new Set(Object.keys(en))
    expect(Object.keys(texts).filter((key) => !known.has(key))).toEqual([])
    const missing = Object.keys(en).filter((key) => !(key in texts) && isTranslated(key))
    expect(missing).toEqual([])
    const different = Object.entries(en).filter(
      ([key, text]) =>
        key in texts &&
        new Set(placeholders(text)).symmetricDifference(new Set(placeholders(texts[key] ?? '')))
          .size > 0,
    )
    expect(different.map(([key]) => key)).toEqual([])
  })

  test('have the plural forms of Arabic', () => {
    const without = Object.entries(ar).filter(
      ([, text]) => text.includes(', plural,') && !/two \{.*few \{/.test(text),
    )
    expect(without.map(([key]) => key)).toEqual([])
  })

  test('call WhatsApp by its name', () => {
    const others = /\bplat(?:t?form|aforma)|منصة/i
    const found = [en, de, es, pt, ar].flatMap((texts) =>
      Object.entries(texts).filter(([, text]) => others.test(text)),
    )
    expect(found.map(([key]) => key)).toEqual([])
  })

  test('stand in no other file', () => {
    // what developers see has names of code
    const seen = sources.filter(({ path }) => !path.startsWith('pages/dev/'))
    const found = seen.flatMap(({ path, text }) =>
      hardCodedIn(text).map((words) => `${path}: ${words}`),
    )
    expect(found).toEqual([])
  })

  test.each([
    '<p title="All of them">',
    '<TextField label={"Your name"} />',
    '<Empty icon="inbox" hint={`Nothing here`} />',
    "notify('Saved it')",
    "{ id: 'all', label: 'All of them' }",
    "throw new Error('x'); document.title = 'Inbox'",
  ])('would be found in %s', (planted) => {
    expect(hardCodedIn(planted)).toHaveLength(1)
  })

  test('between tags are refused by the linter', () => {
    const rules = readFileSync(join(FOLDER, '../../.oxlintrc.json'), 'utf8')
    expect(rules).toContain('"react/jsx-no-literals": [')
  })

  test('are written with the language of the person and the conventions of the organization', () => {
    // Only format.ts knows the language, the time zone and the date format.
    const direct = /\.toLocale|\bIntl\.|\.get(?:Hours|Minutes|Day|Date|Month|FullYear)\(/
    expect(sources.filter(({ text }) => direct.test(text)).map(({ path }) => path)).toEqual([])
  })
})
