import { AppError, ForbiddenError } from '../../../../../lib/errors'
import type { Ctx, JobCtx } from '../../../../../infra/ctx'
import { transact, type Tx } from '../../../../../infra/db/transact'
import { yieldToEventLoop } from '../../../../../infra/event-loop'
import { saveArgsIn } from '../../../../../infra/jobs/save-args'
import type { Outcome } from '../../../../../infra/jobs/work'
import type { Permission } from '../../../../../infra/permissions'
import { delegatedCtx } from '../../../../organization/auth/delegated-ctx'
import { tagsOf } from '../../../contacts/tags'
import { setTags } from '../../../contacts/write/update'
import { assignConversation } from '../../../conversations/assign'
import { changeConversation, snoozeConversation } from '../../../conversations/change-state'
import { getVisibleConversation } from '../../../conversations/queries'
import { findActiveMember } from '../../../../organization/memberships/find'
import { notifyIn } from '../../../../organization/notifications/service'
import { advanceWorkIn } from '../../../../organization/notifications/work/note'
import { knownTagIds } from '../../../tags/queries'
import { ChangeConversations, type ConversationsChange } from '../../jobs'
import { markConversationRead } from '../mark-read'
import { markConversationUnread } from '../mark-unread'
import type { ConversationBulk } from './model'
import { noticeText } from '../../../../organization/notifications/catalog'

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

/** Conversations after which the progress is stored. */
const STORED_EVERY = 100

type Progress = NonNullable<ConversationsChange['progress']>

const START: Progress = { done: 0, failed: 0, errors: [], isOver: false }

/**
 * Changes conversations one by one, as single requests of the requester would, with the rights that
 * they have by then. A conversation that cannot be changed does not stop the others. Continues where
 * an interrupted run stopped, at most 100 conversations back, which stay as they are then. Notifies
 * the requester once, at the end.
 */
export async function changeConversations(
  ctx: JobCtx,
  change: ConversationsChange,
): Promise<Outcome> {
  const { asker, ids, set } = change
  let progress = change.progress ?? START
  if (progress.isOver) return undefined
  for (const id of ids.slice(progress.done)) {
    ctx.signal.throwIfAborted()
    const delegated = requesterOf(ctx, asker, set)
    if (delegated === null) return { giveUp: 'permission_denied' }
    progress = after(progress, id, changeOne(delegated, id, set))
    if (progress.done % STORED_EVERY === 0) store(ctx, change, progress)
    await yieldToEventLoop()
  }
  transact(ctx.db, (tx) => {
    saveArgsIn(tx, ctx, ChangeConversations, { ...change, progress: { ...progress, isOver: true } })
    advanceWorkIn(tx, ctx, ctx.jobId, { state: 'completed', done: progress.done })
    notifyRequesterIn(tx, ctx, asker.userId, progress)
  })
  return undefined
}

const after = (
  { done, failed, errors }: Progress,
  id: string,
  problem: string | null,
): Progress => ({
  done: done + 1,
  failed: problem === null ? failed : failed + 1,
  errors:
    problem === null || errors.length >= MAX_ERRORS ? errors : [...errors, `${id}: ${problem}`],
  isOver: false,
})

const store = (ctx: JobCtx, change: ConversationsChange, progress: Progress): void =>
  transact(ctx.db, (tx) => {
    saveArgsIn(tx, ctx, ChangeConversations, { ...change, progress })
    advanceWorkIn(tx, ctx, ctx.jobId, { state: 'running', done: progress.done })
  })

function requesterOf(ctx: Ctx, asker: ConversationsChange['asker'], set: BulkSet): Ctx | null {
  try {
    return delegatedCtx(ctx, asker, permissionsFor(set as ConversationBulk['set']))
  } catch (error) {
    if (error instanceof ForbiddenError) return null
    throw error
  }
}

/** Changes a conversation. Returns why it could not be changed, or `null`. */
function changeOne(ctx: Ctx, id: string, set: BulkSet): string | null {
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

function notifyRequesterIn(
  tx: Tx,
  ctx: Ctx,
  userId: string | null,
  { done, failed, errors }: Progress,
): void {
  if (userId === null || !findActiveMember(ctx, userId)) return
  const changed = done - failed
  notifyIn(tx, ctx, {
    userId,
    kind: 'bulk_done',
    severity: failed > 0 ? 'warning' : 'info',
    title: changed === 1 ? '1 conversation changed' : `${changed} conversations changed`,
    text: noticeText('bulk_done', { changed, failed }),
    body: [`${changed} changed, ${failed} could not be changed.`, ...errors].join('\n'),
    link: '/inbox',
  })
}
