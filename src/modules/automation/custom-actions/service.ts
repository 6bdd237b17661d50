import { count, eq } from 'drizzle-orm'

import { ConflictError } from '../../../lib/errors'
import { foldText } from '../../../lib/fold-text'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { differences, HIDDEN, recordAudit } from '../../organization/audit/record'
import type { ActionRow } from './config'
import type { CustomActionChanges, CustomActionView, NewCustomAction } from './model'
import { customActionView, getActionRow } from './queries'
import { customActions } from './table'
import { readAction } from './validate'

/** Maximum number of custom actions of an organization. */
export const MAX_ACTIONS = 200

/**
 * Creates a custom action. Throws InvalidError `unsupported_action_type` and `url_refused`, and
 * ConflictError `limit_reached`.
 */
export function createCustomAction(ctx: Ctx, input: NewCustomAction): CustomActionView {
  return transact(ctx.db, (tx) => {
    const id = ctx.ids.next()
    const columns = readAction(ctx, id, input, null)
    requireRoomIn(tx, ctx)
    const nowMs = ctx.clock.nowMs()
    const name = input.name.trim()
    const row = tx
      .insert(customActions)
      .values({
        organizationId: ctx.organizationId,
        id,
        name,
        nameKey: foldText(name),
        icon: input.icon ?? null,
        ...columns,
        isActive: input.is_active ?? true,
        displayOrder: input.display_order ?? 0,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      })
      .returning()
      .get()
    recordAudit(tx, ctx, { action: 'created', ...resourceOf(row) })
    return customActionView(row)
  })
}

/**
 * Changes the given fields of a custom action. Throws NotFoundError and InvalidError
 * `unsupported_action_type` and `url_refused`.
 */
export function updateCustomAction(
  ctx: Ctx,
  id: string,
  changes: CustomActionChanges,
): CustomActionView {
  return transact(ctx.db, (tx) => {
    const before = getActionRow(ctx, id)
    const name = changes.name?.trim() ?? before.name
    const after = tx
      .update(customActions)
      .set({
        name,
        nameKey: foldText(name),
        icon: changes.icon === undefined ? before.icon : changes.icon,
        ...readAction(ctx, id, changes, before),
        isActive: changes.is_active ?? before.isActive,
        displayOrder: changes.display_order ?? before.displayOrder,
        updatedAtMs: ctx.clock.nowMs(),
      })
      .where(inOrganization(ctx, customActions, eq(customActions.id, id)))
      .returning()
      .get()
    recordAudit(tx, ctx, {
      action: 'updated',
      ...resourceOf(after),
      changes: changesOf(before, after),
    })
    return customActionView(after)
  })
}

/** Deletes a custom action with its unused redirects. Throws NotFoundError. */
export function deleteCustomAction(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = getActionRow(ctx, id)
    tx.delete(customActions)
      .where(inOrganization(ctx, customActions, eq(customActions.id, id)))
      .run()
    recordAudit(tx, ctx, { action: 'deleted', ...resourceOf(row) })
  })
}

/** Returns the fields that changed. Headers are recorded without their values. */
function changesOf(before: ActionRow, after: ActionRow): ReturnType<typeof differences> {
  const { updated_at: _was, ...was } = customActionView(before)
  const { updated_at: _is, ...is } = customActionView(after)
  const hasNewHeaders = before.headersSealed !== after.headersSealed
  return [
    ...differences({ ...was, config: '' }, { ...is, config: '' }),
    ...differences({ ...was.config, headers: '' }, { ...is.config, headers: '' }),
    ...(hasNewHeaders ? [{ field: 'headers', old_value: HIDDEN, new_value: HIDDEN }] : []),
  ]
}

/** Returns how the audit log names a custom action. */
export const resourceOf = (
  row: ActionRow,
): { resourceType: string; resourceId: string; resourceName: string } => ({
  resourceType: 'custom_action',
  resourceId: row.id,
  resourceName: row.name,
})

function requireRoomIn(tx: Tx, ctx: Ctx): void {
  const rows = tx
    .select({ rows: count() })
    .from(customActions)
    .where(inOrganization(ctx, customActions))
    .get()?.rows
  if ((rows ?? 0) >= MAX_ACTIONS)
    throw new ConflictError(
      `An organization can have up to ${MAX_ACTIONS} custom actions. Delete one that is not needed.`,
      { code: 'limit_reached' },
    )
}
