import { asc, isNotNull, sql } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import { fieldSentence, ConflictError, InvalidError } from '../../../../lib/errors'
import type { Page } from '../../../../lib/page'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { of } from '../../../../infra/scoped'
import { collection } from '../../../organization/audit/collection'
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
  const rows = of(ctx, contactAttributes).list({
    order: [asc(contactAttributes.key)],
    limit: MAX_ATTRIBUTES,
  })
  return new Map(rows.map((row) => [row.key, row]))
}

const attributeView = (row: AttributeRow): AttributeView => ({
  id: row.id,
  key: row.key,
  label: row.label,
  type: row.type,
  options: row.options,
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})

const attributes = collection({
  table: contactAttributes,
  name: 'Field',
  resourceType: 'contact_attribute',
  recorded: attributeView,
  title: ({ label }) => label,
})

/** Returns a page of the organization's custom fields, sorted by key. */
export const listAttributes = (
  ctx: Ctx,
  query: { page: number; limit: number },
): Page<AttributeView> =>
  of(ctx, contactAttributes).page(query, {
    order: [asc(contactAttributes.key)],
    views: (rows) => rows.map(attributeView),
  })

/** Throws NotFoundError. */
export const getAttribute = (ctx: Ctx, id: string): AttributeView =>
  attributeView(attributes.get(ctx, id))

/**
 * Creates a custom field. Throws ConflictError for a key in use, and InvalidError for invalid
 * options or more than 100 fields.
 */
export function createAttribute(ctx: Ctx, { key, type, ...input }: NewAttribute): AttributeView {
  return transact(ctx.db, (tx) => {
    const errors = [{ path: 'body.key', message: 'is already in use' }]
    const taken = { code: 'key_taken', details: { field: 'key' }, errors }
    if (of(ctx, contactAttributes).count() >= MAX_ATTRIBUTES)
      throw new ConflictError(
        `The limit of ${MAX_ATTRIBUTES} custom fields is reached. Delete one first.`,
        { code: 'limit_reached' },
      )
    if (of(ctx, contactAttributes).find({ key }))
      throw new ConflictError('A custom field with this `key` already exists.', taken)
    if (hasValues(ctx, key))
      throw new ConflictError(
        'A deleted field with this `key` is still being cleaned up. Try again in a moment.',
        taken,
      )
    const options = optionsFor(type, input.options ?? [])
    return attributeView(
      attributes.addIn(tx, ctx, { key, label: input.label.trim(), type, options }),
    )
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
    const before = attributes.get(ctx, id)
    const { type = before.type } = changes
    if (type !== before.type && hasValues(ctx, before.key))
      throw new InvalidError(
        '`type` cannot be changed because contacts have values for this field. Create a new ' +
          'field instead.',
        {
          code: 'has_values',
          errors: [{ path: 'body.type', message: 'cannot be changed while contacts have values' }],
        },
      )
    const known = type === 'select' ? before.options : []
    const options = optionsFor(type, changes.options ?? known)
    const label = changes.label?.trim()
    return attributeView(attributes.changeIn(tx, ctx, before, { label, type, options }))
  })
}

const hasValues = (ctx: Ctx, key: string): boolean =>
  of(ctx, contacts).find(sql`${contacts.attributes} <> '{}'`, isNotNull(valueAt(key))) !== null

/** Deletes a custom field and its values. Throws NotFoundError. */
export function deleteAttribute(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = attributes.get(ctx, id)
    attributes.deleteIn(tx, ctx, row)
    enqueue(tx, ctx, ClearAttribute, { args: { key: row.key, after: '' } })
  })
}
