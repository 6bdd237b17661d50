import { expect, test } from 'bun:test'

import { ADMINS, Installation, signIn } from '../chaos/installation'
import type { Client, Loose } from '../support/client'
import { handIn } from '../support/imports'

const ROWS = 6_000
const KILLS = 3

const rowsDone = (installation: Installation): number =>
  installation.rows<{ rows_done: number }>('select rows_done from imports')[0]?.rows_done ?? 0

const importOf = async (client: Client, id: unknown): Promise<Loose> =>
  (await client.get(`/api/imports/${String(id)}`)).data

/** Waits until something holds, for at most half a minute. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 3_000; round += 1) {
    if (await holds()) return
    await Bun.sleep(10)
  }
  throw new Error('that did not happen within half a minute')
}

test('an import whose server is killed repeatedly continues and processes every row once', async () => {
  const installation = new Installation({})
  try {
    let server = await installation.start()
    const { headers } = await signIn(server.url, ADMINS[0])
    const numbers = Array.from({ length: ROWS }, (_, nth) => `1555${String(nth).padStart(7, '0')}`)
    const { data } = await handIn(await signIn(server.url, ADMINS[0]), {
      file: `phone_number,tags\n${numbers.map((number) => `${number},vip`).join('\n')}\n`,
    })
    const seen: number[] = []
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const least = Math.max((ROWS / (KILLS + 2)) * kill, (seen.at(-1) ?? 0) + 1)
      await until(() => rowsDone(installation) >= least)
      await server.kill()
      seen.push(rowsDone(installation))
      server = await installation.start()
    }
    await using last = server
    const client = (await signIn(last.url, ADMINS[0])).with(headers)
    await until(async () => (await importOf(client, data['id']))['finished_at'] !== null)
    expect(await importOf(client, data['id'])).toMatchObject({
      status: 'completed',
      rows_done: ROWS,
      created: ROWS,
      skipped: 0,
      failed: 0,
    })
    expect(seen.every((done, index) => done < ROWS && done > (seen[index - 1] ?? 0))).toBe(true)
    const one = (query: string): number => installation.rows<{ n: number }>(query)[0]?.n ?? 0
    expect([
      one('select count(*) as n from contacts'),
      one('select count(distinct phone_number) as n from contacts'),
      one('select count(*) as n from import_rows'),
      one('select contact_count as n from tags'),
      one("select count(*) as n from events where type = 'contacts.changed_in_bulk'"),
    ]).toEqual([ROWS, ROWS, ROWS, ROWS, 1])
  } finally {
    installation.remove()
  }
}, 120_000)
