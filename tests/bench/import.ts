import { ADMINS, Installation, signIn } from '../chaos/installation'
import type { Client, Loose } from '../support/client'
import { upload } from '../support/files'
import { probe, stretchTable } from './probe'
import { machineOf, save } from './report'

const ROWS = 100_000
const REST_MS = 10_000
/** All rows have to be worked off in so long, milliseconds. */
const LIMIT_MS = 30_000

/**
 * Measures an import of 100,000 contacts, and what it does to the others: the times of other requests at rest, while the file is worked off
 * and at rest again, in one run. Prints tables, `isSaved` writes them into the README of this folder. Throws when it takes too long.
 */
export async function benchImport(options: { isSaved: boolean }): Promise<void> {
  const installation = new Installation({})
  try {
    await using server = await installation.start()
    const client = await signIn(server.url, ADMINS[0])
    server.ignoreOutput()
    await client.post('/api/contact-attributes', { key: 'plan', label: 'Plan', type: 'select', options: ['free', 'gold'] })
    await probe(client, 'warming up', Bun.sleep(3_000))
    const before = await probe(client, 'at rest', Bun.sleep(REST_MS))
    const startedMs = performance.now()
    const taking = upload(client, {
      bytes: fileOf(ROWS),
      name: 'customers.csv',
      path: '/api/import',
      fields: { table: 'contacts', dry_run: 'false' },
    })
    const during = await probe(client, 'while a file is taken in', taking)
    const takenMs = performance.now() - startedMs
    const work = finished(client, String((await taking).data['id']))
    const importing = await probe(client, 'while its rows are worked off', work)
    const workedMs = performance.now() - startedMs - takenMs
    const after = await probe(client, 'at rest again', Bun.sleep(REST_MS))
    const done = await work
    const report = [
      machineOf(installation.folder),
      '',
      `${ROWS.toLocaleString('en-US')} rows with seven columns: taken in within ${seconds(takenMs)}, worked off in ${seconds(workedMs)}, ${Math.round((ROWS / workedMs) * 1_000).toLocaleString('en-US')} rows/s; ${done['created']} created, ${done['failed']} failed.`,
      '',
      stretchTable([before, during, importing, after]),
    ].join('\n')
    console.log(`\n${report}\n`)
    if (options.isSaved) save('import', report)
    await server.stop()
    if (done['created'] !== ROWS) throw new Error(`not every row became a contact: ${JSON.stringify(done)}`)
    if (takenMs + workedMs > LIMIT_MS) throw new Error(`it took longer than ${seconds(LIMIT_MS)}`)
  } finally {
    installation.remove()
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** A file with a number, a name, a language, tags, consent and a value in each row. */
function fileOf(rows: number): Uint8Array {
  const lines = Array.from({ length: rows }, (_, nth) => {
    const number = `+1 555 ${String(1_000_000 + nth).replace(/(\d{3})(\d{4})$/, '$1 $2')}`
    return `${number},"Person, ${nth}",en,vip;${nth % 2 === 0 ? 'north' : 'south'},${nth % 10 === 0 ? 'opted_in' : ''},${nth % 3 === 0 ? 'gold' : 'free'},note ${nth}`
  })
  return new TextEncoder().encode(`Phone,Name,Language,Tags,Consent,Plan,Something else\r\n${lines.join('\r\n')}\r\n`)
}

/** Waits for the end of an import, asking now and then. */
async function finished(client: Client, id: string): Promise<Loose> {
  for (;;) {
    const { data } = await client.get(`/api/imports/${id}`)
    if (data['finished_at'] !== null) return data
    await Bun.sleep(250)
  }
}
