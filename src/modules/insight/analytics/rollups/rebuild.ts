import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'

import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { bytesToUuid, NIL_UUID, uuidToBytes } from '../../../../infra/db/uuid'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import { organizations } from '../../../organization/organizations/table'
import { foldRollups } from './fold'
import { RebuildRollups } from '../jobs'
import { COUNT_WORK } from './count-work'
import { rollupParts } from './table'

/** Messages and other facts counted per transaction: at most so many of each. */
const AT_ONCE = 200

/** Transactions between two moves of counts to their days. */
const STEPS_PER_FOLD = 50

const FACTS = ['messages', 'transfers', 'bot_sessions', 'ai_usage', 'contacts', 'conversations']

/** Returns a value of each table of facts, of those that are not counted yet. */
const ofEach = (value: string, end = ''): string =>
  FACTS.map(
    (table) =>
      `select (select ${value} from ${table} where organization_id = ?1 and id > ?2 ${end}) as id`,
  ).join(' union all ')

/** Returns the last ID of the next facts to count: of all that are left if they are few. */
const NEXT = `select coalesce(
  (select min(id) from (${ofEach('id', `order by id limit 1 offset ${AT_ONCE - 1}`)})),
  (select max(id) from (${ofEach('max(id)')}))) as id`

/**
 * Statements that add up messages as the triggers do, one by one: messages, answers, contacts and
 * costs. Parameters: part, organization, and the messages after one up to another.
 */
const COUNT = [
  `INSERT INTO message_rollups (organization_id, part, unit, start, account_id, source, type, messages, delivered, read, failed)
   SELECT m.organization_id, ?1, 0, m.counted_slot, m.account_id, m.source, m.type,
     sum((m.source = 'contact' OR m.sent_at_ms IS NOT NULL)), sum((m.delivered_at_ms IS NOT NULL)), sum((m.source <> 'contact' AND m.read_at_ms IS NOT NULL)), sum((m.status = 'failed'))
   FROM messages m WHERE m.organization_id = ?2 AND m.id > ?3 AND m.id <= ?4 AND m.counted_slot IS NOT NULL
   GROUP BY 4, 5, 6, 7
   ON CONFLICT DO UPDATE SET messages = messages + excluded.messages, delivered = delivered + excluded.delivered, read = read + excluded.read, failed = failed + excluded.failed`,
  `INSERT INTO message_rollups (organization_id, part, unit, start, account_id, source, type, answers, answer_ms)
   SELECT m.organization_id, ?1, 0, m.answered_slot, m.account_id, m.source, m.type,
     sum(1), sum(m.answered_after_ms)
   FROM messages m WHERE m.organization_id = ?2 AND m.id > ?3 AND m.id <= ?4 AND m.answered_slot IS NOT NULL
   GROUP BY 4, 5, 6, 7
   ON CONFLICT DO UPDATE SET answers = answers + excluded.answers, answer_ms = answer_ms + excluded.answer_ms`,
  `INSERT INTO contact_rollups (organization_id, part, unit, start, account_id, contact, source, messages)
   SELECT m.organization_id, ?1, 0, m.counted_slot, m.account_id, (SELECT c.row FROM contacts c WHERE c.organization_id = m.organization_id AND c.id = m.contact_id), m.source,
     sum((m.source = 'contact' OR m.sent_at_ms IS NOT NULL))
   FROM messages m WHERE m.organization_id = ?2 AND m.id > ?3 AND m.id <= ?4 AND m.counted_slot IS NOT NULL
   GROUP BY 4, 5, 6, 7
   ON CONFLICT DO UPDATE SET messages = messages + excluded.messages`,
  `INSERT INTO cost_changes (organization_id, part, unit, start, account_id, category, country, source, campaign_id, template_id, bot_flow_id, agent_id, currency, billable, free, unpriced, estimated, micros, estimated_micros)
   SELECT m.organization_id, ?1, 0, m.costed_slot, m.account_id, coalesce(m.cost_category, ''), coalesce(m.cost_country, ''), m.source, coalesce(m.campaign_id, zeroblob(16)), coalesce(m.template_id, zeroblob(16)), coalesce(m.bot_flow_id, zeroblob(16)), iif(m.source = 'agent', coalesce(m.sent_by, zeroblob(16)), zeroblob(16)), coalesce(m.cost_currency, ''),
     sum((m.cost_free_reason IS NULL AND m.cost_micros IS NOT NULL)), sum((m.cost_free_reason IS NOT NULL)), sum((m.cost_free_reason IS NULL AND m.cost_micros IS NULL)), sum(m.is_cost_estimate), sum(iif(m.cost_currency IS NULL, 0, coalesce(m.cost_micros, 0))), sum(m.is_cost_estimate * iif(m.cost_currency IS NULL, 0, coalesce(m.cost_micros, 0)))
   FROM messages m WHERE m.organization_id = ?2 AND m.id > ?3 AND m.id <= ?4 AND m.costed_slot IS NOT NULL
   GROUP BY 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
   ON CONFLICT DO UPDATE SET billable = billable + excluded.billable, free = free + excluded.free, unpriced = unpriced + excluded.unpriced, estimated = estimated + excluded.estimated, micros = micros + excluded.micros, estimated_micros = estimated_micros + excluded.estimated_micros`,
]

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
    for (const statement of [...COUNT, ...COUNT_WORK])
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
