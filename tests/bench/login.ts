import { Database } from 'bun:sqlite'

import { ADMINS, Installation, signIn } from '../chaos/installation'
import { Client } from '../support/client'
import { compare, tellingApart, type Comparison } from './pairs'
import { probe, stretchTable, type Stretch } from './probe'
import { machineOf, save } from './report'
import { changeRows } from '../support/sql'

const STORM = 200
const PASSWORD = 'correct horse battery'
const REST_MS = 10_000
const TARGET_P99_MS = 50
/** Wrong sign-ins of each kind. */
const WRONG = 150

/**
 * Measures what 200 people who sign in at the same moment do to the others: the times of other
 * requests at rest, during the storm and at rest again, in one run; then whether a wrong password
 * takes as long as an unknown e-mail. Prints tables, `isSaved` writes them to `results`. Throws when the two can be told apart.
 */
export async function benchLogin(options: { isSaved: boolean }): Promise<void> {
  const installation = new Installation({ PASSWORD_MEMORY_MIB: '64', TRUSTED_PROXIES: '127.0.0.1' })
  try {
    await (await installation.start()).stop()
    addPeople(installation)
    await using server = await installation.start()
    const client = await signIn(server.url, ADMINS[0])
    server.ignoreOutput()
    await probe(client, 'warming up', Bun.sleep(3_000))
    const before = await probe(client, 'at rest', Bun.sleep(REST_MS))
    const { answers, tookMs, stretch } = await storm(server.url, client)
    const after = await probe(client, 'at rest again', Bun.sleep(REST_MS))
    const wrong = await wrongSignIns(server.url)
    const report = [
      machineOf(installation.folder),
      '',
      `${STORM} logins at once, 64 MiB each: ${answers}, in ${(tookMs / 1_000).toFixed(1)} s.`,
      '',
      stretchTable([before, stretch, after]),
      '',
      `${WRONG} wrong sign-ins of each kind, one at a time, in turn:`,
      '',
      wrongTable(wrong),
    ].join('\n')
    console.log(
      `\n${report}\n\np99 ${stretch.p99Ms < TARGET_P99_MS ? 'is under' : 'is NOT under'} ${TARGET_P99_MS} ms.`,
    )
    if (options.isSaved) save('login', report)
    await server.stop()
    const different = tellingApart([wrong])
    if (different.length > 0) throw new Error(different.join('; '))
  } finally {
    installation.remove()
  }
}

const emailOf = (nth: number): string => `person-${nth}@example.com`

/** So many people with the admin's password and membership, while no server runs. */
function addPeople(installation: Installation): void {
  const database = new Database(installation.databasePath)
  const copy = (table: string, changes: Record<string, string>): void => {
    const columns = database
      .query<{ name: string }, []>(`select name from pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => name)
    const values = columns.map((name) => changes[name] ?? name)
    changeRows(
      database,
      `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from ${table} order by rowid limit 1`,
    )
  }
  for (let nth = 0; nth < STORM; nth += 1) {
    const id = `01900000-0000-7000-8000-${String(nth).padStart(12, '0')}`
    copy('users', { id: `'${id}'`, email: `'${emailOf(nth)}'`, is_super_admin: '0' })
    copy('memberships', { id: `'${id}'`, user_id: `'${id}'`, words: `'${emailOf(nth)}'` })
  }
  database.close()
}

/** All sign in at the same moment, while the others go on. */
async function storm(
  url: string,
  client: Client,
): Promise<{ answers: string; tookMs: number; stretch: Stretch }> {
  const startedMs = performance.now()
  const logins = Promise.all(
    Array.from({ length: STORM }, async (_, nth) => {
      const body = JSON.stringify({ email: emailOf(nth), password: PASSWORD })
      const response = await fetch(`${url}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      return response.status
    }),
  )
  const stretch = await probe(client, 'during the storm', logins)
  const tookMs = performance.now() - startedMs
  const counts = new Map<number, number>()
  for (const status of await logins) counts.set(status, (counts.get(status) ?? 0) + 1)
  return {
    answers: [...counts].map(([status, count]) => `${count} answered ${status}`).join(', '),
    tookMs,
    stretch,
  }
}

/**
 * Wrong passwords and unknown e-mails, each from an address and for an account of its own, so that
 * no counter closes.
 */
function wrongSignIns(url: string): Promise<Comparison> {
  const ask =
    (emailAt: (round: number) => string, network: number) =>
    async (round: number): Promise<void> => {
      const client = new Client(url, {
        'x-forwarded-for': `10.${network}.${round >> 8}.${round & 255}`,
      })
      const { status } = await client.post('/api/auth/login', {
        email: emailAt(round),
        password: 'a wrong password',
      })
      if (status !== 401) throw new Error(`a wrong sign-in was answered ${status}`)
    }
  return compare(
    {
      what: 'wrong password and unknown e-mail',
      names: ['wrong password', 'unknown e-mail'],
      ask: [
        ask((round) => emailOf(round % STORM), 1),
        ask((round) => `nobody-${round}@example.com`, 2),
      ],
    },
    WRONG,
  )
}

const wrongTable = ({ times, ratio }: Comparison): string =>
  [
    '| sign-in | p50 ms | p95 ms | mean ms |',
    '|---|---:|---:|---:|',
    ...times.map(
      ({ name, p50Ms, p95Ms, meanMs }) =>
        `| ${name} | ${p50Ms.toFixed(1)} | ${p95Ms.toFixed(1)} | ${meanMs.toFixed(1)} |`,
    ),
    `| second to first | ${ratio.toFixed(3)} | ${(times[1].p95Ms / times[0].p95Ms).toFixed(3)} | ${(times[1].meanMs / times[0].meanMs).toFixed(3)} |`,
  ].join('\n')
