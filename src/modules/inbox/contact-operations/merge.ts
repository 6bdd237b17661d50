import { NotFoundError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { recordAudit } from '../../organization/audit/record'
import { findContact } from '../contacts/service'
import { getVisibleContact, isVisible } from '../contacts/sight/visibility'
import { mergeContactsIn, undoMergeIn } from '../messages/contact-changes/merge'
import type { Merged, Unmerged } from './model'
import { findMerge } from '../contacts/merge/merges'
import { viewOf } from '../contacts/load-views'

/**
 * Merges two visible contacts. Throws NotFoundError if the caller cannot see one of them, and
 * InvalidError if both are the same contact.
 */
export function mergeContacts(ctx: Ctx, targetId: string, sourceId: string): Merged {
  return transact(ctx.db, (tx) => {
    const target = getVisibleContact(ctx, targetId)
    const source = getVisibleContact(ctx, sourceId)
    const merge_id = mergeContactsIn(tx, ctx, { targetId, sourceId })
    recordAudit(tx, ctx, {
      action: 'merged',
      resourceType: 'contact',
      resourceId: targetId,
      resourceName: null,
      changes: [{ field: 'source_id', old_value: source.id, new_value: null }],
    })
    return { contact: viewOf(ctx, findContact(ctx, targetId) ?? target), merge_id }
  })
}

/**
 * Undoes a merge. Throws NotFoundError if the caller cannot see the contact, and ConflictError if
 * the merge is too old or already undone.
 */
export function undoMerge(ctx: Ctx, mergeId: string): Unmerged {
  return transact(ctx.db, (tx) => {
    const merge = findMerge(ctx, mergeId)
    if (!merge || !isVisible(ctx, merge.targetId)) throw new NotFoundError('Merge')
    const [target, source] = undoMergeIn(tx, ctx, mergeId)
    recordAudit(tx, ctx, {
      action: 'merge_undone',
      resourceType: 'contact',
      resourceId: target.id,
      resourceName: null,
      changes: [{ field: 'source_id', old_value: null, new_value: source.id }],
    })
    return { contacts: [viewOf(ctx, target), viewOf(ctx, source)] }
  })
}
