import { ADMINS, Installation, signIn } from '../../chaos/installation'
import { BINARY } from '../figures/binary'
import { cpuUsOf } from '../processes'
import { fillContacts } from '../search-rows'
import { quantile, type PartResult } from './part'

const CONTACTS = 159_000
const WARM_UP = 5
const SEARCHES = 40
const OTHERS_EVERY_MS = 5

/**
 * How long one client waits for the contacts of a first name that three of ten of 159,000 contacts
 * have, and how long others wait for small requests meanwhile.
 */
export async function measureSearch(): Promise<PartResult> {
  const installation = new Installation({}, [BINARY])
  try {
    await (await installation.start()).stop()
    fillContacts(installation.databasePath, CONTACTS)
    await using server = await installation.start()
    const client = await signIn(server.url, ADMINS[0])
    server.ignoreOutput()
    const search = async (name = 'maria'): Promise<number> => {
      const startedMs = performance.now()
      const { status, data } = await client.get(`/api/contacts?search=${name}&limit=50`)
      if (status !== 200 || (data['items'] as unknown[]).length !== 50)
        throw new Error(`the search was answered ${status}`)
      return performance.now() - startedMs
    }
    for (let nth = 0; nth < WARM_UP; nth += 1) await search()
    const before = cpuUsOf(server.pid)
    const took: number[] = []
    for (let nth = 0; nth < SEARCHES; nth += 1) took.push(await search())
    const cpuMs = (cpuUsOf(server.pid) - before) / SEARCHES / 1_000
    const rarer: number[] = []
    for (let nth = 0; nth < SEARCHES; nth += 1) rarer.push(await search('xaver'))
    const others: number[] = []
    let isOver = false
    const beside = (async () => {
      while (!isOver) {
        const startedMs = performance.now()
        await client.get('/api/me')
        others.push(performance.now() - startedMs)
        await Bun.sleep(OTHERS_EVERY_MS)
      }
    })()
    for (let nth = 0; nth < SEARCHES; nth += 1) await search()
    isOver = true
    await beside
    await server.stop()
    return {
      figures: [
        {
          key: 'search_p50_ms',
          name: 'search for a common first name, p50',
          unit: 'ms',
          value: quantile(took, 0.5),
        },
        {
          key: 'search_p99_ms',
          name: 'search for a common first name, p99',
          unit: 'ms',
          value: quantile(took, 0.99),
        },
        {
          key: 'search_rarer_p50_ms',
          name: 'search for a name that one of a hundred has, p50',
          unit: 'ms',
          value: quantile(rarer, 0.5),
        },
        {
          key: 'search_cpu_ms',
          name: 'search for a common first name, processor time',
          unit: 'ms',
          value: cpuMs,
        },
        {
          key: 'search_others_p99_ms',
          name: 'others beside the search, p99',
          unit: 'ms',
          value: quantile(others, 0.99),
        },
      ],
    }
  } finally {
    installation.remove()
  }
}
