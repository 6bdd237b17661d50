import { and, isNull, ne, sql } from 'drizzle-orm'

import { isoTimeOrNull, MINUTE_MS } from '../../lib/clock'
import { ConflictError, InvalidError } from '../../lib/errors'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db/transact'
import { PlatformError } from '../../platform/client/errors'
import type { FlowProblem } from '../../platform/client/flow-facts'
import { asked, platformErrorOf } from '../accounts/platform-errors'
import { recordAudit } from '../audit/record'
import { cannedResponses } from '../canned-responses/table'
import { templates } from '../templates/table'
import type { FlowPreview, FlowView } from './model'
import { announceFlowIn, changeFlowIn, flowOf } from './state'
import { accountFor } from './service'
import { flowCallOf, withLock, notSaved, type Turn } from './lock'
import { flowView, type FlowRow } from './view'

/** States in which a form has been published and not been taken back. */
const IN_USE: ReadonlySet<FlowRow['status']> = new Set(['PUBLISHED', 'BLOCKED', 'THROTTLED'])

/**
 * Publishes a draft for good, as it was saved. Throws NotFoundError, ConflictError `wrong_state`
 * and `flow_busy`, InvalidError `not_saved`, `local_changes`, `validation_errors`,
 * `flow_key_missing` and `platform_rejected`, and UnavailableError.
 */
export const publishFlow = (ctx: Ctx, id: string): Promise<FlowView> =>
  withLock(ctx, id, refuseUnready, async (turn) => {
    const call = flowCallOf(ctx, turn)
    const rejected = 'The platform rejected the request to publish this flow.'
    await settled(ctx, turn, { act: ctx.platform.publishFlow(call), wanted: 'PUBLISHED', rejected })
    return keepStatus(ctx, turn.row, 'PUBLISHED', 'published')
  })

function refuseUnready({ row, account }: Turn): void {
  if (row.status !== 'DRAFT')
    throw new ConflictError(
      `Only drafts can be published. The status of this flow is ${row.status}.`,
      {
        code: 'wrong_state',
      },
    )
  if (row.metaFlowId === null) throw notSaved()
  if (row.hasLocalChanges)
    throw new InvalidError(
      'The flow has unsaved changes. Save it to the platform before publishing.',
      { code: 'local_changes' },
    )
  const problems = JSON.parse(row.validationErrors) as FlowProblem[]
  if (problems.length > 0 || row.definition === null) throw invalidAtPlatform(problems)
  if (row.endpointMode !== 'none' && account.flowPublicKey === null)
    throw new InvalidError(
      'Flows with an endpoint need an encryption key. Create one with `POST ' +
        '/api/accounts/{id}/flow-key`.',
      { code: 'flow_key_missing' },
    )
}

function invalidAtPlatform(problems: FlowProblem[]): InvalidError {
  const errors = problems.slice(0, 20).map(({ path, message, line_start }) => ({
    path: path === null ? 'json_definition' : `json_definition.${path}`,
    message: message ?? 'is not valid',
    ...(line_start === null ? {} : { line: line_start }),
  }))
  const message =
    problems.length === 0
      ? 'This flow has no Flow JSON yet.'
      : `The platform found ${problems.length} errors in this flow.`
  return new InvalidError(message, { code: 'validation_errors', errors })
}

/**
 * Waits for an act at the platform; when its answer is lost the platform is asked what became of
 * it. Throws InvalidError and UnavailableError.
 */
async function settled(
  ctx: Ctx,
  turn: Turn,
  { act, wanted, rejected }: { act: Promise<void>; wanted: string; rejected: string },
): Promise<void> {
  try {
    await act
  } catch (error) {
    const isLost = error instanceof PlatformError && error.outcome !== 'unreachable'
    const told = isLost ? await ctx.platform.getFlow(flowCallOf(ctx, turn)).catch(() => null) : null
    if (told?.status !== wanted) throw platformErrorOf(error, { rejected })
  }
}

function keepStatus(
  ctx: Ctx,
  { id }: FlowRow,
  status: FlowRow['status'],
  action: string,
): FlowView {
  return transact(ctx.db, (tx) => {
    const nowMs = ctx.clock.nowMs()
    // The platform tells whole seconds: what it says of this very step must not look older than it.
    const statusAtMs = Math.max(flowOf(ctx, id).statusAtMs, nowMs - (nowMs % 1_000))
    const row = changeFlowIn(tx, ctx, id, { status, statusAtMs, syncedAtMs: nowMs }, ['status'])
    recordAudit(tx, ctx, { action, resourceType: 'flow', resourceId: id, resourceName: row.name })
    return flowView(row)
  })
}

/**
 * Takes a published form back: it is sent no more. Throws NotFoundError, ConflictError
 * `wrong_state` and `flow_busy`, InvalidError and UnavailableError.
 */
export const deprecateFlow = (ctx: Ctx, id: string): Promise<FlowView> =>
  withLock(
    ctx,
    id,
    ({ row }) => {
      if (!IN_USE.has(row.status))
        throw new ConflictError(
          `Only published flows can be deprecated. The status of this flow is ${row.status}.`,
          { code: 'wrong_state' },
        )
    },
    async (turn) => {
      const rejected = 'The platform rejected the request to deprecate this flow.'
      await settled(ctx, turn, {
        act: ctx.platform.deprecateFlow(flowCallOf(ctx, turn)),
        wanted: 'DEPRECATED',
        rejected,
      })
      return keepStatus(ctx, turn.row, 'DEPRECATED', 'deprecated')
    },
  )

/**
 * Deletes a form; a draft the platform has is deleted there first. Throws NotFoundError,
 * ConflictError `published`, `in_use` and `flow_busy`, InvalidError `platform_rejected` and
 * UnavailableError.
 */
export async function deleteFlow(ctx: Ctx, id: string): Promise<void> {
  const { status, metaFlowId } = flowOf(ctx, id)
  if (status !== 'DRAFT' || metaFlowId === null)
    return transact(ctx.db, (tx) => forgetIn(tx, ctx, id))
  await withLock(
    ctx,
    id,
    ({ row }) => refuseUsed(ctx, row),
    async (turn) => {
      const rejected = 'The platform rejected the request to delete this flow.'
      try {
        await ctx.platform.deleteFlow(flowCallOf(ctx, turn))
      } catch (error) {
        if (!isUnknownThere(error)) throw platformErrorOf(error, { rejected })
      }
      transact(ctx.db, (tx) => forgetIn(tx, ctx, id))
    },
  )
}

/** The platform's code and subcode for an object it does not have (any more). */
const isUnknownThere = (error: unknown): boolean =>
  error instanceof PlatformError && error.platformCode === 100 && error.subcode === 33

function refuseUsed(ctx: Ctx, row: FlowRow): void {
  if (IN_USE.has(row.status))
    throw new ConflictError('This flow is published. Deprecate it first.', { code: 'published' })
  const user = userOf(ctx, row.id)
  if (user)
    throw new ConflictError(`The flow is used by "${user.name}". Remove it there first.`, {
      code: 'in_use',
      details: { used_by: user },
    })
}

/** What refers to a form: a template or an answer people keep ready; `null` when nothing does. */
function userOf(ctx: Ctx, id: string): { kind: string; id: string; name: string } | null {
  const template = ctx.db.orm
    .select({ id: templates.id, name: templates.name })
    .from(templates)
    .where(
      inOrganization(
        ctx,
        templates,
        and(
          isNull(templates.deletedAtMs),
          ne(templates.status, 'DELETED'),
          sql`instr(${templates.components}, ${id}) > 0`,
        ),
      ),
    )
    .limit(1)
    .get()
  if (template) return { kind: 'template', ...template }
  const answer = ctx.db.orm
    .select({ id: cannedResponses.id, name: cannedResponses.name })
    .from(cannedResponses)
    .where(inOrganization(ctx, cannedResponses, sql`instr(${cannedResponses.buttons}, ${id}) > 0`))
    .limit(1)
    .get()
  return answer ? { kind: 'canned_response', ...answer } : null
}

/**
 * Marks a form as deleted, in the caller's transaction; what was sent and answered with it stays.
 */
function forgetIn(tx: Tx, ctx: Ctx, id: string): void {
  const row = flowOf(ctx, id)
  refuseUsed(ctx, row)
  changeFlowIn(
    tx,
    ctx,
    id,
    {
      deletedAtMs: ctx.clock.nowMs(),
      // A deprecated form stays at the platform: its id keeps it from being fetched again.
      metaFlowId: row.status === 'DRAFT' ? null : row.metaFlowId,
      endpointSecretSealed: null,
      endpointHeadersSealed: null,
    },
    [],
  )
  announceFlowIn(tx, ctx, id, ['deleted'])
  recordAudit(tx, ctx, {
    action: 'deleted',
    resourceType: 'flow',
    resourceId: id,
    resourceName: row.name,
  })
}

/** An address that ends so soon is fetched anew. */
const ENDING_MS = MINUTE_MS

/**
 * Where a form can be tried out; asked of the platform once it has ended, or with `refresh`. Throws
 * NotFoundError, InvalidError `not_saved` and `platform_rejected`, and UnavailableError.
 */
export async function previewFlow(
  ctx: Ctx,
  id: string,
  { refresh }: { refresh: boolean },
): Promise<FlowPreview> {
  const row = flowOf(ctx, id)
  if (row.metaFlowId === null) throw notSaved()
  const isGood =
    row.previewUrl !== null && (row.previewExpiresAtMs ?? 0) - ctx.clock.nowMs() > ENDING_MS
  if (row.previewUrl !== null && isGood && !refresh)
    return { preview_url: row.previewUrl, expires_at: isoTimeOrNull(row.previewExpiresAtMs) }
  const call = flowCallOf(ctx, { row, account: accountFor(ctx, row) })
  const { url, expiresAtMs } = await asked(
    ctx.platform.getFlowPreview({ ...call, isRenewed: refresh }),
    {
      rejected: 'The platform did not return a preview of this flow.',
    },
  )
  transact(
    ctx.db,
    (tx) =>
      void changeFlowIn(tx, ctx, id, { previewUrl: url, previewExpiresAtMs: expiresAtMs }, []),
  )
  return { preview_url: url, expires_at: isoTimeOrNull(expiresAtMs) }
}
