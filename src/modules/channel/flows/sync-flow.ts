import { foldText } from '../../../lib/fold-text'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { PlatformFlow } from '../../../platform/client/flow-facts'
import type { AccountRow } from '../accounts/view'
import type { DefinitionColumns } from './definition'
import { STATUSES } from './model'
import { changeFlowIn, findFlowByMetaId } from './state'
import { insertFlowIn } from './create'
import type { FlowRow } from './view'

interface SyncedFlow {
  account: AccountRow
  flow: PlatformFlow
  document: DefinitionColumns | null
}

const statusOf = (word: string): FlowRow['status'] | null =>
  STATUSES.find((known) => known === word) ?? null

/** Stores one Flow of the platform's list. Local changes are kept. */
export function applyPlatformFlowIn(
  tx: Tx,
  ctx: Ctx,
  { account, flow, document }: SyncedFlow,
): 'new' | 'updated' | null {
  const known = findFlowByMetaId(ctx, flow.id)
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
