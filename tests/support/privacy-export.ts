import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openPromise } from 'yauzl'

import type { Client } from './client'
import type { World } from './world'

/** Downloads a completed privacy export and returns its entries by name. */
export async function entriesOf(
  world: World,
  admin: Client,
  requestId: string,
): Promise<Map<string, string>> {
  const answer = await fetch(`${world.url}/api/privacy/requests/${requestId}/download`, {
    headers: admin.headers,
  })
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-export-'))
  try {
    const path = join(folder, 'export.zip')
    writeFileSync(path, await answer.bytes())
    return await readZip(path)
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
