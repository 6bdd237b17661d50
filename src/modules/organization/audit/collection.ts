import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { NotFoundError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { given, of, type Changes, type TenantTable, type Where } from '../../../infra/scoped'
import type { AuditAction } from './model'
import { differences, HIDDEN, recordAudit, type FieldChange } from './record'

/** A table of things with an id and the times of their creation and their last change. */
type ThingTable = TenantTable & Record<'id' | 'createdAtMs' | 'updatedAtMs', SQLiteColumn>

/** What {@link collection} adds to every row. */
type Own = 'organizationId' | 'id' | 'createdAtMs' | 'updatedAtMs'

/**
 * A kind of thing that people name, change and delete. Each change is recorded in the audit log, in
 * its transaction.
 */
export function collection<T extends ThingTable>(kind: {
  table: T
  /** As errors name it, for example `Canned response`. */
  name: string
  resourceType: string
  /** The fields that the audit log compares, by their names in the API. */
  recorded: (row: T['$inferSelect']) => object
  /** Recorded fields whose values the audit log does not show. */
  hidden?: readonly string[]
  /** Whether the audit log has it: a change, if it does before or after. Usually it has all. */
  isRecorded?: (row: T['$inferSelect']) => boolean
  /** What the audit log calls it. Usually its `name`. */
  title?: (row: T['$inferSelect']) => string
}) {
  type Row = T['$inferSelect'] & { id: string }
  const { table, resourceType, hidden = [], isRecorded = () => true } = kind
  const title = kind.title ?? ((row: Row) => (row as unknown as { name: string }).name)
  const named = (id: string): Where<T> => ({ id }) as Where<T>

  const recordIn = (
    tx: Tx,
    ctx: Ctx,
    { action, row, changes = [] }: { action: AuditAction; row: Row; changes?: FieldChange[] },
  ): void =>
    recordAudit(tx, ctx, {
      action,
      resourceType,
      resourceId: row.id,
      resourceName: title(row),
      changes: changes.map((change) =>
        hidden.includes(change.field)
          ? { ...change, old_value: HIDDEN, new_value: HIDDEN }
          : change,
      ),
    })

  return {
    recordIn,
    /** Throws NotFoundError. */
    get: (ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): Row => {
      const row = of(ctx, table).find(named(id))
      if (!row) throw new NotFoundError(kind.name)
      return row as Row
    },
    addIn: (
      tx: Tx,
      ctx: Ctx,
      values: Omit<T['$inferInsert'], Own> & { id?: string | undefined },
    ): Row => {
      const nowMs = ctx.clock.nowMs()
      const { id = ctx.ids.next() } = values
      const times = { createdAtMs: nowMs, updatedAtMs: nowMs }
      const row = of(ctx, table).insert(tx, { ...values, id, ...times } as T['$inferInsert']) as Row
      if (isRecorded(row)) recordIn(tx, ctx, { action: 'created', row })
      return row
    },
    /** Returns the row as it is now. Writes nothing if no column gets another value. */
    changeIn: (
      tx: Tx,
      ctx: Ctx,
      before: Row,
      changes: { [K in keyof T['$inferInsert']]?: T['$inferInsert'][K] | undefined },
    ): Row => {
      if (differences(before, { ...before, ...given(changes) }).length === 0) return before
      const set: Changes<T> = { ...changes, updatedAtMs: ctx.clock.nowMs() }
      const [row] = of(ctx, table).update(tx, named(before.id), set) as [Row]
      const changed = differences({ ...kind.recorded(before) }, { ...kind.recorded(row) })
      if (isRecorded(before) || isRecorded(row))
        recordIn(tx, ctx, { action: 'updated', row, changes: changed })
      return row
    },
    deleteIn: (tx: Tx, ctx: Ctx, row: Row): void => {
      of(ctx, table).delete(tx, named(row.id))
      if (isRecorded(row)) recordIn(tx, ctx, { action: 'deleted', row })
    },
  }
}
