import { foldText } from '../../../lib/fold-text'
import { ConflictError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { differences, recordAudit } from '../../organization/audit/record'
import { readDefinition, type DefinitionColumns, screensOf } from './definition'
import { readEndpoint } from './endpoint/config'
import { readRules } from './endpoint/read-rules'
import type { FlowChanges, FlowView } from './model'
import { changeFlowIn, requireFlow, requireUniqueName } from './state'
import { flowView, type FlowRow, type StoredConfig, withSecret } from './view'

/**
 * Updates a Flow. Name, categories and JSON can only be changed in a draft. Throws NotFoundError,
 * InvalidError with every problem, ConflictError `published` and `name_taken`.
 */
export function updateFlow(ctx: Ctx, id: string, changes: FlowChanges): FlowView {
  return transact(ctx.db, (tx) => {
    const before = requireFlow(ctx, id)
    const name = changes.name?.trim()
    const isFixed =
      changes.name !== undefined ||
      changes.json_definition !== undefined ||
      changes.categories !== undefined
    if (before.status !== 'DRAFT' && isFixed)
      throw new ConflictError(
        'Published flows cannot be changed. Duplicate the flow and publish the copy.',
        { code: 'published' },
      )
    const usesEndpoint = (changes.endpoint_mode ?? before.endpointMode) !== 'none'
    const definition = definitionOf(before, changes, usesEndpoint)
    const { columns, secret } = readEndpoint(ctx, before, changes, screensOf(definition))
    if (columns.endpointMode === 'rules' && changes.endpoint_config === undefined)
      readRules((JSON.parse(columns.endpointConfig) as StoredConfig).rules, screensOf(definition))
    if (name !== undefined) requireUniqueName(ctx, { accountId: before.accountId, name }, id)
    const set = {
      ...definition,
      ...columns,
      ...(name === undefined ? {} : { name, nameKey: foldText(name) }),
      ...(changes.categories === undefined
        ? {}
        : { categories: JSON.stringify(changes.categories) }),
      hasLocalChanges: before.status === 'DRAFT' ? true : before.hasLocalChanges,
    }
    const row = changeFlowIn(tx, ctx, id, set, Object.keys(changes))
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'flow',
      resourceId: id,
      resourceName: row.name,
      changes: differences(auditable(before), auditable(row)),
    })
    return withSecret(flowView(row), secret)
  })
}

/** Returns the values for the audit log; long documents as hashes. */
const auditable = (row: FlowRow): Record<string, unknown> => ({
  name: row.name,
  categories: JSON.parse(row.categories) as string[],
  json_version: row.jsonVersion,
  json_definition: row.definition === null ? null : Bun.hash(row.definition).toString(16),
  endpoint_mode: row.endpointMode,
  endpoint_config: row.endpointConfig === '{}' ? null : Bun.hash(row.endpointConfig).toString(16),
})

/**
 * Returns the Flow JSON after an update. Validates it again if the endpoint is added or removed.
 */
function definitionOf(
  before: FlowRow,
  { json_definition: given, endpoint_mode: mode }: FlowChanges,
  usesEndpoint: boolean,
): DefinitionColumns {
  const held = {
    definition: before.definition,
    jsonVersion: before.jsonVersion,
    dataApiVersion: before.dataApiVersion,
  }
  if (given !== undefined) return readDefinition(given, usesEndpoint)
  const isOther = mode !== undefined && (mode === 'none') !== (before.endpointMode === 'none')
  if (!isOther || before.definition === null) return held
  return readDefinition(JSON.parse(before.definition), usesEndpoint)
}
