import { foldText } from '../../../lib/fold-text'
import { fieldSentence, InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { findAccount } from '../accounts/queries'
import type { AccountRow } from '../accounts/view'
import { recordAudit } from '../../organization/audit/record'
import { readDefinition, NO_DEFINITION, screensOf } from './definition'
import { readEndpoint } from './endpoint/config'
import type { FlowView, NewFlow } from './model'
import { emitFlowChangedIn, requireUniqueName } from './state'
import { flows } from './table'
import { flowView, type FlowRow, withSecret } from './view'

/** Creates a draft. Throws InvalidError with every problem, and ConflictError `name_taken`. */
export function createFlow(ctx: Ctx, input: NewFlow): FlowView {
  return transact(ctx.db, (tx) => {
    const account = requireLiveAccount(ctx, input.account_id)
    const name = input.name.trim()
    const usesEndpoint = (input.endpoint_mode ?? 'none') !== 'none'
    const definition =
      input.json_definition === undefined
        ? NO_DEFINITION
        : readDefinition(input.json_definition, usesEndpoint)
    const id = ctx.ids.next()
    const { columns, secret } = readEndpoint(ctx, { id }, input, screensOf(definition))
    requireUniqueName(ctx, { accountId: account.id, name }, null)
    const row = insertFlowIn(tx, ctx, {
      id,
      account,
      name,
      categories: input.categories,
      ...definition,
      ...columns,
    })
    recordAudit(tx, ctx, {
      action: 'created',
      resourceType: 'flow',
      resourceId: id,
      resourceName: row.name,
    })
    return withSecret(flowView(row), secret)
  })
}

/** Values of a new Flow. */
interface NewFlowRow extends Partial<Omit<FlowRow, 'categories'>> {
  id: string
  account: AccountRow
  name: string
  categories: readonly string[]
}

/** Inserts a Flow, by default as a draft, and emits an event. Runs in the caller's transaction. */
export function insertFlowIn(
  tx: Tx,
  ctx: Ctx,
  { id, account, name, categories, ...more }: NewFlowRow,
): FlowRow {
  const nowMs = ctx.clock.nowMs()
  const row = tx
    .insert(flows)
    .values({
      organizationId: ctx.organizationId,
      id,
      accountId: account.id,
      businessId: account.businessId,
      name,
      nameKey: foldText(name),
      status: 'DRAFT',
      categories: JSON.stringify([...new Set(categories)]),
      endpointMode: 'none',
      hasLocalChanges: true,
      createdBy: ctx.actor.userId,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      ...more,
    })
    .returning()
    .get()
  emitFlowChangedIn(tx, ctx, id, ['id'])
  return row
}

/** Returns the phone number of a new Flow. Throws InvalidError with its path. */
function requireLiveAccount(ctx: Ctx, id: string): AccountRow {
  const account = findAccount(ctx, id)
  if (account && account.deletedAtMs === null) return account
  const path = 'body.account_id'
  const message = 'is not a connected phone number'
  throw new InvalidError(fieldSentence(path, message), {
    code: 'invalid_input',
    errors: [{ path, message }],
  })
}
