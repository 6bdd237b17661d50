import { join } from 'node:path'

import { ADMINS, Installation, signIn } from '../chaos/installation'
import type { Client, Loose } from '../support/client'
import { percentiles, Watch, WATCHED } from './hold-watch'
import { machineOf, save } from './report'
import { fillContacts } from './search-rows'

const CONTACTS = 1_000_000
const ROUNDS = 50
/** What others do beside it: one small request every so many milliseconds. */
const OTHERS_EVERY_MS = 5

/** One thing that is asked, and how often. */
interface Asked {
  what: string
  rounds?: number
  ask: (client: Client) => Promise<{ status: number }>
}

/**
 * Measures searches, lists, segments and bulk changes of an organization with a million contacts:
 * what each takes, what other requests take beside it, and how long the event loop is held at a
 * time. `words`: how many contacts instead. `isSaved` writes the table to `results`.
 */
export async function benchSearch(options: { isSaved: boolean; words: string[] }): Promise<void> {
  const rows = Number(options.words[0] ?? CONTACTS)
  const installation = new Installation({ HOLDS_FILE: 'holds.json', RATE_BULK: '0' }, WATCHED)
  try {
    await (await installation.start()).stop()
    fillContacts(installation.databasePath, rows)
    await using server = await installation.start()
    const client = await signIn(server.url, ADMINS[0])
    const watch = new Watch(server, join(installation.folder, 'holds.json'))
    server.ignoreOutput()
    const lines: string[] = []
    for (const asked of [
      ...SEARCHES,
      ...LISTS,
      ...SEGMENTS,
      ...REPORTS,
      await bulkChange(client),
    ]) {
      const line = await measure(client, watch, asked)
      console.log(line)
      lines.push(line)
    }
    const size = `${rows.toLocaleString('en-US')} contacts in one organization; one request at a time, and \`GET /api/me\` beside it every ${OTHERS_EVERY_MS} ms. A hold is the longest time in which the event loop did nothing else, the smaller of wall clock and processor time.`
    const head = [
      '| asked for | p50 ms | p99 ms | others p50 ms | others p99 ms | longest hold ms |',
      '| --- | ---: | ---: | ---: | ---: | ---: |',
    ]
    const report = [machineOf(installation.folder), '', size, '', ...head, ...lines].join('\n')
    console.log(`\n${report}\n`)
    if (options.isSaved) save('search', report)
  } finally {
    installation.remove()
  }
}

async function measure(
  client: Client,
  watch: Watch,
  { what, ask, rounds = ROUNDS }: Asked,
): Promise<string> {
  await ask(client)
  await watch.take()
  const [took, others]: [number[], number[]] = [[], []]
  let isOver = false
  const beside = (async (): Promise<void> => {
    while (!isOver) {
      const startedMs = performance.now()
      await client.get('/api/me')
      others.push(performance.now() - startedMs)
      await Bun.sleep(OTHERS_EVERY_MS)
    }
  })()
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = performance.now()
    const { status } = await ask(client)
    if (status >= 300) throw new Error(`${what} answered ${status}`)
    took.push(performance.now() - startedMs)
  }
  isOver = true
  await beside
  const figures = [...percentiles(took), ...percentiles(others), await watch.take()].map((ms) =>
    ms.toFixed(1),
  )
  return `| ${[what, ...figures].join(' | ')} |`
}

const get = (what: string, path: string, rounds?: number): Asked => ({
  what,
  ask: (client) => client.get(path),
  ...(rounds === undefined ? {} : { rounds }),
})
const contacts = (what: string, query: string, rounds?: number): Asked =>
  get(`contacts, ${what}`, `/api/contacts?${query}`, rounds)

const SEARCHES: Asked[] = [
  contacts('search, nothing found', 'search=nobody'),
  contacts('search, one found', 'search=zebulon'),
  contacts('search, 1 % found', 'search=xaver'),
  contacts('search, 30 % found', 'search=maria'),
  contacts('search, 30 % found, by name', 'search=maria&sort=name', 3),
  contacts('search, two letters', 'search=ma'),
  contacts('search, two words, one found', 'search=person777+zebulon'),
  contacts('search, two common words, nothing found', 'search=maria+xaver', 5),
  contacts('search, whole number', 'search=%2B49+151+00005439'),
  contacts('search, last digits', 'search=5439', 20),
  contacts('search, digits from the middle', 'search=15100054', 20),
  contacts('search, digits of no number', 'search=99999999', 20),
  get('conversations, search, 30 % found', '/api/conversations?search=maria', 20),
]

const LISTS: Asked[] = [
  contacts('first page', 'limit=50'),
  contacts(
    'of a tag, by cursor',
    `tags=VIP&cursor=${Buffer.from('[1,"ffffffff"]').toString('base64url')}`,
    20,
  ),
  contacts('of a tag, with total', 'tags=VIP', 3),
  contacts('with consent, with total', 'consent=opted_in', 3),
]

const preview = (what: string, filter: unknown, rounds: number): Asked => ({
  what: `segment preview, ${what}`,
  rounds,
  ask: (client) => client.post('/api/segments/preview', { filter }),
})

const SEGMENTS: Asked[] = [
  preview('country', { field: 'country', op: 'eq', value: 'DE' }, 3),
  preview('a tag', { field: 'tags', op: 'in', value: ['VIP'] }, 3),
  preview('metadata', { field: 'metadata.plan', op: 'eq', value: 'gold' }, 3),
  {
    what: 'segment preview, 50 conditions on tags: 400',
    rounds: 20,
    ask: async (client) => {
      const all = Array.from({ length: 50 }, (_, nth) => ({
        not: { field: 'tags', op: 'in', value: [`tag ${nth}`] },
      }))
      const answer = await client.post('/api/segments/preview', { filter: { all } })
      return { status: answer.body['code'] === 'segment_too_expensive' ? 200 : 500 }
    },
  },
]

const REPORTS: Asked[] = [
  get('counts of conversations, search', '/api/conversations/counts?search=maria', 3),
  get('report of the last 400 days', '/api/me/report?start_date=2026-01-01', 20),
]

/** Everybody is tagged by a job; asked for is until the job has ended. */
async function bulkChange(client: Client): Promise<Asked> {
  const filter = { field: 'metadata.plan', op: 'eq', value: 'none' }
  const segment = (await client.post('/api/segments', { name: 'Nobody', filter })).data as Loose
  return {
    what: 'bulk change of a segment, until it is done',
    rounds: 1,
    async ask(on) {
      const answer = await on.post('/api/contacts/bulk', {
        segment_id: segment['id'],
        action: 'add_tags',
        value: ['Bulk'],
      })
      for (;;) {
        const { data } = await on.get(`/api/jobs/${String((answer.data as Loose)['id'])}`)
        if (
          !['available', 'executing', 'scheduled', 'retryable'].includes(
            String((data as Loose)['state']),
          )
        )
          return answer
        await Bun.sleep(50)
      }
    },
  }
}
