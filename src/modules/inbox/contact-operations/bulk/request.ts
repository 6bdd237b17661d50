import { Value } from '@sinclair/typebox/value'
import { inArray } from 'drizzle-orm'

import { fieldSentence, InvalidError } from '../../../../lib/errors'
import { validIds, isUuid, normalizeId } from '../../../../lib/ids'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { getJob } from '../../../../infra/jobs/inspect'
import { jobView, type JobView } from '../../../../infra/jobs/view'
import { requirePermissions } from '../../../../infra/require-permissions'
import { recordAudit } from '../../../organization/audit/record'
import { requestedByOf } from '../../../organization/auth/delegated-ctx'
import { problemsOfAttributes } from '../../contacts/attributes/values'
import { contactsWhere } from '../../contacts/list/filters'
import { MAX_TAGS } from '../../contacts/model'
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
 * an invalid selection or value.
 */
export function requestBulkChange(ctx: Ctx, request: BulkRequest): JobView {
  requirePermissions(ctx.actor, permissionsFor(request.action))
  return transact(ctx.db, (tx) => {
    const change: BulkChange = {
      ...selectionOf(ctx, request),
      ...valueOf(tx, ctx, request),
      action: request.action,
      asker: requestedByOf(ctx.actor),
    }
    const id = enqueue(tx, ctx, ChangeContacts, { args: change })
    recordAudit(tx, ctx, {
      action: `bulk_${request.action}`,
      resourceType: 'contact',
      resourceId: null,
      resourceName: null,
      changes: [
        { field: 'contacts', old_value: null, new_value: change.contactIds?.length ?? 'segment' },
      ],
    })
    return jobView(getJob(ctx, id))
  })
}

/** Returns the given contacts that the caller can see, or the segment. */
function selectionOf(ctx: Ctx, request: BulkRequest): Pick<BulkChange, 'contactIds' | 'segmentId'> {
  const { contact_ids: wanted, segment_id: segmentId } = request
  if ((wanted === undefined) === (segmentId === undefined))
    throw invalid('body.contact_ids', 'or segment_id is required, but only one of them')
  if (segmentId !== undefined) {
    if (conditionOfSegment(ctx, segmentId) === null)
      throw invalid('body.segment_id', 'is not one of your segments')
    return { contactIds: null, segmentId }
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
  opt_out(_tx, _ctx, value) {
    if (value === undefined || value === null) return {}
    if (typeof value !== 'string' || value.length > MAX_EVIDENCE_LENGTH)
      throw invalid('body.value', `must be a string of up to ${MAX_EVIDENCE_LENGTH} characters`)
    return { evidence: value }
  },
  delete: () => ({}),
}

const valueOf = (tx: Tx, ctx: Ctx, { action, value }: BulkRequest): ChangeValue => ({
  ...NOTHING,
  ...VALUES[action](tx, ctx, value),
})

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
