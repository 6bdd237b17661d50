import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

import { bundleConsole, type BundledFile } from './console-bundle'

/**
 * Builds the executable (`bun run build`). The web console is bundled and compressed first, and its
 * files are embedded instead of its source.
 */
const ROOT = join(import.meta.dir, '..')
const OUTPUT = join(ROOT, 'dist')
const FOLDER = join(OUTPUT, 'console')
const ENTRIES = [
  'main',
  'archive-worker',
  'backup-worker',
  'migration-worker',
  'checkpoint-worker',
  'replica-worker',
]
/** Files from this size are compressed, bytes. */
const MIN_COMPRESSED = 1_024
/** Functions are compiled later than usual while the program starts. */
const JIT_POLICY = 100

const asBrotli = promisify(brotliCompress)
const asGzip = promisify(gzip)
const SMALLEST = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }

/** Writes the forms of a file of the console; returns the code that describes them. */
async function writeForms({ path, type, bytes }: BundledFile, index: number): Promise<Code> {
  const isCompressed = bytes.length >= MIN_COMPRESSED
  const forms = {
    plain: bytes,
    gzip: isCompressed ? await asGzip(bytes, { level: 9 }) : null,
    brotli: isCompressed ? await asBrotli(bytes, SMALLEST) : null,
  }
  const imports: string[] = []
  const fields = [`path: ${JSON.stringify(path)}`, `type: ${JSON.stringify(type)}`]
  for (const [form, body] of Object.entries(forms)) {
    const name = `${form}${index}`
    fields.push(`${form}: ${body === null ? 'null' : `Bun.file(${name})`}`)
    if (body === null) continue
    const file = join(FOLDER, name)
    await Bun.write(file, body)
    imports.push(`import ${name} from ${JSON.stringify(file)} with { type: 'file' }`)
  }
  return { imports, item: `{ ${fields.join(', ')} }` }
}

interface Code {
  imports: string[]
  item: string
}

/** Returns the module that stands for `http/console-files.ts` in the executable. */
async function embeddedConsole(): Promise<string> {
  rmSync(OUTPUT, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  const parts = await Promise.all((await bundleConsole()).map(writeForms))
  return `${parts.flatMap(({ imports }) => imports).join('\n')}
const FILES = [${parts.map(({ item }) => item).join(',\n')}]
/** Returns the embedded files. */
export const consoleFiles = () => Promise.resolve(FILES)
`
}

const contents = await embeddedConsole()
await Bun.build({
  entrypoints: ENTRIES.map((name) => join(import.meta.dir, `${name}.ts`)),
  compile: { outfile: join(OUTPUT, 'switchboard'), jitPolicy: JIT_POLICY },
  minify: true,
  // Without it, the functions of libraries that are loaded when they are needed exist at every start.
  splitting: true,
  sourcemap: 'linked',
  bytecode: true,
  format: 'esm',
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [
    {
      name: 'console',
      setup: (build) => {
        build.onLoad({ filter: /[\\/]http[\\/]console-files\.ts$/ }, () => ({
          contents,
          loader: 'ts',
        }))
      },
    },
  ],
})
