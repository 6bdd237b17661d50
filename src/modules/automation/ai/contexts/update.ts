import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import { emit } from '../../../../infra/outbox/events'
import {
  HIDDEN,
  differences,
  recordAudit,
  type FieldChange,
} from '../../../organization/audit/record'
import { enqueueFileDeletionIn } from '../../../channel/media/delete-files'
import { deleteChunksIn } from '../chunks/store'
import { AiContextChanged } from '../events'
import { aiContexts } from '../table'
import type { AiContextChanges, AiContextView } from './model'
import { getContextRow } from './queries'
import { replaceTextIn } from './text'
import { validateContext, type ContextColumns } from './validate'
import { contextView, type ContextRow } from './view'

/**
 * Changes the given fields of a context. A new `content` replaces a document. Throws NotFoundError,
 * InvalidError, and ConflictError `name_taken` and `limit_reached`.
 */
export async function updateContext(
  ctx: Ctx,
  id: string,
  changes: AiContextChanges,
): Promise<AiContextView> {
  const found = getContextRow(ctx, id)
  const read = (before: ContextRow): ContextColumns =>
    validateContext(ctx, { id, type: before.type, before }, changes)
  if (found.documentState !== null && read(found).content !== undefined)
    await deleteAllChunks(ctx, id)
  return transact(ctx.db, (tx) => {
    const before = getContextRow(ctx, id)
    const { content, ...columns } = read(before)
    tx.update(aiContexts)
      .set({ ...columns, updatedAtMs: ctx.clock.nowMs() })
      .where(inOrganization(ctx, aiContexts, eq(aiContexts.id, id)))
      .run()
    if (content !== undefined) {
      dropFileIn(tx, ctx, before)
      replaceTextIn(tx, ctx, before, content)
    }
    const row = getContextRow(ctx, id)
    emit(tx, ctx, AiContextChanged, { contactId: null, payload: { contextId: id } })
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'ai_context',
      resourceId: id,
      resourceName: row.name,
      changes: changesBetween(before, row),
    })
    return contextView(row)
  })
}

/** Texts are not repeated in the audit log. */
function changesBetween(before: ContextRow, row: ContextRow): FieldChange[] {
  const view = (one: ContextRow): Record<string, unknown> => ({ ...contextView(one) })
  const changes = differences(view(before), view(row)).map((change) =>
    change.field === 'content'
      ? { field: 'content', old_value: HIDDEN, new_value: HIDDEN }
      : change,
  )
  const hasNewHeaders = before.headersSealed !== row.headersSealed
  return hasNewHeaders && !changes.some(({ field }) => field === 'api_config')
    ? [...changes, { field: 'api_config.headers', old_value: HIDDEN, new_value: HIDDEN }]
    : changes
}

/** Deletes the uploaded file of a document that nobody has read yet, in the caller's transaction. */
export function dropFileIn(tx: Tx, ctx: Ctx, { storedAs }: ContextRow): void {
  if (storedAs !== null) enqueueFileDeletionIn(tx, ctx, [storedAs])
}

/** Deletes the chunks of a context in short transactions. */
export async function deleteAllChunks(ctx: Ctx, id: string): Promise<void> {
  while (transact(ctx.db, (tx) => deleteChunksIn(tx, ctx, id))) await yieldToEventLoop()
}

/** Deletes a context with its texts. Throws NotFoundError. */
export async function deleteContext(ctx: Ctx, id: string): Promise<void> {
  getContextRow(ctx, id)
  await deleteAllChunks(ctx, id)
  transact(ctx.db, (tx) => {
    const row = getContextRow(ctx, id)
    while (deleteChunksIn(tx, ctx, id)); // those that a document added in between
    dropFileIn(tx, ctx, row)
    tx.delete(aiContexts)
      .where(inOrganization(ctx, aiContexts, eq(aiContexts.id, id)))
      .run()
    emit(tx, ctx, AiContextChanged, { contactId: null, payload: { contextId: id } })
    recordAudit(tx, ctx, {
      action: 'deleted',
      resourceType: 'ai_context',
      resourceId: id,
      resourceName: row.name,
    })
  })
}
