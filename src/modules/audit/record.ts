import { looksLikePhone, maskPhonesIn } from '../../lib/phone'
import type { Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { indexEntry, nextRow } from './search-index'
import { auditLogs } from './table'

/** One field before and after. */
export interface FieldChange {
  field: string
  old_value: unknown
  new_value: unknown
}

/**
 * What is written down of a change: what was done to which thing, and its fields before and after.
 */
export interface AuditFact {
  /** `created`, `updated`, `deleted`, or a word for what was done, in snake_case. */
  action: string
  resourceType: string
  resourceId: string | null
  resourceName: string | null
  changes?: FieldChange[]
}

/** Stands for the value of a secret on both sides of a change. */
export const HIDDEN = '***'

/**
 * Writes an entry of the audit log, in the transaction of the change it tells of: no change without
 * entry, no entry without change.
 */
export function recordAudit(tx: Tx, ctx: Ctx, fact: AuditFact): void {
  const row = nextRow(ctx)
  const words = wordsOf(fact.action, fact.resourceName, ctx.actor.userName)
  tx.insert(auditLogs)
    .values({
      row,
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      actorType: ctx.actor.type,
      userId: ctx.actor.userId,
      userName: ctx.actor.userName,
      apiKeyId: ctx.actor.apiKeyId,
      action: fact.action,
      resourceType: fact.resourceType,
      resourceId: fact.resourceId,
      resourceName: fact.resourceName,
      changes: JSON.stringify(fact.changes ?? []),
      words,
      ipAddress: ctx.origin?.ipAddress ?? null,
      userAgent: ctx.origin?.userAgent ?? null,
      requestId: ctx.origin?.requestId ?? null,
      createdAtMs: ctx.clock.nowMs(),
    })
    .run()
  indexEntry(ctx.db, { row, words })
}

/** A change of something that is personal data of a customer. */
export interface UnnamedFact {
  action: string
  resourceType: string
  resourceId: string
  /** Names of the fields that changed. */
  fields?: string[]
}

/**
 * Writes an entry about something that is personal data of a customer, in the transaction of the
 * change: which one, and which fields, but neither its name nor a value, so that who is erased is
 * erased here as well. What the program does by itself is no entry.
 */
export function recordUnnamed(tx: Tx, ctx: Ctx, { fields = [], ...fact }: UnnamedFact): void {
  if (ctx.actor.type === 'system') return
  recordAudit(tx, ctx, {
    ...fact,
    resourceName: null,
    changes: fields.map((field) => ({ field, old_value: HIDDEN, new_value: HIDDEN })),
  })
}

/**
 * What a search of the log looks at; a name that is a phone number can be found by its last four
 * digits only.
 */
function wordsOf(...words: (string | null)[]): string {
  return words
    .map((word) => (word !== null && looksLikePhone(word) ? maskPhonesIn(word) : (word ?? '')))
    .join('\n')
    .toLowerCase()
}

/**
 * The fields in which two views of a thing differ; `updated_at` is left out, and nothing is the
 * same as `null`.
 */
export function differences(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): FieldChange[] {
  return Object.keys(after)
    .filter(
      (field) =>
        field !== 'updated_at' &&
        JSON.stringify(before[field] ?? null) !== JSON.stringify(after[field] ?? null),
    )
    .map((field) => ({ field, old_value: before[field] ?? null, new_value: after[field] ?? null }))
}
