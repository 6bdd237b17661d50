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
export async function probe(
  client: Client,
  when: string,
  over: Promise<unknown>,
): Promise<Stretch> {
  const times = (await timed(client, over)).map(({ tookMs }) => tookMs)
  return {
    when,
    requests: times.length,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    worstMs: quantile(times, 1),
  }
}

/**
 * When a request was sent, how long it took, and without what was counted meanwhile; milliseconds.
 */
export interface Timed {
  sentMs: number
  tookMs: number
  ownMs: number
}

/** A value of a list below which that share of it lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/**
 * The times of other requests at a steady pace until something is over; `notOurs` counts what is no
 * time of the server, milliseconds.
 */
export async function timed(
  client: Client,
  over: Promise<unknown>,
  notOurs: () => number = () => 0,
): Promise<Timed[]> {
  const times: Timed[] = []
  const pending: Promise<void>[] = []
  const one = async (path: string): Promise<void> => {
    const [sentMs, before] = [performance.now(), notOurs()]
    const { status } = await client.get(path)
    if (status !== 200) throw new Error(`${path} answered ${status}`)
    const tookMs = performance.now() - sentMs
    times.push({ sentMs, tookMs, ownMs: Math.max(0, tookMs - (notOurs() - before)) })
  }
  let isOver = false
  const done = over.finally(() => (isOver = true))
  for (let nth = 0; !isOver; nth += 1) {
    pending.push(one(PATHS[nth % PATHS.length] ?? ''))
    await Bun.sleep(EVERY_MS)
  }
  await Promise.all([done, ...pending])
  return times
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
