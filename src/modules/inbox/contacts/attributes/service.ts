import { and, asc, count, eq, isNotNull, sql } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import { fieldSentence, ConflictError, InvalidError, NotFoundError } from '../../../../lib/errors'
import { numberedPage, type Page } from '../../../../lib/page'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { differences, recordAudit } from '../../../organization/audit/record'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { ClearAttribute } from '../jobs'
import { contacts } from '../table'
import { valueAt } from './clear-values'
import type { AttributeChanges, AttributeView, NewAttribute } from './model'
import { contactAttributes } from './table'

/** A row of the custom fields table. */
export type AttributeRow = typeof contactAttributes.$inferSelect

/** Maximum number of custom fields per organization. */
export const MAX_ATTRIBUTES = 100

/** Returns the organization's custom fields by key. */
export function definitionsOf(
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
): Map<string, AttributeRow> {
  const rows = ctx.db.orm
    .select()
    .from(contactAttributes)
    .where(inOrganization(ctx, contactAttributes))
    .orderBy(asc(contactAttributes.key))
    .limit(MAX_ATTRIBUTES)
    .all()
  return new Map(rows.map((row) => [row.key, row]))
}

/** Returns a page of the organization's custom fields, sorted by key. */
export function listAttributes(
  ctx: Ctx,
  query: { page: number; limit: number },
): Page<AttributeView> {
  const all = [...definitionsOf(ctx).values()]
  const from = (query.page - 1) * query.limit
  return numberedPage(all.slice(from, from + query.limit).map(attributeView), all.length, query)
}

/** Returns a custom field. Throws NotFoundError. */
export const getAttribute = (ctx: Ctx, id: string): AttributeView => attributeView(rowOf(ctx, id))

function rowOf(ctx: Pick<ReadCtx, 'db' | 'organizationId'>, id: string): AttributeRow {
  const row = ctx.db.orm
    .select()
    .from(contactAttributes)
    .where(inOrganization(ctx, contactAttributes, eq(contactAttributes.id, id)))
    .get()
  if (!row) throw new NotFoundError('Field')
  return row
}

/**
 * Creates a custom field. Throws ConflictError for a key in use, and InvalidError for invalid
 * options or more than 100 fields.
 */
export function createAttribute(ctx: Ctx, input: NewAttribute): AttributeView {
  return transact(ctx.db, (tx) => {
    const fields = inOrganization(ctx, contactAttributes)
    const { rows } = tx.select({ rows: count() }).from(contactAttributes).where(fields).get() ?? {
      rows: 0,
    }
    if (rows >= MAX_ATTRIBUTES)
      throw new ConflictError(
        `The limit of ${MAX_ATTRIBUTES} custom fields is reached. Delete one first.`,
        {
          code: 'limit_reached',
        },
      )
    if (definitionsOf(ctx).has(input.key))
      throw new ConflictError('A custom field with this `key` already exists.', {
        code: 'key_taken',
        details: { field: 'key' },
      })
    if (hasValues(tx, ctx, input.key))
      throw new ConflictError(
        'A deleted field with this `key` is still being cleaned up. Try again in a moment.',
        {
          code: 'key_taken',
          details: { field: 'key' },
        },
      )
    const nowMs = ctx.clock.nowMs()
    const row = tx
      .insert(contactAttributes)
      .values({
        organizationId: ctx.organizationId,
        id: ctx.ids.next(),
        key: input.key,
        label: input.label.trim(),
        type: input.type,
        options: JSON.stringify(optionsFor(input.type, input.options ?? [])),
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      })
      .returning()
      .get()
    recordAudit(tx, ctx, {
      action: 'created',
      resourceType: 'contact_attribute',
      resourceId: row.id,
      resourceName: row.label,
    })
    return attributeView(row)
  })
}

/** Returns the distinct options of a `select` field; other types have none. Throws InvalidError. */
function optionsFor(type: AttributeRow['type'], options: string[]): string[] {
  const refuse = (message: string): InvalidError =>
    new InvalidError(fieldSentence('body.options', message), {
      code: 'invalid_input',
      errors: [{ path: 'body.options', message }],
    })
  const kept = [
    ...new Set(options.map((option) => option.trim()).filter((option) => option !== '')),
  ]
  if (type === 'select' && kept.length === 0)
    throw refuse('must have at least one option for type select')
  if (type !== 'select' && kept.length > 0) throw refuse('is only allowed for type select')
  return kept
}

/**
 * Updates a custom field. Throws NotFoundError and InvalidError, also `has_values` for a new type
 * while contacts have values.
 */
export function updateAttribute(ctx: Ctx, id: string, changes: AttributeChanges): AttributeView {
  return transact(ctx.db, (tx) => {
    const before = rowOf(ctx, id)
    const type = changes.type ?? before.type
    if (type !== before.type && hasValues(tx, ctx, before.key))
      throw new InvalidError(
        '`type` cannot be changed because contacts have values for this field. Create a new ' +
          'field instead.',
        {
          code: 'has_values',
          errors: [{ path: 'body.type', message: 'cannot be changed while contacts have values' }],
        },
      )
    const known =
      type === 'select' && before.type === 'select' ? (JSON.parse(before.options) as string[]) : []
    const row = tx
      .update(contactAttributes)
      .set({
        label: changes.label?.trim() ?? before.label,
        type,
        options: JSON.stringify(optionsFor(type, changes.options ?? known)),
        updatedAtMs: ctx.clock.nowMs(),
      })
      .where(inOrganization(ctx, contactAttributes, eq(contactAttributes.id, id)))
      .returning()
      .get()
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'contact_attribute',
      resourceId: id,
      resourceName: row.label,
      changes: differences({ ...attributeView(before) }, { ...attributeView(row) }),
    })
    return attributeView(row)
  })
}

function hasValues(tx: Tx, ctx: Ctx, key: string): boolean {
  const held = inOrganization(
    ctx,
    contacts,
    and(sql`${contacts.attributes} <> '{}'`, isNotNull(valueAt(key))),
  )
  return tx.select({ id: contacts.id }).from(contacts).where(held).limit(1).get() !== undefined
}

/** Deletes a custom field and its values. Throws NotFoundError. */
export function deleteAttribute(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = rowOf(ctx, id)
    tx.delete(contactAttributes)
      .where(inOrganization(ctx, contactAttributes, eq(contactAttributes.id, id)))
      .run()
    enqueue(tx, ctx, ClearAttribute, { args: { key: row.key, after: '' } })
    recordAudit(tx, ctx, {
      action: 'deleted',
      resourceType: 'contact_attribute',
      resourceId: id,
      resourceName: row.label,
    })
  })
}

const attributeView = (row: AttributeRow): AttributeView => ({
  id: row.id,
  key: row.key,
  label: row.label,
  type: row.type,
  options: JSON.parse(row.options) as string[],
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})
