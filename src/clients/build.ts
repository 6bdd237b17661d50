import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

import type { ApiDocument } from '../console/api/generate'
import { pythonOf } from './python/generate'

const HERE = import.meta.dir
const ROOT = join(HERE, '../..')

/** Reads the API document of this version. */
const readDocument = (): Promise<ApiDocument> =>
  Bun.file(join(ROOT, 'tests/contract/openapi.json')).json() as Promise<ApiDocument>

/** Writes the Python package `switchboard_client`, generated parts included, into a folder. */
export async function writePython(folder: string): Promise<void> {
  const target = join(folder, 'switchboard_client')
  mkdirSync(target, { recursive: true })
  cpSync(join(HERE, 'python/switchboard_client'), target, {
    recursive: true,
    filter: (path) => !path.includes('__pycache__'),
  })
  for (const [name, text] of Object.entries(pythonOf(await readDocument())))
    await Bun.write(join(target, name), text)
}
