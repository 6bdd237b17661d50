import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { fillInbox } from '../bench/inbox-rows'
import { ADMINS, Installation, signIn } from '../chaos/installation'
import { changeRows } from '../support/sql'

/** How often the server is killed; more often in `bun run test:long`. */
const KILLS = Number(process.env['ERASURE_KILLS'] ?? 2)
const MESSAGES = 6_000 + KILLS * 1_000
const MARKER = 'plantedmarkerqz'

/** Waits until something holds, for at most a minute. */
async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; round < 12_000; round += 1) {
    if (holds()) return
    await Bun.sleep(5)
  }
  throw new Error('that did not happen within a minute')
}

/** Plants the marker in names, texts and the words of the index. */
function plant(path: string): void {
  using database = new Database(path, { strict: true })
  database.run('pragma secure_delete = on') // as the server does
  for (const change of [
    `update contacts set name = name || ' ${MARKER}', sort_name = sort_name || ' ${MARKER}'`,
    `update contact_words set words = coalesce(words, '') || ' ${MARKER}'`,
    `update messages set preview = preview || ' ${MARKER}', content = json_object('text', preview || ' ${MARKER}')`,
    `update message_words set words = coalesce(words, '') || ' ${MARKER}' || (row % 500)`,
  ])
    changeRows(database, change)
}

/** Names of files in the data folder that hold the marker. */
const filesWithMarker = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).toString('latin1').toLowerCase().includes(MARKER))

test(
  'an erasure whose server is killed repeatedly ends with no byte left',
  async () => {
    const installation = new Installation({})
    try {
      await (await installation.start()).stop()
      fillInbox(installation.databasePath, { messages: MESSAGES, contacts: 100, mine: 5 })
      await installation.addSecondOrganization()
      plant(installation.databasePath)
      const data = join(installation.folder, 'data')
      expect(filesWithMarker(data)).not.toEqual([])
      let server = await installation.start()
      const client = await signIn(server.url, ADMINS[0])
      const { data: current } = await client.get('/api/organizations/current')
      const { status } = await client.request('DELETE', `/api/organizations/${current['id']}`, {
        ...{ confirm: current['slug'], erase_now: true },
      })
      expect(status).toBe(200)

      const one = (query: string): number => installation.rows<{ n: number }>(query)[0]?.n ?? -1
      const messages = (): number => one('select count(*) as n from messages')
      const ended = 'select count(*) as n from erased_organizations where erased_at_ms is not null'
      let killedInTime = 0
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const goal = MESSAGES - (MESSAGES / (KILLS + 1)) * kill
        await until(() => messages() <= goal)
        await server.kill()
        if (messages() > 0) killedInTime += 1
        server = await installation.start()
      }
      await using last = server
      await until(() => one(ended) === 1)
      const other = await signIn(last.url, ADMINS[1])
      expect((await other.get('/api/organizations/current')).status).toBe(200)
      expect(await last.stop()).toBe(0)

      expect(killedInTime).toBeGreaterThan(0)
      expect(filesWithMarker(data)).toEqual([])
      expect(one('select count(*) as n from organizations')).toBe(1)
      expect(one('select count(*) as n from contacts')).toBe(0)
      expect(installation.rows('pragma foreign_key_check')).toEqual([])
    } finally {
      installation.remove()
    }
  },
  60_000 + KILLS * 20_000,
)
