import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** A source file: its path from the repository's root, with forward slashes, and its text. */
export interface Source {
  path: string
  text: string
}

/** An import or re-export of one of our files: the file, and the names by their local name. */
export interface OwnImport {
  target: string
  names: string[]
  isReExport: boolean
}

const ROOT = join(import.meta.dir, '../..')
const IMPORT = /^(import|export)\b([^'"`;=()]*?)\bfrom\s*['"]([^'"]+)['"]/gm
const BARE_IMPORT = /^import\s*['"]([^'"]+)['"]/gm
const INLINE_IMPORT = /\bimport\(\s*['"]([^'"]+)['"]/g

const read = (pattern: string): Source[] =>
  [...new Bun.Glob(pattern).scanSync(ROOT)].toSorted().map((path) => ({
    path: path.replaceAll('\\', '/'),
    text: readFileSync(join(ROOT, path), 'utf8'),
  }))

/**
 * Every TypeScript file below a folder, without the code for browsers, the client packages and the
 * simulated platform, which stand outside of the server.
 */
export const readSources = (folder: 'src' | 'tests'): Source[] =>
  read(`${folder}/**/*.ts`).filter(({ path }) => !/^src\/(clients|console|simulator)\//.test(path))

/** Every file of the client packages. */
export const readClients = (): Source[] => read('src/clients/**/*.ts')

/** Every file of the simulated platform. */
export const readSimulator = (): Source[] => read('src/simulator/**/*.ts')

/** Every file of the web console but generated ones and the generator, which runs in Bun. */
export const readConsole = (): Source[] =>
  read('src/console/**/*.{ts,tsx,css}').filter(
    ({ path }) => !/\/(types\.gen|generate)\.ts$|\.d\.ts$/.test(path),
  )

/**
 * Returns the text without comments, with the same line numbers. Comments are recognized by their
 * position: at the start of a line, or after code and a space.
 */
export const codeOf = (source: Source): string =>
  source.text.replace(/^\s*(\/\/|\/\*|\*).*$/gm, '').replace(/\s\/\/ .*$/gm, '')

/** Returns everything a file imports, types included, as written. */
export function importsOf(source: Source): string[] {
  const found = [...source.text.matchAll(IMPORT)].map((match) => match[3])
  const bare = [
    ...source.text.matchAll(BARE_IMPORT),
    ...codeOf(source).matchAll(INLINE_IMPORT),
  ].map((match) => match[1])
  return [...found, ...bare].filter((specifier) => specifier !== undefined)
}

/**
 * Returns the imports of our own files as paths from the root. `sources` decides between `x.ts` and
 * `x/index.ts`.
 */
export function ownImportsOf(source: Source, sources: Source[]): OwnImport[] {
  const paths = new Set(sources.map(({ path }) => path))
  const resolve = (specifier: string): string => {
    const base = posix.join(posix.dirname(source.path), specifier)
    if (/\.(ts|json|html|css|sql|md|yml|jpg|ogg|pdf|webp)$/.test(base)) return base
    if (paths.has(`${base}.tsx`)) return `${base}.tsx`
    return paths.has(`${base}/index.ts`) && !paths.has(`${base}.ts`)
      ? `${base}/index.ts`
      : `${base}.ts`
  }
  const named = [...source.text.matchAll(IMPORT)].map(
    ([, word = '', clause = '', specifier = '']) => ({ word, clause, specifier }),
  )
  const known = new Set(named.map(({ specifier }) => specifier))
  const others = importsOf(source).filter((specifier) => !known.has(specifier))
  return [...named, ...others.map((specifier) => ({ word: 'import', clause: '', specifier }))]
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ word, clause, specifier }) => ({
      target: resolve(specifier),
      names: localNames(clause),
      isReExport: word === 'export',
    }))
}

/** `type A, b as c, * as d` → A, c, d. */
const localNames = (clause: string): string[] =>
  clause
    .replace(/^\s*type\b/, '')
    .replaceAll(/[{}]/g, ',')
    .split(',')
    .map((part) =>
      part
        .trim()
        .replace(/^type\s+/, '')
        .replace(/^.*\bas\s+/, ''),
    )
    .filter((name) => /^[\w$]+$/.test(name))
