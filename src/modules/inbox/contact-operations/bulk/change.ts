import { and, asc, gt, inArray } from 'drizzle-orm'

import { ForbiddenError, InvalidError } from '../../../../lib/errors'
import { inOrganization, type Ctx, type JobCtx } from '../../../../infra/ctx'
import type { Permission } from '../../../../infra/permissions'
import { transact, type Tx } from '../../../../infra/db/transact'
import type { Outcome } from '../../../../infra/jobs/work'
import { delegatedCtx } from '../../../organization/auth/delegated-ctx'
import { problemsOfAttributes } from '../../contacts/attributes/values'
import { blockContactIn } from '../../contacts/block'
import { appendConsentIn } from '../../contacts/consent/ledger'
import { contactsWhere, type ContactFilters } from '../../contacts/list/filters'
import { changeContactIn } from '../../contacts/service'
import { contacts } from '../../contacts/table'
import { addTagsIn, removeTagsIn, newTagsWithinLimit } from '../../contacts/tags'
import type { ContactRow } from '../../contacts/view'
import { assignConversationsIn } from '../../conversations/assign-many'
import { deleteIn } from '../delete'
import type { BulkChange, BulkProgress } from '../jobs'
import type { BulkAction } from '../model'
import { saveStepIn, START, stopIn } from './progress'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import { knownTagIds } from '../../tags/queries'
import { findActiveMember } from '../../../organization/memberships/find'
import { findTeam } from '../../teams/find'
import { conditionOfSegment, segmentCondition } from '../../contacts/segment-filter/condition'

/** Number of contacts read, and at most changed, in one transaction. */
const AT_ONCE = 100

/** Permissions the caller needs for each action, besides seeing the contacts. */
export const permissionsFor = (action: BulkAction): Permission[] => [
  'contacts:update',
  ...(action === 'delete'
    ? (['contacts:delete'] as const)
    : action === 'assign'
      ? (['transfers:assign'] as const)
      : []),
]

/**
 * Applies one change to many contacts in batches, limited to what the requester can see and change
 * when the job runs. Continues where an interrupted run stopped.
 */
export async function changeInBulk(ctx: JobCtx, change: BulkChange): Promise<Outcome> {
  let progress = change.progress ?? START
  while (!progress.isOver) {
    ctx.signal.throwIfAborted()
    const at = { ...change, progress }
    const step = transact(ctx.db, (tx) => stepIn(tx, ctx, at))
    if (typeof step === 'string') return { giveUp: step }
    progress = step
    await yieldToEventLoop()
  }
  return undefined
}

/**
 * Changes the next batch of contacts. Returns the progress, or the reason the job has to stop.
 */
function stepIn(
  tx: Tx,
  ctx: JobCtx,
  change: BulkChange & { progress: BulkProgress },
): string | BulkProgress {
  const delegated = delegatedOrReason(ctx, change)
  if (typeof delegated === 'string') {
    stopIn(tx, ctx, change)
    return delegated
  }
  const ids = idsAfter(ctx, change, change.progress.after)
  const rows = tx
    .select()
    .from(contacts)
    .where(
      inOrganization(
        ctx,
        contacts,
        and(inArray(contacts.id, ids), contactsWhere(delegated, matchOf(change))),
      ),
    )
    .orderBy(asc(contacts.id))
    .all()
  const changed = applyIn(tx, delegated, rows, {
    ...change,
    tagIds: knownTagIds(delegated, change.tagIds),
  })
  return saveStepIn(tx, ctx, change, {
    changed,
    next: ids.length === AT_ONCE ? (ids.at(-1) ?? null) : null,
  })
}

const matchOf = ({ segmentId, filter, search }: BulkChange): ContactFilters => ({
  segmentId: segmentId ?? undefined,
  filter,
  search,
})

/** Returns the requester's context, or the error code of what does not allow the change any more. */
function delegatedOrReason(ctx: JobCtx, change: BulkChange): string | Ctx {
  const delegated = delegatedCtxOrNull(ctx, change)
  return delegated ? (whatIsGone(delegated, change) ?? delegated) : 'permission_denied'
}

/** Returns the next contact IDs in ascending order: from the given IDs, or from all contacts. */
function idsAfter(ctx: Ctx, { contactIds }: BulkChange, after: string): string[] {
  if (contactIds !== null)
    return contactIds
      .filter((id) => id > after)
      .toSorted()
      .slice(0, AT_ONCE)
  return ctx.db.orm
    .select({ id: contacts.id })
    .from(contacts)
    .where(inOrganization(ctx, contacts, gt(contacts.id, after)))
    .orderBy(asc(contacts.id))
    .limit(AT_ONCE)
    .all()
    .map(({ id }) => id)
}

/**
 * Returns the error code of a segment, user, team or custom field that was deleted after the request, or
 * `null`.
 */
function whatIsGone(ctx: Ctx, change: BulkChange): string | null {
  const { segmentId, filter, assignment, attribute } = change
  const { userId, teamId } = assignment
  if (userId != null && !findActiveMember(ctx, userId)) return 'not_a_member'
  if (teamId != null && !findTeam(ctx, teamId)?.isActive) return 'team_gone'
  if (attribute && problemsOfAttributes(ctx, { [attribute.key]: attribute.value }).length > 0)
    return 'invalid_value'
  try {
    if (filter !== undefined) segmentCondition(ctx, filter)
    return segmentId !== null && conditionOfSegment(ctx, segmentId) === null ? 'segment_gone' : null
  } catch (error) {
    // It filters by a custom field that no longer exists.
    if (error instanceof InvalidError) return 'segment_invalid'
    throw error
  }
}

function delegatedCtxOrNull(ctx: Ctx, change: BulkChange): Ctx | null {
  try {
    return delegatedCtx(ctx, change.asker, [
      'contacts:read',
      ...permissionsFor(change.action as BulkAction),
    ])
  } catch (error) {
    if (error instanceof ForbiddenError) return null
    throw error
  }
}

/** Applies each action to one contact. Returns `false` if the contact could not be changed. */
const APPLY: Record<
  BulkAction,
  (tx: Tx, ctx: Ctx, row: ContactRow, change: BulkChange) => void | false
> = {
  add_tags(tx, ctx, row, { tagIds }) {
    const { fresh, fits } = newTagsWithinLimit(ctx, row.id, tagIds)
    if (!fits) return false
    addTagsIn(tx, ctx, row.id, fresh)
  },
  remove_tags: (tx, ctx, row, { tagIds }) => void removeTagsIn(tx, ctx, row.id, tagIds),
  assign: (tx, ctx, row, { assignment: { userId, teamId } }) =>
    void changeContactIn(tx, ctx, row.id, {
      ...(userId === undefined ? {} : { assignedTo: userId }),
      ...(teamId === undefined ? {} : { assignedTeamId: teamId }),
    }),
  set_attribute(tx, ctx, row, { attribute }) {
    if (!attribute) return
    const { [attribute.key]: _former, ...others } = JSON.parse(row.attributes) as Record<
      string,
      unknown
    >
    const attributes =
      attribute.value === null ? others : { ...others, [attribute.key]: attribute.value }
    changeContactIn(tx, ctx, row.id, { attributes: JSON.stringify(attributes) })
  },
  opt_in: (tx, ctx, row, change) => recordConsentIn(tx, ctx, row, { change, state: 'opted_in' }),
  opt_out: (tx, ctx, row, change) => recordConsentIn(tx, ctx, row, { change, state: 'opted_out' }),
  block: (tx, ctx, row) => void blockContactIn(tx, ctx, row, true),
  unblock: (tx, ctx, row) => void blockContactIn(tx, ctx, row, false),
  delete: (tx, ctx, row) => deleteIn(tx, ctx, row),
}

/** Records what a contact agreed to, unless that is known. */
function recordConsentIn(
  tx: Tx,
  ctx: Ctx,
  row: ContactRow,
  { change, state }: { change: BulkChange; state: 'opted_in' | 'opted_out' },
): void {
  if (row.marketingConsent === state) return
  const source = change.asker.apiKeyId === null ? 'agent' : 'api'
  const { evidence } = change
  appendConsentIn(tx, ctx, { contactId: row.id, state, source, evidence, isQuiet: true })
}

/** Applies the change to these contacts. Returns the IDs of the contacts changed. */
function applyIn(tx: Tx, ctx: Ctx, rows: ContactRow[], change: BulkChange): string[] {
  const action = change.action as BulkAction
  const changed = rows.filter((row) => APPLY[action](tx, ctx, row, change) !== false)
  if (action === 'assign' && rows.length > 0)
    assignConversationsIn(
      tx,
      ctx,
      rows.map(({ id }) => id),
      {
        ...(change.assignment.userId === undefined ? {} : { assignedTo: change.assignment.userId }),
        ...(change.assignment.teamId === undefined ? {} : { teamId: change.assignment.teamId }),
      },
    )
  return changed.map(({ id }) => id)
}
