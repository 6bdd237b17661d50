import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'

import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../../infra/ctx'
import { recountOf } from '../../../../infra/db/counter'
import { transact, type Tx } from '../../../../infra/db/transact'
import { bytesToUuid, NIL_UUID, uuidToBytes } from '../../../../infra/db/uuid'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import { organizations } from '../../../organization/organizations/table'
import { foldRollups } from './fold'
import { RebuildRollups } from '../jobs'
import { COUNTERS } from './catalog'
import { rollupParts } from './table'

/** Messages and other facts counted per transaction: at most so many of each. */
const AT_ONCE = 200

/** Transactions between two moves of counts to their days. */
const STEPS_PER_FOLD = 50

const FACTS = new Set([...COUNTERS.map((counter) => counter.of), 'contacts', 'conversations'])

/** Returns a value of each table of facts, of those that are not counted yet. */
const ofEach = (value: string, end = ''): string =>
  Array.from(
    FACTS,
    (table) =>
      `select (select ${value} from ${table} where organization_id = ?1 and id > ?2 ${end}) as id`,
  ).join(' union all ')

/** Returns the last ID of the next facts to count: of all that are left if they are few. */
const NEXT = `select coalesce(
  (select min(id) from (${ofEach('id', `order by id limit 1 offset ${AT_ONCE - 1}`)})),
  (select max(id) from (${ofEach('max(id)')}))) as id`

/**
 * Statements that count contacts as their triggers do, one by one. Parameters: those of
 * `recountOf`.
 */
const COUNT_CONTACTS = [
  `INSERT INTO contacts_seen (organization_id, part, unit, start, account_id, contacts, live)
   SELECT f.organization_id, ?1, 0, f.first_seen_at_ms / 900000, zeroblob(16),
     sum(1), sum(f.deleted_at_ms IS NULL)
   FROM contacts f WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4 AND f.merged_into IS NULL
   GROUP BY 4, 5
   ON CONFLICT DO UPDATE SET contacts = contacts + excluded.contacts, live = live + excluded.live`,
  `INSERT INTO contacts_seen (organization_id, part, unit, start, account_id, contacts, live)
   SELECT f.organization_id, ?1, 0, c.first_seen_at_ms / 900000, f.account_id,
     sum(1), sum(c.deleted_at_ms IS NULL)
   FROM conversations f JOIN contacts c ON c.organization_id = f.organization_id AND c.id = f.contact_id
   WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4 AND f.last_message_at_ms IS NOT NULL
   GROUP BY 4, 5
   ON CONFLICT DO UPDATE SET contacts = contacts + excluded.contacts, live = live + excluded.live`,
]

const COUNT = [...COUNTERS.map(recountOf), ...COUNT_CONTACTS]

/**
 * Starts counting everything again that is still stored, in the caller's transaction. Reports show
 * the old figures until that is done. A rebuild that is under way is replaced.
 */
export function startRebuildIn(tx: Tx, ctx: Ctx): void {
  const newest = tx
    .select({ part: sql<number>`max(${rollupParts.part})` })
    .from(rollupParts)
    .where(inOrganization(ctx, rollupParts))
    .get()
  const part = (newest?.part ?? 0) + 1
  tx.delete(rollupParts)
    .where(inOrganization(ctx, rollupParts, isNotNull(rollupParts.through)))
    .run()
  tx.insert(rollupParts)
    .values({ organizationId: ctx.organizationId, part, through: NIL_UUID })
    .run()
  enqueue(tx, ctx, RebuildRollups, { args: { part } })
}

/** Starts a rebuild in every organization. Returns their number. */
export const startRebuilds = (deps: Pick<Deps, 'db' | 'clock' | 'ids'>): number =>
  transact(deps.db, (tx) => {
    const all = tx.select({ id: organizations.id }).from(organizations).all()
    for (const { id } of all) startRebuildIn(tx, systemCtx(deps as Deps, id)) // only these parts are used
    return all.length
  })

/**
 * Counts the stored facts of an organization into a new part, and replaces the old counts by it
 * at the end. Counts of facts that are not stored any more stay. If interrupted, it continues where
 * it was. Does nothing if another rebuild has replaced this one.
 */
export async function rebuildRollups(ctx: Ctx, { part }: { part: number }): Promise<void> {
  for (let step = 1; transact(ctx.db, (tx) => countNextIn(tx, ctx, part)); step += 1) {
    if (step % STEPS_PER_FOLD === 0) await foldRollups(ctx)
    await yieldToEventLoop()
  }
  await foldRollups(ctx)
}

/** Counts the next facts, in the caller's transaction. Returns whether there may be more. */
function countNextIn(tx: Tx, ctx: Ctx, part: number): boolean {
  const ofPart = inOrganization(ctx, rollupParts, eq(rollupParts.part, part))
  const through = tx
    .select({ through: rollupParts.through })
    .from(rollupParts)
    .where(ofPart)
    .get()?.through
  if (through === undefined || through === null) return false
  const organization = uuidToBytes(ctx.organizationId)
  const after = uuidToBytes(through)
  const last = ctx.db.sqlite
    .query<{ id: Uint8Array | null }, [Uint8Array, Uint8Array]>(NEXT)
    .get(organization, after)?.id
  if (last) {
    for (const statement of COUNT)
      ctx.db.sqlite.query(statement).run(part, organization, after, last)
    tx.update(rollupParts)
      .set({ through: bytesToUuid(last) })
      .where(ofPart)
      .run()
    return true
  }
  tx.delete(rollupParts)
    .where(and(inOrganization(ctx, rollupParts), isNull(rollupParts.through)))
    .run()
  tx.update(rollupParts).set({ through: null }).where(ofPart).run()
  return false
}
