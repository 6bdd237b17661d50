import { Value } from '@sinclair/typebox/value'
import { inArray } from 'drizzle-orm'

import { ConflictError, fieldSentence, InvalidError } from '../../../../lib/errors'
import { validIds, isUuid, normalizeId } from '../../../../lib/ids'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { getJob } from '../../../../infra/jobs/inspect'
import { jobView, type JobView } from '../../../../infra/jobs/view'
import { requirePermissions } from '../../../../infra/require-permissions'
import { recordAudit } from '../../../organization/audit/record'
import { requestedByOf } from '../../../organization/auth/delegated-ctx'
import { beginWorkIn } from '../../../organization/notifications/work/note'
import { problemsOfAttributes } from '../../contacts/attributes/values'
import { contactsWhere } from '../../contacts/list/filters'
import { MAX_TAGS } from '../../contacts/model'
import { CountContacts } from '../../contacts/readers'
import { contacts } from '../../contacts/table'
import { tagIdsIn } from '../../tags/service'
import { permissionsFor } from './change'
import { ChangeContacts, type BulkChange } from '../jobs'
import { AssignmentValue, type BulkAction, type BulkRequest } from '../model'
import { findActiveMember } from '../../../organization/memberships/find'
import { requireActiveTeam } from '../../teams/find'
import { conditionOfSegment } from '../../contacts/segment-filter/condition'

const MAX_EVIDENCE_LENGTH = 1_024

const invalid = (path: string, message: string, code = 'invalid_input'): InvalidError =>
  new InvalidError(fieldSentence(path, message), { code, errors: [{ path, message }] })

/**
 * Schedules one change to many contacts, limited to the contacts the caller can see. Throws
 * ForbiddenError `permission_denied` if the action needs another permission, and InvalidError for
 * an invalid selection or value, and ConflictError `count_changed`.
 */
export async function requestBulkChange(ctx: Ctx, request: BulkRequest): Promise<JobView> {
  requirePermissions(ctx.actor, permissionsFor(request.action))
  await requireCount(ctx, request)
  return transact(ctx.db, (tx) => {
    const change: BulkChange = {
      ...selectionOf(ctx, request),
      ...valueOf(tx, ctx, request),
      action: request.action,
      asker: requestedByOf(ctx.actor),
    }
    const id = enqueue(tx, ctx, ChangeContacts, { args: change })
    beginWorkIn(tx, ctx, {
      ...{ kind: 'contacts', id, title: request.action, link: '/contacts' },
      total: change.contactIds?.length ?? request.expected_count ?? null,
    })
    recordAudit(tx, ctx, {
      action: `bulk_${request.action}`,
      resourceType: 'contact',
      resourceId: null,
      resourceName: null,
      changes: [{ field: 'contacts', old_value: null, new_value: changedOf(request, change) }],
    })
    return jobView(getJob(ctx, id))
  })
}

/** How many contacts are changed, as the audit log says it. */
const changedOf = (
  { expected_count: expected }: BulkRequest,
  { contactIds }: BulkChange,
): number | string => contactIds?.length ?? expected ?? 'segment'

/**
 * Requires that as many contacts match as the caller expects. Throws ConflictError `count_changed`
 * with the number, and InvalidError.
 */
async function requireCount(ctx: Ctx, request: BulkRequest): Promise<void> {
  const {
    contact_ids: ids,
    segment_id: segmentId,
    filter,
    search,
    expected_count: expected,
  } = request
  const isMatched = filter !== undefined || search !== undefined
  if (ids !== undefined || (expected === undefined && !isMatched)) return
  if (expected === undefined) throw invalid('body.expected_count', 'is required')
  const count = await ctx.reads.value(CountContacts, ctx, { segmentId, filter, search })
  if (count !== expected)
    throw new ConflictError(`${count} contacts match now, not ${expected}.`, {
      code: 'count_changed',
      details: { count },
    })
}

type Selection = Pick<BulkChange, 'contactIds' | 'segmentId' | 'filter' | 'search'>

/** Returns the given contacts that the caller can see, or what they have to match. */
function selectionOf(ctx: Ctx, request: BulkRequest): Selection {
  const { contact_ids: wanted, segment_id: segmentId, filter, search } = request
  const isMatched = segmentId !== undefined || filter !== undefined || search !== undefined
  // all contacts are meant only by those who know how many they are
  const isAll = wanted === undefined && request.expected_count !== undefined
  if ((wanted !== undefined) === isMatched && !isAll)
    throw invalid('body.contact_ids', 'or segment_id, filter or search is required, not both')
  if (wanted === undefined) {
    if (segmentId !== undefined && conditionOfSegment(ctx, segmentId) === null)
      throw invalid('body.segment_id', 'is not one of your segments')
    return {
      contactIds: null,
      segmentId: segmentId ?? null,
      ...(filter === undefined ? {} : { filter }),
      ...(search === undefined ? {} : { search }),
    }
  }
  const visible = ctx.db.orm
    .select({ id: contacts.id })
    .from(contacts)
    .where(
      inOrganization(
        ctx,
        contacts,
        contactsWhere(ctx, {}, inArray(contacts.id, [...new Set(wanted)])),
      ),
    )
    .all()
  return { contactIds: visible.map(({ id }) => id), segmentId: null }
}

type ChangeValue = Pick<BulkChange, 'tagIds' | 'assignment' | 'attribute' | 'evidence'>

const NOTHING: ChangeValue = { tagIds: [], assignment: {}, attribute: null, evidence: null }

/** Validates the value of each action. */
const VALUES: Record<BulkAction, (tx: Tx, ctx: Ctx, value: unknown) => Partial<ChangeValue>> = {
  add_tags: (tx, ctx, value) => ({ tagIds: tagsOf(tx, ctx, value) }),
  remove_tags: (tx, ctx, value) => ({ tagIds: tagsOf(tx, ctx, value) }),
  assign: (_tx, ctx, value) => ({ assignment: assignmentOf(ctx, value) }),
  set_attribute: (_tx, ctx, value) => ({ attribute: attributeOf(ctx, value) }),
  opt_in(_tx, _ctx, value) {
    const evidence = evidenceOf(value)
    if (evidence === null || evidence.trim() === '')
      throw invalid('body.value', 'is required: how they agreed')
    return { evidence }
  },
  opt_out: (_tx, _ctx, value) => ({ evidence: evidenceOf(value) }),
  block: () => ({}),
  unblock: () => ({}),
  delete: () => ({}),
}

const valueOf = (tx: Tx, ctx: Ctx, { action, value }: BulkRequest): ChangeValue => ({
  ...NOTHING,
  ...VALUES[action](tx, ctx, value),
})

function evidenceOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string' || value.length > MAX_EVIDENCE_LENGTH)
    throw invalid('body.value', `must be a string of up to ${MAX_EVIDENCE_LENGTH} characters`)
  return value
}

/** Returns the member and the team that a value names: a user ID, `null`, or an object of both. */
function assignmentOf(ctx: Ctx, value: unknown): BulkChange['assignment'] {
  if (value === null) return { userId: null }
  const wanted = typeof value === 'string' ? { user_id: value } : value
  if (!Value.Check(AssignmentValue, wanted))
    throw invalid('body.value', 'must be a user ID, null, or an object with user_id or team_id')
  const { user_id: userId, team_id: teamId } = wanted
  if (userId != null && !findActiveMember(ctx, normalizeId(userId)))
    throw invalid('body.value', 'is not an active member', 'not_a_member')
  if (teamId != null) requireActiveTeam(ctx, normalizeId(teamId), 'body.value')
  return {
    ...(userId === undefined ? {} : { userId: userId && normalizeId(userId) }),
    ...(teamId === undefined ? {} : { teamId: teamId && normalizeId(teamId) }),
  }
}

function tagsOf(tx: Tx, ctx: Ctx, value: unknown): string[] {
  const words = Array.isArray(value) ? value.filter((word) => typeof word === 'string') : []
  if (
    !Array.isArray(value) ||
    words.length !== value.length ||
    words.length === 0 ||
    words.length > MAX_TAGS
  )
    throw invalid('body.value', `must be a list of 1 to ${MAX_TAGS} tag names or IDs`)
  const path = { names: 'body.value', ids: 'body.value' }
  return tagIdsIn(
    tx,
    ctx,
    { ids: validIds(words), names: words.filter((word) => !isUuid(word)) },
    path,
  )
}

function attributeOf(ctx: Ctx, value: unknown): { key: string; value: unknown } {
  const { key, value: wanted } = (typeof value === 'object' && value !== null ? value : {}) as {
    key?: unknown
    value?: unknown
  }
  if (typeof key !== 'string' || wanted === undefined)
    throw invalid('body.value', 'must be an object with `key` and `value`')
  const [problem] = problemsOfAttributes(ctx, { [key]: wanted })
  if (problem) throw invalid('body.value', problem.message)
  return { key, value: wanted }
}
