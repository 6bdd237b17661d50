import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** A file of the web console. */
export interface BundledFile {
  /** Its path below the root of the server, such as `assets/main-4mbzt9wv.js`. */
  path: string
  type: string
  bytes: Uint8Array<ArrayBuffer>
}

const FOLDER = join(import.meta.dir, 'console')
const LATE_STYLES = join(FOLDER, 'styles/late')

/**
 * Bundles the web console from its source: minified, one chunk per lazily loaded page, with the
 * hash of its content in the name of each asset. With `hasParts` it has a page at `/dev/parts` that
 * shows parts to developers. Throws AggregateError with the problems found.
 */
export async function bundleConsole({ hasParts = false } = {}): Promise<BundledFile[]> {
  const styles = await lateStyles()
  const { outputs } = await Bun.build({
    entrypoints: [join(FOLDER, 'index.html'), join(FOLDER, 'push-worker.ts')],
    target: 'browser',
    minify: true,
    splitting: true,
    publicPath: '/',
    naming: {
      entry: '[name].[ext]',
      chunk: 'assets/[name]-[hash].[ext]',
      asset: 'assets/[name]-[hash].[ext]',
    },
    define: { 'process.env.NODE_ENV': '"production"', HAS_PARTS: String(hasParts) },
    env: 'disable',
    tsconfig: join(FOLDER, 'tsconfig.json'),
    plugins: [
      {
        name: 'late styles',
        setup: (build) => {
          // Code that imports such a file gets its address.
          build.onLoad({ filter: /[\\/]styles[\\/]late[\\/][\w-]+\.css$/ }, ({ path }) => ({
            contents: `export default '/${styles.get(basename(path))?.path}'`,
            loader: 'js',
          }))
        },
      },
    ],
  })
  const files = await Promise.all(
    outputs.map(async (output) => ({
      path: output.path.replace(/^\.\//, ''),
      type: output.type,
      bytes: output.path.endsWith('.css')
        ? new TextEncoder().encode(exactWidths(await output.text()))
        : new Uint8Array(await output.arrayBuffer()),
    })),
  )
  return [
    ...files.map((file) => (file.path === 'index.html' ? withPreloads(file, files) : file)),
    ...styles.values(),
    faviconIn(files),
  ]
}

/**
 * The bundler writes "narrower than" as a thousandth of a pixel less, which Chromium, with its 64ths,
 * takes for the width itself: on a tablet of just that width styles and code would disagree.
 */
const exactWidths = (style: string): string => style.replaceAll('rem - .001px)', 'rem - .02px)')

/** Bundles the styles that code brings with it when it is loaded, each as a file, by its name. */
async function lateStyles(): Promise<Map<string, BundledFile>> {
  const names = (await readdir(LATE_STYLES)).toSorted()
  const { outputs } = await Bun.build({
    entrypoints: names.map((name) => join(LATE_STYLES, name)),
    minify: true,
  })
  const files = await Promise.all(
    outputs.map(async (output): Promise<[string, BundledFile]> => {
      const text = `@layer pages{${exactWidths(await output.text()).trim()}}`
      const name = basename(output.path)
      const hash = Bun.hash(text).toString(36)
      const path = `assets/${name.replace('.css', `-${hash}.css`)}`
      return [name, { path, type: output.type, bytes: new TextEncoder().encode(text) }]
    }),
  )
  return new Map(files)
}

/** The icon at the address where browsers look for it on pages that name none. */
function faviconIn(files: readonly BundledFile[]): BundledFile {
  const icon = files.find(({ path }) => path.startsWith('assets/icon-'))
  if (!icon) throw new Error('The bundle has no icon.')
  return { ...icon, path: 'favicon.ico' }
}

const textOf = ({ bytes }: BundledFile): string => new TextDecoder().decode(bytes)

/** Returns a script with everything that it imports statically. */
function withImports(script: BundledFile, files: readonly BundledFile[]): Set<BundledFile> {
  const all = new Set([script])
  for (const one of all)
    for (const [, path] of textOf(one).matchAll(/(?:from|import)\s*"\/(assets\/[^"]+\.js)"/g)) {
      const imported = files.find((file) => file.path === path)
      if (imported) all.add(imported)
    }
  return all
}

/** Lets the browser load the code of the console beside the small script that starts it. */
function withPreloads(page: BundledFile, files: readonly BundledFile[]): BundledFile {
  const main = files.find(({ path }) => path.startsWith('assets/console-'))
  if (!main) throw new Error('The bundle has no script of the console.')
  const links = [...withImports(main, files)].map(
    ({ path }) => `<link rel="modulepreload" crossorigin href="/${path}">`,
  )
  const text = textOf(page).replace('<link rel="stylesheet"', `${links.join('')}$&`)
  return { ...page, bytes: new TextEncoder().encode(text) }
}
