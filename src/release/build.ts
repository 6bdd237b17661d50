import { mkdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

import { bundleConsole, type BundledFile } from '../console-bundle'
import type { Commit } from '../version'
import { bundleViewer } from '../viewer-bundle'
import { commitOf, readCommit } from './commit'
import { TARGETS, targetNamed, type Target } from './targets'

/**
 * Builds the executable (`bun run build`). The web console and the viewer of the API's
 * description are bundled and compressed first, and embedded in all forms that they are sent in.
 */
const SOURCE = join(import.meta.dir, '..')
export const ROOT = join(SOURCE, '..')
export const OUTPUT = join(ROOT, 'dist')
const FOLDER = join(OUTPUT, 'console')
/** Where the module lies that imports what is embedded. */
const IMPORTER = join(SOURCE, 'http')
const ENTRIES = [
  'main',
  'archive-worker',
  'backup-worker',
  'migration-worker',
  'checkpoint-worker',
  'replica-worker',
  'read-worker',
]
/** Libraries that look for files of theirs, for threads that we do not use. */
const KNOW_THEIR_FOLDER = /node_modules[\\/](pino|thread-stream)[\\/].*\.js$/
/** Files from this size are compressed, bytes. */
const MIN_COMPRESSED = 1_024
/** Functions are compiled later than usual while the program starts. */
const JIT_POLICY = 100

const asBrotli = promisify(brotliCompress)
const asGzip = promisify(gzip)
const SMALLEST = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }

/** Writes the forms of a file; returns the code that describes them. `suffix` is its own. */
async function writeForms({ path, type, bytes }: BundledFile, suffix: string): Promise<Code> {
  const isCompressed = bytes.length >= MIN_COMPRESSED
  const forms = {
    plain: bytes,
    gzip: isCompressed ? await asGzip(bytes, { level: 9 }) : null,
    brotli: isCompressed ? await asBrotli(bytes, SMALLEST) : null,
  }
  const imports: string[] = []
  const fields = [`path: ${JSON.stringify(path)}`, `type: ${JSON.stringify(type)}`]
  for (const [form, body] of Object.entries(forms)) {
    const name = `${form}${suffix}`
    fields.push(`${form}: ${body === null ? 'null' : `Bun.file(${name})`}`)
    if (body === null) continue
    const file = join(FOLDER, name)
    await Bun.write(file, body)
    const from = JSON.stringify(relative(IMPORTER, file))
    imports.push(`import ${name} from ${from} with { type: 'file' }`)
  }
  return { imports, item: `{ ${fields.join(', ')} }` }
}

interface Code {
  imports: string[]
  item: string
}

/** Returns the code of a list of embedded files, whose imports begin with a name of their own. */
async function embedded(
  files: BundledFile[],
  name: string,
): Promise<{ imports: string; list: string }> {
  const parts = await Promise.all(files.map((file, index) => writeForms(file, `${name}${index}`)))
  return {
    imports: parts.flatMap(({ imports }) => imports).join('\n'),
    list: `[${parts.map(({ item }) => item).join(',\n')}]`,
  }
}

/** Returns the module that stands for `http/embedded-files.ts` in the executable. */
async function embeddedFiles(): Promise<string> {
  rmSync(OUTPUT, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  const site = await embedded(await bundleConsole(), 'Console')
  const viewer = await embedded(await bundleViewer(), 'Viewer')
  return `${site.imports}
${viewer.imports}
/** Returns the files of the web console. */
export const consoleFiles = () => Promise.resolve(${site.list})
export const viewerFiles = () => Promise.resolve(${viewer.list})
`
}

/** A file to build: for which system, and where it is written. */
interface Output {
  target: Target | null
  file: string
}

/** Builds the executables, which contain the same. Throws AggregateError with the problems found. */
export async function buildExecutables(outputs: Output[], commit: Commit | null): Promise<void> {
  const contents = await embeddedFiles()
  // One after the other: a build takes a gigabyte of memory.
  for (const { target, file } of outputs)
    await Bun.build({
      entrypoints: ENTRIES.map((name) => join(SOURCE, `${name}.ts`)),
      compile: {
        outfile: file,
        jitPolicy: JIT_POLICY,
        ...(target === null ? {} : { target: TARGETS[target] }),
      },
      minify: true,
      // Without it, the functions of libraries that are loaded when they are needed exist at every start.
      splitting: true,
      sourcemap: 'linked',
      bytecode: true,
      format: 'esm',
      define: { 'process.env.NODE_ENV': '"production"', BUILT_FROM: JSON.stringify(commit) },
      plugins: [
        {
          name: 'console',
          setup: (build) => {
            build.onLoad({ filter: /[\\/]http[\\/]embedded-files\.ts$/ }, () => ({
              contents,
              loader: 'ts',
            }))
            // Their folder on the machine that builds would make each build another one.
            build.onLoad({ filter: KNOW_THEIR_FOLDER }, async ({ path }) => ({
              contents: (await Bun.file(path).text()).replaceAll('__dirname', "'/'"),
              loader: 'js',
            }))
          },
        },
      ],
    })
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      target: { type: 'string' },
      commit: { type: 'string' },
      'committed-at': { type: 'string' },
    },
  })
  const { target, commit = '', 'committed-at': committedAt = '' } = values
  await buildExecutables(
    [
      {
        target: target === undefined ? null : targetNamed(target),
        file: join(OUTPUT, 'switchboard'),
      },
    ],
    commit === '' ? readCommit(ROOT) : commitOf(commit, new Date(committedAt)),
  )
}
