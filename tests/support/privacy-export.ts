import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openPromise } from 'yauzl'

import type { Client } from './client'
import type { World } from './world'

/** Downloads a completed privacy export and returns its entries by name. */
export const entriesOf = (
  world: World,
  admin: Client,
  requestId: string,
): Promise<Map<string, string>> =>
  unzipped(world, admin, `/api/privacy/requests/${requestId}/download`)

/** Downloads a ZIP file and returns its entries by name. */
export async function unzipped(
  world: World,
  client: Client,
  path: string,
): Promise<Map<string, string>> {
  const answer = await fetch(`${world.url}${path}`, { headers: client.headers })
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-export-'))
  try {
    const file = join(folder, 'file.zip')
    writeFileSync(file, await answer.bytes())
    return await readZip(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function readZip(path: string): Promise<Map<string, string>> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false })
  const found = new Map<string, string>()
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    found.set(entry.fileName, Buffer.concat(chunks).toString())
  }
  zip.close()
  return found
}
