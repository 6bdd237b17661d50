import { ADMINS, Installation, signIn } from '../chaos/installation'
import type { Client, Loose } from '../support/client'
import { upload } from '../support/files'
import { PROFILED } from './figures/binary'
import { probe, stretchTable, type Stretch } from './probe'
import { cpuUsOf } from './processes'
import { machineOf, save } from './report'

/** Rows of the yardstick; the limit holds for so many. */
const ROWS = 100_000
const REST_MS = 10_000
/** All rows have to be processed in so long, milliseconds. */
const LIMIT_MS = 30_000

/**
 * Measures an import of 100,000 contacts, or of as many as a word says, and what it does to the
 * others: the times of other requests at rest, while the file is processed and at rest again, in
 * one run. With the word `alone` nobody else asks for anything. Prints tables, `isSaved` writes
 * them to `results`. Throws when it takes too long. A folder in `BENCH_PROFILE`
 * takes a CPU profile of the server.
 */
export async function benchImport({
  isSaved,
  words,
}: {
  isSaved: boolean
  words: string[]
}): Promise<void> {
  const rows = Number(words.find((word) => /^\d+$/.test(word)) ?? ROWS)
  const isAlone = words.includes('alone')
  const installation = new Installation({}, PROFILED)
  try {
    await using server = await installation.start()
    const client = await signIn(server.url, ADMINS[0])
    server.ignoreOutput()
    await client.post('/api/contact-attributes', {
      key: 'plan',
      label: 'Plan',
      type: 'select',
      options: ['free', 'gold'],
    })
    const stretches: Stretch[] = []
    const others = async (when: string, over: Promise<unknown>): Promise<void> => {
      if (isAlone) await over
      else stretches.push(await probe(client, when, over))
    }
    if (!isAlone) await probe(client, 'warming up', Bun.sleep(3_000))
    await others('at rest', Bun.sleep(isAlone ? 0 : REST_MS))
    const startedMs = performance.now()
    const fields = { table: 'contacts', dry_run: 'false' }
    const taking = upload(client, {
      bytes: fileOf(rows),
      name: 'customers.csv',
      path: '/api/import',
      fields,
    })
    await others('while a file is taken in', taking)
    const takenMs = performance.now() - startedMs
    const cpuUs = cpuUsOf(server.pid)
    const work = finished(client, String((await taking).data['id']))
    await others('while its rows are processed', work)
    const workedMs = performance.now() - startedMs - takenMs
    const perRowUs = (cpuUsOf(server.pid) - cpuUs) / rows
    await others('at rest again', Bun.sleep(isAlone ? 0 : REST_MS))
    const done = await work
    const report = [
      machineOf(installation.folder),
      '',
      `${rows.toLocaleString('en-US')} rows with seven columns: taken in within ${seconds(takenMs)}, processed in ${seconds(workedMs)}, ${Math.round((rows / workedMs) * 1_000).toLocaleString('en-US')} rows/s, ${perRowUs.toFixed(0)} µs of processor time a row${isAlone ? '' : ' with what the others asked for'}; ${done['created']} created, ${done['failed']} failed.`,
      '',
      ...(isAlone ? [] : [stretchTable(stretches)]),
    ].join('\n')
    console.log(`\n${report}\n`)
    if (isSaved) save('import', report)
    await server.stop()
    if (done['created'] !== rows)
      throw new Error(`not every row became a contact: ${JSON.stringify(done)}`)
    if (rows >= ROWS && takenMs + workedMs > LIMIT_MS)
      throw new Error(`it took longer than ${seconds(LIMIT_MS)}`)
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
  return new TextEncoder().encode(
    `Phone,Name,Language,Tags,Consent,Plan,Something else\r\n${lines.join('\r\n')}\r\n`,
  )
}

/** Waits for the end of an import, asking now and then. */
async function finished(client: Client, id: string): Promise<Loose> {
  for (;;) {
    const { data } = await client.get(`/api/imports/${id}`)
    if (data['finished_at'] !== null) return data
    await Bun.sleep(250)
  }
}
