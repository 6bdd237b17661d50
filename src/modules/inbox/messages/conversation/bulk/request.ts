import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { ConflictError } from '../../../../../lib/errors'
import { isUuid, normalizeId, validIds } from '../../../../../lib/ids'
import { throwProblems } from '../../../../../lib/input-problems'
import { problemsOf, type SchemaProblem } from '../../../../../lib/validation-messages'
import { type Ctx } from '../../../../../infra/ctx'
import { transact, type Tx } from '../../../../../infra/db/transact'
import { enqueue } from '../../../../../infra/jobs/enqueue'
import { getJob } from '../../../../../infra/jobs/inspect'
import { jobView, type JobView } from '../../../../../infra/jobs/view'
import { requirePermissions } from '../../../../../infra/require-permissions'
import { recordAudit } from '../../../../organization/audit/record'
import { requestedByOf } from '../../../../organization/auth/delegated-ctx'
import { beginWorkIn } from '../../../../organization/notifications/work/note'
import { FindConversations } from '../../../conversations/readers'
import type { ConversationFilter } from '../../../conversations/filters'
import { conversationFilterOf, conversationFilters } from '../../../conversations/list-query'
import { findActiveMember } from '../../../../organization/memberships/find'
import { tagIdsIn } from '../../../tags/service'
import { ChangeConversations, type ConversationsChange } from '../../jobs'
import { permissionsFor } from './change'
import type { ConversationBulk } from './model'

/** How many conversations a filter may match. */
const MAX_MATCHES = 10_000

/**
 * Schedules one change of many conversations. Throws ForbiddenError `permission_denied` if the
 * change needs another permission, InvalidError for an invalid selection or value, and
 * ConflictError `count_changed` if the filter matches another number than expected.
 */
export async function requestConversationsChange(
  ctx: Ctx,
  request: ConversationBulk,
): Promise<JobView> {
  requirePermissions(ctx.actor, permissionsFor(request.set))
  requireConsistent(ctx, request)
  const ids = await selectedIds(ctx, request)
  return transact(ctx.db, (tx) => {
    const id = enqueue(tx, ctx, ChangeConversations, {
      args: { asker: requestedByOf(ctx.actor), ids, set: changeIn(tx, ctx, request.set) },
    })
    const total = ids.length
    beginWorkIn(tx, ctx, { kind: 'conversations', id, title: '', total, link: '/inbox' })
    recordAudit(tx, ctx, {
      action: 'bulk_change',
      resourceType: 'conversation',
      resourceId: null,
      resourceName: null,
      changes: [
        { field: 'conversations', old_value: null, new_value: ids.length },
        { field: 'fields', old_value: null, new_value: Object.keys(request.set).join(', ') },
      ],
    })
    return jobView(getJob(ctx, id))
  })
}

function requireConsistent(ctx: Ctx, { ids, filter, expected_count, set }: ConversationBulk): void {
  const both = 'or filter is required, but only one of them'
  if ((ids === undefined) === (filter === undefined))
    throwProblems([{ path: 'body.ids', message: both }])
  if (filter !== undefined && expected_count === undefined)
    throwProblems([{ path: 'body.expected_count', message: 'is required with filter' }])
  if (set.state !== undefined && set.snoozed_until !== undefined)
    throwProblems([{ path: 'body.set.snoozed_until', message: 'cannot be sent with state' }])
  if (set.assigned_to != null && !findActiveMember(ctx, set.assigned_to))
    throwProblems(
      [{ path: 'body.set.assigned_to', message: 'is not an active member' }],
      'not_a_member',
    )
}

async function selectedIds(
  ctx: Ctx,
  { ids, filter, expected_count: expected }: ConversationBulk,
): Promise<string[]> {
  if (filter === undefined) return [...new Set(ids)]
  const found = await ctx.reads.value(FindConversations, ctx, {
    filter: checkedFilter(filter),
    most: MAX_MATCHES + 1,
  })
  if (found.length > MAX_MATCHES)
    throwProblems([{ path: 'body.filter', message: 'matches more than 10,000 conversations' }])
  if (found.length !== expected)
    throw new ConflictError(
      `The filter matches ${found.length} conversations now, not ${expected}. Check the list ` +
        'and send the new number as `expected_count`.',
      { code: 'count_changed', details: { count: found.length } },
    )
  return found
}

const Filters = Type.Object(conversationFilters, { additionalProperties: false })

/** Returns a filter of the list. Throws InvalidError that names each invalid or unknown field. */
function checkedFilter(filter: Record<string, unknown>): ConversationFilter {
  // The cast holds: TypeBox's errors have these fields, and more.
  const found = Value.Errors(Filters, filter) as Iterable<SchemaProblem>
  throwProblems(problemsOf('body.filter', found))
  const wanted = filter as Static<typeof Filters> // checked above
  const lower = (id: string | undefined): string | undefined => id && normalizeId(id)
  return {
    ...conversationFilterOf(wanted),
    accountId: lower(wanted.account_id),
    teamId: lower(wanted.team_id),
  }
}

/** Returns the change as its job stores it: with IDs of tags. Throws InvalidError `unknown_tag`. */
function changeIn(tx: Tx, ctx: Ctx, set: ConversationBulk['set']): ConversationsChange['set'] {
  const idsOf = (words: string[] | undefined, name: string): string[] | undefined =>
    words &&
    tagIdsIn(
      tx,
      ctx,
      { ids: validIds(words), names: words.filter((word) => !isUuid(word)) },
      { names: `body.set.${name}`, ids: `body.set.${name}` },
    )
  const { tags_add, tags_remove, ...others } = set
  const [tagsAdded, tagsRemoved] = [idsOf(tags_add, 'tags_add'), idsOf(tags_remove, 'tags_remove')]
  return {
    ...others,
    ...(tagsAdded === undefined ? {} : { tags_add: tagsAdded }),
    ...(tagsRemoved === undefined ? {} : { tags_remove: tagsRemoved }),
  }
}
