import { and, eq, inArray, isNotNull, isNull } from 'drizzle-orm'

import { foldText } from '../../lib/fold-text'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db/transact'
import { FetchRefusal } from '../../infra/guarded-fetch'
import { PlatformError } from '../../platform/client/errors'
import type { PlatformFlow } from '../../platform/client/flow-facts'
import { businessCallOf } from '../accounts/platform-calls'
import { platformErrorOf } from '../accounts/platform-errors'
import { getAccount } from '../accounts/service'
import { liveAccounts } from '../accounts/queries'
import type { AccountRow } from '../accounts/view'
import { recordAudit } from '../audit/record'
import { definitionColumns, type DefinitionColumns } from './definition'
import { STATUSES, type FlowSyncResult } from './model'
import { changeFlowIn, findByMetaId } from './state'
import { insertFlowIn } from './service'
import { flows } from './table'
import type { FlowRow } from './view'

/** JSON documents that are fetched at once, and forms written in one transaction. */
const AT_ONCE = 8
const MAX_JSON_BYTES = 12 * 1024 * 1024
const FETCH_TIMEOUT_MS = 20_000

type Counts = Pick<FlowSyncResult, 'synced' | 'new' | 'updated' | 'removed'>

/**
 * Fetches the forms of a number's business account, or of those of every active number, every page
 * of them, each business account once. What is new becomes a row with its JSON; local changes stay.
 * Throws NotFoundError; when nothing could be fetched at all, InvalidError `platform_rejected` or
 * UnavailableError.
 */
export async function syncFlows(ctx: Ctx, accountId: string | undefined): Promise<FlowSyncResult> {
  const chosen =
    accountId === undefined
      ? liveAccounts(ctx).filter(({ status }) => status === 'active')
      : [getAccount(ctx, accountId)]
  const byBusiness = [...Map.groupBy(chosen, ({ businessId }) => businessId).values()]
  const result: FlowSyncResult = { synced: 0, new: 0, updated: 0, removed: 0, accounts: [] }
  const failures: unknown[] = []
  for (const [account] of byBusiness) {
    if (!account) continue
    try {
      const counts = await syncBusiness(ctx, account)
      for (const key of ['synced', 'new', 'updated', 'removed'] as const) result[key] += counts[key]
      result.accounts.push({ account_id: account.id, error: null })
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      failures.push(error)
      result.accounts.push({ account_id: account.id, error: error.message })
    }
  }
  if (failures.length > 0 && failures.length === byBusiness.length)
    throw platformErrorOf(failures[0], {
      rejected: 'The platform rejected the request for the flows of this business account.',
    })
  transact(ctx.db, (tx) => {
    const { accounts: _, ...counts } = result
    recordAudit(tx, ctx, {
      action: 'synced',
      resourceType: 'flow',
      resourceId: null,
      resourceName: null,
      changes: Object.entries(counts).map(([field, value]) => ({
        field,
        old_value: null,
        new_value: value,
      })),
    })
  })
  return result
}

/** Fetches the forms of one business account. Throws PlatformError. */
async function syncBusiness(ctx: Ctx, account: AccountRow): Promise<Counts> {
  const { flows: told, isComplete: isWhole } = await ctx.platform.listFlows(
    businessCallOf(ctx, account),
  )
  const counts: Counts = { synced: told.length, new: 0, updated: 0, removed: 0 }
  for (let from = 0; from < told.length; from += AT_ONCE) {
    const some = told.slice(from, from + AT_ONCE)
    const documents = await Promise.all(some.map((flow) => documentOf(ctx, account, flow)))
    transact(ctx.db, (tx) => {
      for (const [index, flow] of some.entries()) {
        const outcome = takeIn(tx, ctx, { account, flow, document: documents[index] ?? null })
        if (outcome !== null) counts[outcome] += 1
      }
    })
  }
  if (isWhole)
    counts.removed = transact(ctx.db, (tx) =>
      missIn(tx, ctx, account.businessId, new Set(told.map(({ id }) => id))),
    )
  return counts
}

/**
 * The JSON of a form, where it is not known or may be another one by now; `null` otherwise, and
 * when it cannot be had.
 */
async function documentOf(
  ctx: Ctx,
  account: AccountRow,
  flow: PlatformFlow,
): Promise<DefinitionColumns | null> {
  const known = findByMetaId(ctx, flow.id)
  const isKept =
    known !== null &&
    (known.hasLocalChanges ||
      known.deletedAtMs !== null ||
      (known.definition !== null && flow.status !== 'DRAFT'))
  if (isKept) return null
  const { apiVersion, accessToken } = businessCallOf(ctx, account)
  try {
    const url = await ctx.platform.getFlowJsonUrl({ flowId: flow.id, apiVersion, accessToken })
    return url === null ? null : await fetchDocument(ctx, url)
  } catch (error) {
    if (
      !(
        error instanceof PlatformError ||
        error instanceof FetchRefusal ||
        error instanceof SyntaxError
      )
    )
      throw error
    ctx.log.warn(
      { organization_id: ctx.organizationId, meta_flow_id: flow.id, reason: error.name },
      'Flow JSON not fetched',
    )
    return null
  }
}

/**
 * Without any credential: the address leads to the platform's store of files, and carries its right
 * itself.
 */
async function fetchDocument(ctx: Ctx, url: string): Promise<DefinitionColumns> {
  const answer = await ctx.fetchGuarded(url, {
    maxBytes: MAX_JSON_BYTES,
    totalTimeoutMs: FETCH_TIMEOUT_MS,
    maxRedirects: 2,
  })
  const pieces: Uint8Array[] = []
  for await (const piece of answer.bytes) pieces.push(piece)
  const document: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'))
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new SyntaxError('not a JSON object')
  return definitionColumns(JSON.stringify(document, null, 2))
}

interface Told {
  account: AccountRow
  flow: PlatformFlow
  document: DefinitionColumns | null
}

const statusOf = (word: string): FlowRow['status'] | null =>
  STATUSES.find((known) => known === word) ?? null

/** Brings a row in line with what the platform tells of its form. */
function takeIn(tx: Tx, ctx: Ctx, { account, flow, document }: Told): 'new' | 'updated' | null {
  const known = findByMetaId(ctx, flow.id)
  const syncedAtMs = ctx.clock.nowMs()
  const facts = {
    validationErrors: JSON.stringify(flow.validationErrors),
    ...(flow.health === null ? {} : { health: JSON.stringify(flow.health) }),
  }
  const said = {
    name: flow.name,
    nameKey: foldText(flow.name),
    categories: JSON.stringify(flow.categories),
    ...document,
  }
  const status = statusOf(flow.status)
  if (known === null) {
    const { name, categories: _, ...rest } = said
    const more = {
      ...rest,
      ...facts,
      jsonVersion: flow.jsonVersion,
      dataApiVersion: flow.dataApiVersion,
      ...document,
    }
    const id = ctx.ids.next()
    const state = {
      status: status ?? ('DEPRECATED' as const),
      metaFlowId: flow.id,
      hasLocalChanges: false,
      syncedAtMs,
    }
    insertFlowIn(tx, ctx, { id, account, name, categories: flow.categories, ...more, ...state })
    return 'new'
  }
  if (known.deletedAtMs !== null) return null
  const set: Partial<FlowRow> = {
    ...facts,
    ...(known.hasLocalChanges ? {} : said),
    ...(status === null ? {} : { status }),
  }
  const changed = (Object.keys(set) as (keyof FlowRow)[]).filter(
    (column) => set[column] !== known[column],
  )
  changeFlowIn(
    tx,
    ctx,
    known.id,
    { ...set, syncedAtMs },
    changed.map((column) => WIRE_NAMES[column] ?? column),
  )
  return changed.length > 0 ? 'updated' : null
}

const WIRE_NAMES: Partial<Record<keyof FlowRow, string>> = {
  definition: 'json_definition',
  jsonVersion: 'json_version',
  dataApiVersion: 'data_api_version',
  validationErrors: 'validation_errors',
}

/**
 * Forms the platform no longer has: a draft is one of this server again, with all its content; what
 * was published is sent no more.
 */
function missIn(tx: Tx, ctx: Ctx, businessId: string, told: ReadonlySet<string>): number {
  const rows = tx
    .select({ id: flows.id, metaFlowId: flows.metaFlowId, status: flows.status })
    .from(flows)
    .where(
      inOrganization(
        ctx,
        flows,
        and(
          eq(flows.businessId, businessId),
          isNotNull(flows.metaFlowId),
          isNull(flows.deletedAtMs),
        ),
      ),
    )
    .all()
  const gone = rows.filter(({ metaFlowId }) => !told.has(metaFlowId ?? ''))
  for (const { id, status } of gone)
    changeFlowIn(
      tx,
      ctx,
      id,
      status === 'DRAFT'
        ? { metaFlowId: null, hasLocalChanges: true, previewUrl: null }
        : { metaFlowId: null, status: 'DEPRECATED' },
      ['meta_flow_id', 'status'],
    )
  // What a person deleted here and what is gone there too needs no memory any more.
  const buried = tx
    .select({ id: flows.id, metaFlowId: flows.metaFlowId })
    .from(flows)
    .where(
      inOrganization(
        ctx,
        flows,
        and(
          eq(flows.businessId, businessId),
          isNotNull(flows.metaFlowId),
          isNotNull(flows.deletedAtMs),
        ),
      ),
    )
    .all()
    .filter(({ metaFlowId }) => !told.has(metaFlowId ?? ''))
    .map(({ id }) => id)
  if (buried.length > 0)
    tx.update(flows)
      .set({ metaFlowId: null })
      .where(inOrganization(ctx, flows, inArray(flows.id, buried.slice(0, 500))))
      .run()
  return gone.length
}
