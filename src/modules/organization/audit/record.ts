import { looksLikePhone, maskPhonesIn } from '../../../lib/phone'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { AuditAction } from './model'
import { indexEntry, nextRow } from './search-index'
import { auditLogs } from './table'

/** A field before and after a change. */
export interface FieldChange {
  field: string
  old_value: unknown
  new_value: unknown
}

/** A change to record: action, resource, and its fields before and after. */
export interface AuditFact {
  action: AuditAction
  resourceType: string
  resourceId: string | null
  resourceName: string | null
  changes?: FieldChange[]
}

/** Replaces the value of a secret before and after a change. */
export const HIDDEN = '***'

/**
 * Writes an audit log entry in the transaction of the change, so that neither exists without the
 * other.
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

/** A change of a customer's personal data. */
export interface PersonalDataChange {
  action: AuditAction
  resourceType: string
  resourceId: string
  /** Names of the fields that changed. */
  fields?: string[]
}

/**
 * Writes an audit log entry about a customer's personal data, in the transaction of the change.
 * Stores the ID and the names of the changed fields, but no name and no value, so that erasing a
 * person leaves nothing here. Ignores changes by the system, except for those of a bot flow.
 */
export function recordPersonalDataChange(
  tx: Tx,
  ctx: Ctx,
  { fields = [], ...fact }: PersonalDataChange,
): void {
  if (ctx.actor.type === 'system' && ctx.actor.userName === null) return
  recordAudit(tx, ctx, {
    ...fact,
    resourceName: null,
    changes: fields.map((field) => ({ field, old_value: HIDDEN, new_value: HIDDEN })),
  })
}

/**
 * Returns the search words of an entry. A name that is a phone number can be found only by its last
 * four digits.
 */
function wordsOf(...words: (string | null)[]): string {
  return words
    .map((word) => (word !== null && looksLikePhone(word) ? maskPhonesIn(word) : (word ?? '')))
    .join('\n')
    .toLowerCase()
}

/**
 * Returns the fields in which two views differ. Ignores `updated_at`. A missing field equals
 * `null`.
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
