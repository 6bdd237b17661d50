import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

import { bundleConsole, type BundledFile } from '../console-bundle'

/** A file of the web console in the forms it is sent in. */
export interface ConsoleFile {
  /** Its path below the root of the server, such as `assets/main-4mbzt9wv.js`. */
  path: string
  type: string
  plain: Blob
  gzip: Blob | null
  brotli: Blob | null
}

const compress = promisify(gzip)

async function fileOf({ path, type, bytes }: BundledFile): Promise<ConsoleFile> {
  const small = bytes.length < 1_024 ? null : await compress(bytes, { level: 6 })
  return {
    path,
    type,
    plain: new Blob([bytes]),
    gzip: small === null ? null : new Blob([new Uint8Array(small)]),
    brotli: null,
  }
}

/**
 * Returns the files of the web console, bundled from their source. The executable contains another
 * form of this module, which `src/build.ts` writes: it returns embedded files.
 */
export async function consoleFiles(): Promise<ConsoleFile[]> {
  return Promise.all((await bundleConsole()).map(fileOf))
}
