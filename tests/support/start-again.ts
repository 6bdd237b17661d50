import { INSTALLATION, systemCtx } from '../../src/infra/ctx'
import { transact } from '../../src/infra/db/transact'
import { uuidToBytes } from '../../src/infra/db/uuid'
import type { Schedule } from '../../src/infra/jobs/define-schedule'
import { enqueue } from '../../src/infra/jobs/enqueue'
import { organizationTables, type OrganizationTable } from '../../src/infra/organization-tables'
import { MODULES } from '../../src/modules'
import { repairAtStart } from '../../src/repairs'
import type { World } from './world'

/** Jobs that carry on an import or a move, which a test wants to look at in between. */
const CARRIERS = "kind in ('organization.import', 'organization.move') and finished_at_ms is null"

const schedulesOf = ({ schedules = [] }: { schedules?: Schedule[] }): Schedule[] => schedules

/** Longer than any test. */
const LATER_MS = 1e12

/**
 * Does what a server does at its start and within its first day: repairs, and every scheduled job.
 * Imports and moves that were interrupted go on afterwards.
 */
async function startAgain(world: World): Promise<void> {
  const { http } = world.program
  const { sqlite } = http.db
  sqlite.run(`update jobs set scheduled_at_ms = scheduled_at_ms + ${LATER_MS} where ${CARRIERS}`)
  repairAtStart(http)
  transact(http.db, (tx) => {
    for (const { job } of MODULES.flatMap(schedulesOf))
      enqueue(tx, systemCtx(http, INSTALLATION), job, { args: {} })
  })
  await world.work()
  // A stop is no failure: the next run comes at once, however often it happens.
  sqlite.run(
    `update jobs set attempt = min(attempt, 1), scheduled_at_ms = ${world.clock.nowMs()} where ${CARRIERS}`,
  )
}

/** The tables of each world; they do not change. */
const tablesOf = new WeakMap<World, OrganizationTable[]>()

/** Returns the rows of an organization in all tables, without those of its jobs. */
function rowsOfOrganization(world: World, organization: string): Record<string, unknown[]> {
  const { db, tables: fates } = world.program.http
  const tables = tablesOf.get(world) ?? organizationTables(db.sqlite, fates)
  tablesOf.set(world, tables)
  return Object.fromEntries(
    tables
      .map(({ name, owner, hasRowid, key }) => {
        const order = hasRowid ? 'rowid' : key.join(', ')
        const query = `select * from "${name}" where "${owner}" = ? order by ${order}`
        return [name, db.sqlite.query(query).all(uuidToBytes(organization))] as const
      })
      .filter(([name, rows]) => name !== 'jobs' && rows.length > 0),
  )
}

/** Whether a server is stopped at every part, as in `bun run test:long`. */
const STOPS_AT_ALL = process.env['STOPPED_PARTS'] === 'all'
const ONE_OF = 3
const ROWS_OF = 'rows of '
/** Their rows wait until the organization is complete. */
const WAITING = new Set(['organizations', 'accounts', 'memberships'].map((name) => ROWS_OF + name))

/**
 * Ends the first transaction of parts of an import, or of a move at its source, as if the process
 * were killed in it: of each part that does something of its own, and of every third table whose rows
 * are stored as those of all others, beginning with the one at `first`. Returns the parts so far, and
 * those at which it was stopped. `partNow` is the part that the open transaction is in.
 */
export function stopAtParts(
  world: World,
  { of, partNow, first = 0 }: { of: string; partNow: () => string; first?: number },
): { parts: Set<string>; stopped: Set<string> } {
  const { db } = world.program.http
  const { beforeCommit } = db
  const parts = new Set<string>()
  const stopped = new Set<string>()
  const isStopped = (part: string): boolean =>
    STOPS_AT_ALL || !part.startsWith(ROWS_OF) || WAITING.has(part) || parts.size % ONE_OF === first
  Object.assign(db, {
    beforeCommit: (...args: Parameters<typeof beforeCommit>) => {
      const isMeant = new Error('for its stack').stack?.includes(of)
      const part = isMeant ? partNow() : ''
      if (part !== '' && !parts.has(part)) {
        parts.add(part)
        if (isStopped(part)) {
          stopped.add(part)
          throw new Error('stopped')
        }
      }
      beforeCommit(...args)
    },
  })
  return { parts, stopped }
}

/** Starts a server again. Returns the tables in which rows of an organization changed by that. */
export async function changedByStart(world: World, organization: string): Promise<string[]> {
  const before = rowsOfOrganization(world, organization)
  await startAgain(world)
  const after = rowsOfOrganization(world, organization)
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (table) => JSON.stringify(before[table]) !== JSON.stringify(after[table]),
  )
}
