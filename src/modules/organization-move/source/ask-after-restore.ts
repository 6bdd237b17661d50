import { and, asc, eq, gt } from 'drizzle-orm'

import { INSTALLATION, systemCtx, type Deps, type JobCtx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { findOrganization, type OrganizationRow } from '../../organizations/service'
import { organizations } from '../../organizations/table'
import { AskAfterRestore } from '../jobs'
import { findNewestMove } from '../queries'
import { stopHereIn } from '../stop-here'
import { askTarget } from './ask-target'

/** Organizations read at once. */
const PAGE = 100

/** Schedules the question about the organizations of a restored database. */
export const askAfterRestore = (deps: Pick<Deps, 'db' | 'clock' | 'ids'>): void =>
  transact(
    deps.db,
    (tx) => void enqueue(tx, systemCtx(deps as Deps, INSTALLATION), AskAfterRestore, { args: {} }), // only these parts are used
  )

/**
 * Asks the other cells whether organizations that work here had moved there, which a backup of the time
 * before does not know. Those that did stop working here. Organizations that two cells have because one
 * was split are no such: they did not move. Throws if a cell does not answer.
 */
export async function stopMovedAway(ctx: JobCtx): Promise<void> {
  const silent: Error[] = []
  for (const cell of ctx.settings.cells?.peers ?? [])
    await askAboutAll(ctx, cell).catch((error: Error) => void silent.push(error))
  const [first] = silent
  if (first) throw first
}

async function askAboutAll(ctx: JobCtx, cell: string): Promise<void> {
  for (let after: string | null = ''; after !== null;) {
    const rows = workingAfter(ctx, after)
    for (const { id } of rows) {
      ctx.signal.throwIfAborted()
      const question = { id: ctx.ids.next(), organizationId: id, target: cell }
      const answer = await askTarget(ctx, question, { action: 'ask' })
      if (answer.place === 'here' && answer.came_from_asker) stopHere(ctx, id, cell)
    }
    after = rows.length < PAGE ? null : (rows.at(-1)?.id ?? null)
  }
}

const workingAfter = ({ db }: JobCtx, after: string): OrganizationRow[] =>
  db.orm
    .select()
    .from(organizations)
    .where(and(eq(organizations.state, 'active'), gt(organizations.id, after)))
    .orderBy(asc(organizations.id))
    .limit(PAGE)
    .all()

function stopHere(ctx: JobCtx, organizationId: string, cell: string): void {
  transact(ctx.db, (tx) => {
    const row = findOrganization(ctx, organizationId)
    // A move that has not ended, or is being aborted, decides by itself.
    if (row?.state !== 'active' || findNewestMove(ctx, organizationId)?.finishedAtMs === null)
      return
    stopHereIn(tx, ctx, row, {
      cell,
      reason: 'it moved there after the backup was made that this server was restored from',
    })
  })
}
