import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { ADMINS, Installation, signIn } from '../chaos/installation'
import type { Client, Loose } from '../support/client'
import { enlarged } from '../support/large-archive'
import { archiveOf, packed, PASSPHRASE } from '../support/organization-archive'
import { World } from '../support/world'

const MESSAGES = 1_500
const KILLS = 3

/** Waits until something holds, for at most half a minute. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 6_000; round += 1) {
    if (await holds()) return
    await Bun.sleep(5)
  }
  throw new Error('that did not happen within half a minute')
}

test('an import whose server is killed repeatedly continues until every row is there once', async () => {
  await using source = await World.create()
  await source.contactOf()
  const archive = enlarged(await archiveOf(source, source.tenant), {
    contacts: 100,
    messages: MESSAGES,
  })
  const installation = new Installation({})
  try {
    let server = await installation.start()
    const folder = join(installation.folder, 'data', 'incoming')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'acme.zip'), await packed(archive))
    const client: Client = await signIn(server.url, ADMINS[0])
    const { data } = await client.post('/api/admin/organizations/import', {
      ...{ path: 'acme.zip', passphrase: PASSPHRASE, dry_run: false },
    })
    const progress = (): Loose | undefined =>
      installation.rows<Loose>('select state, rows_done, step from organization_imports')[0]
    const seen: number[] = []
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const goal = (Number(data['rows_total']) / (KILLS + 1)) * kill
      await until(() => Number(progress()?.['rows_done']) >= goal)
      await server.kill()
      seen.push(Number(progress()?.['rows_done']))
      server = await installation.start()
    }
    await using last = server
    await until(() => progress()?.['state'] !== 'running')
    const { headers } = await signIn(last.url, ADMINS[0])
    const done = await (
      await signIn(last.url, ADMINS[0])
    )
      .with(headers)
      .get(`/api/admin/organizations/imports/${data['id']}`)
    expect(done.data).toMatchObject({
      ...{ state: 'completed', error: null, rows_done: data['rows_total'] },
    })
    const one = (query: string): number => installation.rows<{ n: number }>(query)[0]?.n ?? 0
    expect([
      one('select count(*) as n from messages'),
      one('select count(distinct id) as n from messages'),
      one('select count(*) as n from message_words'),
      one('select count(*) as n from contacts'),
      one('select contacts as n from contact_counts'),
    ]).toEqual([MESSAGES + 1, MESSAGES + 1, MESSAGES + 1, 101, 101])
    // Kills on a machine with other work may come after the last row.
    expect(seen[0]).toBeLessThan(Number(data['rows_total']))
  } finally {
    installation.remove()
  }
}, 120_000)
