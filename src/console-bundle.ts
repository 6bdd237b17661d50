import { join } from 'node:path'

/** A file of the web console. */
export interface BundledFile {
  /** Its path below the root of the server, such as `assets/main-4mbzt9wv.js`. */
  path: string
  type: string
  bytes: Uint8Array<ArrayBuffer>
}

const FOLDER = join(import.meta.dir, 'console')

/**
 * Bundles the web console from its source: minified, one chunk per lazily loaded page, with the
 * hash of its content in the name of each asset. Throws AggregateError with the problems found.
 */
export async function bundleConsole(): Promise<BundledFile[]> {
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
    define: { 'process.env.NODE_ENV': '"production"' },
    env: 'disable',
    tsconfig: join(FOLDER, 'tsconfig.json'),
  })
  return Promise.all(
    outputs.map(async (output) => ({
      path: output.path.replace(/^\.\//, ''),
      type: output.type,
      bytes: new Uint8Array(await output.arrayBuffer()),
    })),
  )
}
