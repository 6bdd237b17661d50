import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { ConflictError } from '../../../lib/errors'
import { PlatformError } from '../../../platform/client/errors'
import type { FlowMetadata } from '../../../platform/client/flows'
import type { FlowProblem, PlatformFlow } from '../../../platform/client/flow-facts'
import { businessCallOf, installedApp } from '../accounts/platform-calls'
import { platformErrorOf } from '../accounts/platform-errors'
import { recordAudit } from '../../organization/audit/record'
import type { SavedFlow } from './model'
import { changeFlowIn, findFlowByMetaId, requireFlow } from './state'
import { endpointUriOf } from './direct-endpoints'
import { flowCallOf, withLock, type LockedFlow } from './lock'
import { flowView, type FlowRow } from './view'

const ERROR_TEXT = { rejected: 'The platform rejected this flow.' }

const metadataOf = (ctx: Ctx, { row, account }: LockedFlow): FlowMetadata => ({
  name: row.name,
  categories: JSON.parse(row.categories) as string[],
  endpointUri: row.endpointMode === 'none' ? null : endpointUriOf(ctx, row.accountId),
  applicationId: account.appId ?? installedApp(ctx)?.id ?? null,
})

/**
 * Saves a draft to the platform: creates it if needed, then updates name, categories, endpoint and
 * JSON, and stores the validation errors of the platform. Throws NotFoundError, ConflictError
 * `published` and `flow_busy`, InvalidError `platform_rejected` and UnavailableError. Completed
 * steps are kept, so saving again continues.
 */
export const saveFlow = (ctx: Ctx, id: string): Promise<SavedFlow> =>
  withLock(ctx, id, requireDraft, async (turn) => {
    try {
      const row = turn.row.metaFlowId === null ? await createAtPlatform(ctx, turn) : turn.row
      const made = { ...turn, row }
      const call = flowCallOf(ctx, made)
      await ctx.platform.updateFlow({ ...call, ...metadataOf(ctx, made) })
      const uploaded =
        row.definition === null
          ? null
          : await ctx.platform.uploadFlowJson({ ...call, json: row.definition })
      return storeSaved(ctx, turn.row, { uploaded, listed: await ctx.platform.getFlow(call) })
    } catch (error) {
      throw platformErrorOf(error, ERROR_TEXT)
    }
  })

function requireDraft({ row }: LockedFlow): void {
  if (row.status !== 'DRAFT')
    throw new ConflictError(
      'Published flows cannot be changed. Duplicate the flow and publish the copy.',
      { code: 'published' },
    )
}

/**
 * Creates a draft at the platform. The attempt is stored first: after a lost response, an unknown
 * draft with this name is the one created here, because names are unique there.
 */
async function createAtPlatform(ctx: Ctx, turn: LockedFlow): Promise<FlowRow> {
  const { row, account } = turn
  const right = businessCallOf(ctx, account)
  const isRepeat = row.creatingSinceMs !== null
  const known = isRepeat ? await findDraft(ctx, turn) : null
  if (known !== null) return storeMetaId(ctx, turn, known)
  transact(
    ctx.db,
    (tx) =>
      void changeFlowIn(
        tx,
        ctx,
        row.id,
        { creatingSinceMs: ctx.clock.nowMs(), businessId: account.businessId },
        [],
      ),
  )
  try {
    return storeMetaId(
      ctx,
      turn,
      await ctx.platform.createFlow({ ...right, ...metadataOf(ctx, turn) }),
    )
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (error.outcome === 'ambiguous') {
      const made = await findDraft(ctx, turn).catch(() => null)
      if (made !== null) return storeMetaId(ctx, turn, made)
    } else
      transact(ctx.db, (tx) => void changeFlowIn(tx, ctx, row.id, { creatingSinceMs: null }, []))
    throw error
  }
}

/** Returns the platform ID of a draft with this name that no other Flow has here, or `null`. */
async function findDraft(ctx: Ctx, { row, account }: LockedFlow): Promise<string | null> {
  const { flows } = await ctx.platform.listFlows(businessCallOf(ctx, account))
  const isOurs = ({ id, name, status }: PlatformFlow): boolean =>
    name === row.name && status === 'DRAFT' && findFlowByMetaId(ctx, id) === null
  return flows.find(isOurs)?.id ?? null
}

const storeMetaId = (ctx: Ctx, { row, account }: LockedFlow, metaFlowId: string): FlowRow =>
  transact(ctx.db, (tx) =>
    changeFlowIn(
      tx,
      ctx,
      row.id,
      { metaFlowId, businessId: account.businessId, creatingSinceMs: null },
      ['meta_flow_id'],
    ),
  )

/** Stores the result of saving. A Flow edited meanwhile still has local changes. */
function storeSaved(
  ctx: Ctx,
  saved: FlowRow,
  { uploaded, listed }: { uploaded: FlowProblem[] | null; listed: PlatformFlow },
): SavedFlow {
  return transact(ctx.db, (tx) => {
    const now = requireFlow(ctx, saved.id)
    const problems = uploaded ?? listed.validationErrors
    const isSame = (['name', 'categories', 'definition', 'endpointMode'] as const).every(
      (column) => now[column] === saved[column],
    )
    const set = {
      validationErrors: JSON.stringify(problems),
      health: listed.health === null ? now.health : JSON.stringify(listed.health),
      hasLocalChanges: !isSame,
      syncedAtMs: ctx.clock.nowMs(),
    }
    const row = changeFlowIn(tx, ctx, saved.id, set, ['validation_errors', 'has_local_changes'])
    recordAudit(tx, ctx, {
      action: 'saved_to_platform',
      resourceType: 'flow',
      resourceId: row.id,
      resourceName: row.name,
    })
    return { meta_flow_id: row.metaFlowId ?? '', validation_errors: problems, flow: flowView(row) }
  })
}
