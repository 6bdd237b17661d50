import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { recordAudit } from '../../../organization/audit/record'
import { AiContextChanged } from '../events'
import { aiContexts } from '../table'
import type { AiContextView, NewAiContext } from './model'
import { replaceTextIn } from './text'
import { requireRoomForContext, validateContext } from './validate'
import { contextView } from './view'
import { getContextRow } from './queries'

/**
 * Creates a context. Throws InvalidError, and ConflictError `name_taken` and `limit_reached`.
 */
export function createContext(ctx: Ctx, input: NewAiContext): AiContextView {
  return transact(ctx.db, (tx) => {
    const { name, context_type: type = 'static', ...fields } = input
    const id = ctx.ids.next()
    const columns = validateContext(ctx, { id, type, before: null }, { name, ...fields })
    requireRoomForContext(ctx)
    const nowMs = ctx.clock.nowMs()
    tx.insert(aiContexts)
      .values({
        organizationId: ctx.organizationId,
        id,
        type,
        name,
        nameKey: name,
        priority: 10,
        isEnabled: true,
        createdBy: ctx.actor.userId,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
        ...columns,
        content: null,
      })
      .run()
    if (columns.content != null) replaceTextIn(tx, ctx, getContextRow(ctx, id), columns.content)
    emit(tx, ctx, AiContextChanged, { contactId: null, payload: { contextId: id } })
    recordAudit(tx, ctx, {
      action: 'created',
      resourceType: 'ai_context',
      resourceId: id,
      resourceName: columns.name ?? name,
    })
    return contextView(getContextRow(ctx, id))
  })
}
