import { Database } from 'bun:sqlite'

import { ADMINS, Installation, signIn } from '../../chaos/installation'
import { forgetPeak, peakMibOf } from '../processes'
import { builtBinary } from './binary'
import { bounded, type Figure } from './figure'

const JOBS = 100_000
const DEADLINE_MS = 120_000

/**
 * The most memory the server takes while it works off a backlog of 100,000 jobs, from its start on.
 */
export async function measureBacklog(): Promise<Figure[]> {
  const installation = new Installation({}, [builtBinary()])
  try {
    await (await installation.start()).stop()
    fill(installation.databasePath)
    await using server = await installation.start()
    await forgetPeak(server.pid)
    await signIn(server.url, ADMINS[0])
    const deadlineMs = performance.now() + DEADLINE_MS
    while (
      installation.rows(
        `select 1 from jobs where state = 'available' and kind = 'conversation.publish-change' limit 1`,
      ).length > 0
    ) {
      if (performance.now() > deadlineMs) throw new Error('the backlog was not processed in time')
      await Bun.sleep(50)
    }
    const peakMib = peakMibOf(server.pid)
    await server.stop()
    return [bounded('peak memory with a backlog of 100,000 jobs', 'MiB', peakMib, 250)]
  } finally {
    installation.remove()
  }
}

/** Jobs that find nothing to do, written straight into the database file while no server runs. */
function fill(path: string): void {
  const sqlite = new Database(path, { strict: true })
  sqlite.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${JOBS})
     insert into jobs (id, kind, queue, state, organization_id, args, max_attempts, scheduled_at_ms, created_at_ms)
     select unhex(printf('01900000000070008200%012x', i)), 'conversation.publish-change', 'default', 'available', (select id from organizations order by rowid limit 1),
       '{"conversationId":"01900000-0000-7000-8201-000000000001"}', 20, 1, 1 from n`,
  )
  sqlite.close()
}
