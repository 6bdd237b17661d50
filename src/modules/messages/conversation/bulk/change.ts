import { AppError, ForbiddenError } from '../../../../lib/errors'
import type { Ctx, JobCtx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import type { Outcome } from '../../../../infra/jobs/work'
import type { Permission } from '../../../../infra/permissions'
import { delegatedCtx } from '../../../auth/delegated-ctx'
import { tagsOf } from '../../../contacts/tags'
import { setTags } from '../../../contacts/update'
import { assignConversation } from '../../../conversations/assign'
import { changeConversation, snoozeConversation } from '../../../conversations/change-state'
import { getVisibleConversation } from '../../../conversations/queries'
import { findActiveMember } from '../../../memberships/find'
import { notifyIn } from '../../../notifications/service'
import { knownTagIds } from '../../../tags/queries'
import type { ConversationsChange } from '../../jobs'
import { markConversationRead } from '../mark-read'
import { markConversationUnread } from '../mark-unread'
import type { ConversationBulk } from './model'

type BulkSet = ConversationsChange['set']

/** Permissions the caller needs for a change, besides seeing the conversations. */
export const permissionsFor = (set: ConversationBulk['set']): Permission[] => [
  'messages:create',
  ...(set.assigned_to === undefined ? [] : (['transfers:assign'] as const)),
  ...(set.tags_add === undefined && set.tags_remove === undefined
    ? []
    : (['contacts:update'] as const)),
]

/** Errors named in the notification. */
const MAX_ERRORS = 20

/**
 * Changes conversations one by one, as single requests of the requester would, with the rights that
 * they have by then. A conversation that cannot be changed does not stop the others. Notifies the
 * requester at the end.
 */
export async function changeConversations(
  ctx: JobCtx,
  { asker, ids, set }: ConversationsChange,
): Promise<Outcome> {
  const errors: string[] = []
  let failed = 0
  for (const id of ids) {
    ctx.signal.throwIfAborted()
    const delegated = requesterOf(ctx, asker, set)
    if (delegated === null) return { giveUp: 'permission_denied' }
    const problem = change(delegated, id, set)
    if (problem !== null) {
      failed += 1
      if (errors.length < MAX_ERRORS) errors.push(`${id}: ${problem}`)
    }
    await yieldToEventLoop()
  }
  notify(ctx, asker.userId, { changed: ids.length - failed, failed, errors })
  return undefined
}

function requesterOf(ctx: Ctx, asker: ConversationsChange['asker'], set: BulkSet): Ctx | null {
  try {
    return delegatedCtx(ctx, asker, permissionsFor(set as ConversationBulk['set']))
  } catch (error) {
    if (error instanceof ForbiddenError) return null
    throw error
  }
}

/** Changes a conversation. Returns why it could not be changed, or `null`. */
function change(ctx: Ctx, id: string, set: BulkSet): string | null {
  try {
    applyTo(ctx, id, set)
    return null
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}

/** Applies each field with the verb of its own route. */
function applyTo(ctx: Ctx, id: string, set: BulkSet): void {
  const { contactId } = getVisibleConversation(ctx, id)
  const { state, priority } = set
  if (set.tags_add !== undefined || set.tags_remove !== undefined) retag(ctx, contactId, set)
  if (set.assigned_to !== undefined) assignConversation(ctx, id, { user_id: set.assigned_to })
  if (state !== undefined || priority !== undefined)
    changeConversation(ctx, id, {
      ...(state === undefined ? {} : { state }),
      ...(priority === undefined ? {} : { priority }),
    })
  if (set.snoozed_until !== undefined) snoozeConversation(ctx, id, set.snoozed_until)
  if (set.read === true) markConversationRead(ctx, id, {})
  else if (set.read === false) markConversationUnread(ctx, id)
}

function retag(ctx: Ctx, contactId: string, { tags_add = [], tags_remove = [] }: BulkSet): void {
  const current = (tagsOf(ctx, [contactId]).get(contactId) ?? []).map(({ id }) => id)
  const wanted = new Set([...current, ...knownTagIds(ctx, tags_add)])
  for (const id of tags_remove) wanted.delete(id)
  setTags(ctx, contactId, { tag_ids: [...wanted] })
}

function notify(
  ctx: Ctx,
  userId: string | null,
  { changed, failed, errors }: { changed: number; failed: number; errors: string[] },
): void {
  if (userId === null || !findActiveMember(ctx, userId)) return
  const counts = `${changed} changed, ${failed} could not be changed.`
  transact(ctx.db, (tx) =>
    notifyIn(tx, ctx, {
      userId,
      kind: 'bulk_done',
      severity: failed > 0 ? 'warning' : 'info',
      title: changed === 1 ? '1 conversation changed' : `${changed} conversations changed`,
      body: [counts, ...errors].join('\n'),
      link: '/inbox',
    }),
  )
}
