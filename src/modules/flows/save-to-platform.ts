import type { Ctx } from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import { ConflictError } from '../../lib/errors'
import { PlatformError } from '../../platform/client/errors'
import type { FlowMetadata } from '../../platform/client/flows'
import type { FlowProblem, PlatformFlow } from '../../platform/client/flow-facts'
import { businessCallOf, installedApp } from '../accounts/platform-calls'
import { platformErrorOf } from '../accounts/platform-errors'
import { recordAudit } from '../audit/record'
import type { SavedFlow } from './model'
import { changeFlowIn, findByMetaId, flowOf } from './state'
import { flowCallOf, withLock, type Turn } from './lock'
import { flowView, type FlowRow } from './view'

const SAYS = { rejected: 'The platform rejected this flow.' }

/** Where the platform asks what the forms of a number want to know while they are filled in. */
const endpointUriOf = (ctx: Pick<Ctx, 'settings'>, accountId: string): string =>
  `${ctx.settings.baseUrl}/api/flows/endpoint/${accountId}`

const metadataOf = (ctx: Ctx, { row, account }: Turn): FlowMetadata => ({
  name: row.name,
  categories: JSON.parse(row.categories) as string[],
  endpointUri: row.endpointMode === 'none' ? null : endpointUriOf(ctx, row.accountId),
  applicationId: account.appId ?? installedApp(ctx)?.id ?? null,
})

/**
 * Saves a draft to the platform: makes it there when it has none, then hands over name, categories,
 * endpoint and JSON. What the platform finds wrong with it is kept and shown. Throws NotFoundError,
 * ConflictError `published` and `flow_busy`, InvalidError `platform_rejected` and UnavailableError;
 * what had been done by then is kept, and saving again goes on from there.
 */
export const saveFlow = (ctx: Ctx, id: string): Promise<SavedFlow> =>
  withLock(ctx, id, refusePublished, async (turn) => {
    try {
      const row = turn.row.metaFlowId === null ? await makeAtPlatform(ctx, turn) : turn.row
      const made = { ...turn, row }
      const call = flowCallOf(ctx, made)
      await ctx.platform.updateFlow({ ...call, ...metadataOf(ctx, made) })
      const uploaded =
        row.definition === null
          ? null
          : await ctx.platform.uploadFlowJson({ ...call, json: row.definition })
      return keepSaved(ctx, turn.row, { uploaded, told: await ctx.platform.getFlow(call) })
    } catch (error) {
      throw platformErrorOf(error, SAYS)
    }
  })

function refusePublished({ row }: Turn): void {
  if (row.status !== 'DRAFT')
    throw new ConflictError(
      'Published flows cannot be changed. Duplicate the flow and publish the copy.',
      { code: 'published' },
    )
}

/**
 * Makes a draft at the platform. That it is asked to is written down first: after a lost answer the
 * draft of this name is ours, since names are unique there.
 */
async function makeAtPlatform(ctx: Ctx, turn: Turn): Promise<FlowRow> {
  const { row, account } = turn
  const right = businessCallOf(ctx, account)
  const isRepeat = row.creatingSinceMs !== null
  const known = isRepeat ? await findDraft(ctx, turn) : null
  if (known !== null) return keepId(ctx, turn, known)
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
    return keepId(ctx, turn, await ctx.platform.createFlow({ ...right, ...metadataOf(ctx, turn) }))
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (error.outcome === 'ambiguous') {
      const made = await findDraft(ctx, turn).catch(() => null)
      if (made !== null) return keepId(ctx, turn, made)
    } else
      transact(ctx.db, (tx) => void changeFlowIn(tx, ctx, row.id, { creatingSinceMs: null }, []))
    throw error
  }
}

/**
 * The platform's id of the draft with a form's name that is nobody else's here; `null` when there
 * is none.
 */
async function findDraft(ctx: Ctx, { row, account }: Turn): Promise<string | null> {
  const { flows } = await ctx.platform.listFlows(businessCallOf(ctx, account))
  const isOurs = ({ id, name, status }: PlatformFlow): boolean =>
    name === row.name && status === 'DRAFT' && findByMetaId(ctx, id) === null
  return flows.find(isOurs)?.id ?? null
}

const keepId = (ctx: Ctx, { row, account }: Turn, metaFlowId: string): FlowRow =>
  transact(ctx.db, (tx) =>
    changeFlowIn(
      tx,
      ctx,
      row.id,
      { metaFlowId, businessId: account.businessId, creatingSinceMs: null },
      ['meta_flow_id'],
    ),
  )

/** Keeps what saving came to. Whoever changed the form meanwhile has local changes still. */
function keepSaved(
  ctx: Ctx,
  saved: FlowRow,
  { uploaded, told }: { uploaded: FlowProblem[] | null; told: PlatformFlow },
): SavedFlow {
  return transact(ctx.db, (tx) => {
    const now = flowOf(ctx, saved.id)
    const problems = uploaded ?? told.validationErrors
    const isSame = (['name', 'categories', 'definition', 'endpointMode'] as const).every(
      (column) => now[column] === saved[column],
    )
    const set = {
      validationErrors: JSON.stringify(problems),
      health: told.health === null ? now.health : JSON.stringify(told.health),
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
