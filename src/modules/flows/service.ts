import { foldText } from '../../lib/fold-text'
import { fieldSentence, ConflictError, InvalidError } from '../../lib/errors'
import type { Ctx } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db/transact'
import { findAccount, liveAccounts } from '../accounts/queries'
import type { AccountRow } from '../accounts/view'
import { differences, recordAudit } from '../audit/record'
import { factsOf, readDefinition, verdictOn, type DefinitionColumns } from './definition'
import { readEndpoint, readRules } from './endpoint/config'
import type { FlowChanges, FlowCopy, FlowVerdict, FlowView, NewFlow } from './model'
import { announceFlowIn, changeFlowIn, flowOf, refuseTakenName } from './state'
import { flows } from './table'
import { flowView, type FlowRow, type StoredConfig } from './view'

const NO_DEFINITION: DefinitionColumns = {
  definition: null,
  jsonVersion: null,
  dataApiVersion: null,
}

/** One form. Throws NotFoundError. */
export const getFlow = (ctx: Ctx, id: string): FlowView => flowView(flowOf(ctx, id))

/** What is wrong with a Flow JSON for a form, by itself. Throws NotFoundError. */
export function validateFlow(ctx: Ctx, id: string, definition: unknown): FlowVerdict {
  const { endpointMode } = flowOf(ctx, id)
  return verdictOn(definition, endpointMode !== 'none')
}

/**
 * Keeps a new form, a draft of this server. Throws InvalidError with everything that is wrong, and
 * ConflictError `name_taken`.
 */
export function createFlow(ctx: Ctx, input: NewFlow): FlowView {
  return transact(ctx.db, (tx) => {
    const account = liveAccount(ctx, input.account_id)
    const name = input.name.trim()
    const usesEndpoint = (input.endpoint_mode ?? 'none') !== 'none'
    const definition =
      input.json_definition === undefined
        ? NO_DEFINITION
        : readDefinition(input.json_definition, usesEndpoint)
    const id = ctx.ids.next()
    const { columns, secret } = readEndpoint(ctx, { id }, input, screensOf(definition))
    refuseTakenName(ctx, { accountId: account.id, name }, null)
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

/** What a new row needs to be told. */
interface NewRow extends Partial<Omit<FlowRow, 'categories'>> {
  id: string
  account: AccountRow
  name: string
  categories: readonly string[]
}

/** Stores a form that is a draft unless said, in the caller's transaction, and announces it. */
export function insertFlowIn(
  tx: Tx,
  ctx: Ctx,
  { id, account, name, categories, ...more }: NewRow,
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
  announceFlowIn(tx, ctx, id, ['id'])
  return row
}

/** The number a form is for. Throws InvalidError with its path. */
function liveAccount(ctx: Ctx, id: string): AccountRow {
  const account = findAccount(ctx, id)
  if (account && account.deletedAtMs === null) return account
  const path = 'body.account_id'
  const message = 'is not a connected phone number'
  throw new InvalidError(fieldSentence(path, message), {
    code: 'invalid_input',
    errors: [{ path, message }],
  })
}

/**
 * The number a form is worked on with: its own, else another one of its business account. Throws
 * InvalidError `account_inactive`.
 */
export function accountFor(ctx: Ctx, row: Pick<FlowRow, 'accountId' | 'businessId'>): AccountRow {
  const own = findAccount(ctx, row.accountId)
  const account =
    own?.deletedAtMs === null
      ? own
      : liveAccounts(ctx).find(({ businessId }) => businessId === row.businessId)
  if (account) return account
  throw new InvalidError("No phone number of this flow's business account is connected any more.", {
    code: 'account_inactive',
  })
}

const screensOf = (definition: DefinitionColumns): string[] | null =>
  definition.definition === null ? null : factsOf({ definition: definition.definition }).screens

/** The view of a form whose endpoint has just got a secret, which is shown this once. */
const withSecret = (view: FlowView, secret: string | null): FlowView =>
  secret === null
    ? view
    : { ...view, endpoint_config: { ...(view.endpoint_config as object), secret } }

/**
 * Changes a form; only what is sent. What the platform publishes for good (name, categories, JSON)
 * only as long as it is a draft. Throws NotFoundError, InvalidError with everything that is wrong,
 * ConflictError `published` and `name_taken`.
 */
export function updateFlow(ctx: Ctx, id: string, changes: FlowChanges): FlowView {
  return transact(ctx.db, (tx) => {
    const before = flowOf(ctx, id)
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
    if (name !== undefined) refuseTakenName(ctx, { accountId: before.accountId, name }, id)
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

/** What the audit log compares; of a long document only that it has changed. */
const auditable = (row: FlowRow): Record<string, unknown> => ({
  name: row.name,
  categories: JSON.parse(row.categories) as string[],
  json_version: row.jsonVersion,
  json_definition: row.definition === null ? null : Bun.hash(row.definition).toString(16),
  endpoint_mode: row.endpointMode,
  endpoint_config: row.endpointConfig === '{}' ? null : Bun.hash(row.endpointConfig).toString(16),
})

/** The JSON a form has after a change: of another endpoint it is judged anew. */
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

/**
 * A copy of a form, a new draft of this server. Throws NotFoundError, InvalidError
 * `account_inactive` and ConflictError `name_taken`.
 */
export function duplicateFlow(ctx: Ctx, id: string, { name: asked }: FlowCopy): FlowView {
  return transact(ctx.db, (tx) => {
    const source = flowOf(ctx, id)
    const account = accountFor(ctx, source)
    const name = (asked ?? `${[...source.name].slice(0, MAX_STEM_LENGTH).join('')} (copy)`).trim()
    refuseTakenName(ctx, { accountId: account.id, name }, null)
    const { definition, jsonVersion, dataApiVersion, endpointMode, endpointConfig } = source
    const copyId = ctx.ids.next()
    // Secrets stay with the form they were made for: of an address only the copy's own secret
    // signs.
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
