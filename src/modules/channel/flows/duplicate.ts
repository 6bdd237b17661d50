import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { recordAudit } from '../../organization/audit/record'
import { readEndpoint } from './endpoint/config'
import type { FlowChanges, FlowCopy, FlowView } from './model'
import { requireFlow, requireUniqueName } from './state'
import { flowView, type FlowRow, type StoredConfig, withSecret } from './view'
import { insertFlowIn } from './create'
import { requireAccount } from './lock'

/**
 * Copies a Flow to a new draft. Throws NotFoundError, InvalidError `account_inactive` and
 * ConflictError `name_taken`.
 */
export function duplicateFlow(ctx: Ctx, id: string, { name: requestedName }: FlowCopy): FlowView {
  return transact(ctx.db, (tx) => {
    const source = requireFlow(ctx, id)
    const account = requireAccount(ctx, source)
    const name = (
      requestedName ?? `${[...source.name].slice(0, MAX_STEM_LENGTH).join('')} (copy)`
    ).trim()
    requireUniqueName(ctx, { accountId: account.id, name }, null)
    const { definition, jsonVersion, dataApiVersion, endpointMode, endpointConfig } = source
    const copyId = ctx.ids.next()
    // Secrets are not copied: the copy gets a secret of its own.
    const copied =
      endpointMode === 'http' ? readEndpoint(ctx, { id: copyId }, httpOf(source), null) : null
    const row = insertFlowIn(tx, ctx, {
      id: copyId,
      account,
      name,
      categories: JSON.parse(source.categories) as string[],
      definition,
      jsonVersion,
      dataApiVersion,
      ...(copied?.columns ?? { endpointMode, endpointConfig }),
    })
    recordAudit(tx, ctx, {
      action: 'duplicated',
      resourceType: 'flow',
      resourceId: row.id,
      resourceName: row.name,
      changes: [{ field: 'source', old_value: null, new_value: id }],
    })
    return withSecret(flowView(row), copied?.secret ?? null)
  })
}

const MAX_STEM_LENGTH = 190

const httpOf = ({ endpointConfig }: FlowRow): FlowChanges => ({
  endpoint_mode: 'http',
  endpoint_config: { url: (JSON.parse(endpointConfig) as StoredConfig).url },
})
