import type { Client } from '../support/client'

/** Other requests come at this distance, whether the former ones are answered or not. */
const EVERY_MS = 10

/** Times of the other requests over one stretch, milliseconds. */
export interface Stretch {
  when: string
  requests: number
  p50Ms: number
  p99Ms: number
  worstMs: number
}

const PATHS = ['/api/me', '/api/contacts', '/api/organizations/current', '/api/accounts']

/** Sends other requests at a steady pace until something is over, and tells how long they took. */
export async function probe(client: Client, when: string, over: Promise<unknown>): Promise<Stretch> {
  const times: number[] = []
  const pending: Promise<void>[] = []
  const one = async (path: string): Promise<void> => {
    const sentMs = performance.now()
    const { status } = await client.get(path)
    if (status !== 200) throw new Error(`${path} answered ${status}`)
    times.push(performance.now() - sentMs)
  }
  let isOver = false
  const done = over.finally(() => (isOver = true))
  for (let nth = 0; !isOver; nth += 1) {
    pending.push(one(PATHS[nth % PATHS.length] ?? ''))
    await Bun.sleep(EVERY_MS)
  }
  await Promise.all([done, ...pending])
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { when, requests: times.length, p50Ms: at(0.5), p99Ms: at(0.99), worstMs: at(1) }
}

/** Stretches as a table. */
export const stretchTable = (rows: Stretch[]): string =>
  [
    '| other requests | count | p50 ms | p99 ms | worst ms |',
    '|---|---:|---:|---:|---:|',
    ...rows.map(
      ({ when, requests, p50Ms, p99Ms, worstMs }) =>
        `| ${when} | ${requests} | ${p50Ms.toFixed(1)} | ${p99Ms.toFixed(1)} | ${worstMs.toFixed(1)} |`,
    ),
  ].join('\n')
