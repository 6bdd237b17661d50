import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSources } from '../support/sources'
import { textsOf } from './source-texts'

/**
 * Prints every text a user, integrator or operator can read, to be read from top to bottom: first
 * those of the API document with the number of places, then those of the source, file by file.
 * With arguments only the files whose path contains one of them.
 */
const ROOT = join(import.meta.dir, '../..')
const wanted = Bun.argv.slice(2)
const isWanted = (path: string): boolean =>
  wanted.length === 0 || wanted.some((part) => path.includes(part))

/** The texts of the API document, each once, with the first place and the number of places. */
function apiTexts(): Map<string, { place: string; places: number }> {
  const texts = new Map<string, { place: string; places: number }>()
  const visit = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if ((key === 'summary' || key === 'description') && typeof inner === 'string') {
        const known = texts.get(inner)
        texts.set(inner, { place: known?.place ?? place, places: (known?.places ?? 0) + 1 })
      } else visit(inner, `${place}/${key}`)
    }
  }
  visit(JSON.parse(readFileSync(join(ROOT, 'tests/contract/openapi.json'), 'utf8')), '')
  return texts
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const inDocument = apiTexts()
if (wanted.length === 0) {
  print('# API document')
  for (const [words, { place, places }] of inDocument) print(`${place} (${places})\n    ${words}`)
}
for (const source of readSources('src').filter(({ path }) => isWanted(path))) {
  const texts = textsOf(source).filter(({ words }) => wanted.length > 0 || !inDocument.has(words))
  if (texts.length === 0) continue
  print(`\n# ${source.path}`)
  for (const { line, words } of texts) print(`${line}: ${words}`)
}
