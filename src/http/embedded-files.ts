import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

import { bundleConsole, type BundledFile } from '../console-bundle'
import { bundleViewer } from '../viewer-bundle'

/** A file that never changes, in the forms it is sent in. */
export interface StaticFile {
  /** Its path, such as `assets/main-4mbzt9wv.js`. */
  path: string
  type: string
  plain: Blob
  gzip: Blob | null
  brotli: Blob | null
}

const compress = promisify(gzip)

async function fileOf({ path, type, bytes }: BundledFile): Promise<StaticFile> {
  const small = bytes.length < 1_024 ? null : await compress(bytes, { level: 6 })
  return {
    path,
    type,
    plain: new Blob([bytes]),
    gzip: small === null ? null : new Blob([new Uint8Array(small)]),
    brotli: null,
  }
}

// The executable contains another form of this module, which `src/release/build.ts` writes: it returns
// embedded files.

/** Returns the files of the web console, bundled from their source. */
export async function consoleFiles(): Promise<StaticFile[]> {
  return Promise.all((await bundleConsole({ hasParts: true })).map(fileOf))
}

/** Returns the files of the viewer that shows one part of the API's description. */
export async function viewerFiles(): Promise<StaticFile[]> {
  return Promise.all((await bundleViewer()).map(fileOf))
}
