import { readOrThrow, throwProblems } from '../../../lib/input-problems'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { requireAllowedUrl } from '../../../infra/require-allowed-url'
import { runHooks } from '../../../infra/transaction-hooks'
import { getAccount } from '../../channel/accounts/queries'
import { differences, HIDDEN, recordAudit, type FieldChange } from '../../organization/audit/record'
import type { ChatbotSettings } from './catalog'
import { effectiveSettings, findSettingsRow, numbersThatDiffer, storedFields } from './effective'
import { ChatbotSettingsChanged } from './events'
import { lacksPath, requireHumanPath } from './human-path'
import { keyAddressProblems } from './key-address'
import type { ChatbotSettingsChanges, ChatbotSettingsView } from './model'
import { readChanges } from './read-changes'
import { conflictsIn } from './rules'
import { CountChatbot } from './readers'
import { deleteSettingsIn, saveSettingsIn } from './save'
import { settingsId, settingsView } from './view'

/** Returns the settings of the organization, or of a phone number. Throws NotFoundError. */
export async function getChatbotSettings(
  ctx: Ctx,
  accountId: string | null,
): Promise<ChatbotSettingsView> {
  if (accountId !== null) getAccount(ctx, accountId)
  return { ...settingsView(ctx, accountId), ...(await figuresOf(ctx, accountId)) }
}

const figuresOf = (ctx: Ctx, accountId: string | null): Promise<Figures> =>
  ctx.reads.value(CountChatbot, ctx, accountId)

type Figures = Pick<ChatbotSettingsView, 'stats' | 'works_with'>

/**
 * Changes the given settings of the organization, or those in which a phone number differs from it.
 * Throws NotFoundError for an unknown number, and InvalidError (`invalid_input`, `url_refused`,
 * `human_path_missing`).
 */
export async function updateChatbotSettings(
  ctx: Ctx,
  accountId: string | null,
  changes: ChatbotSettingsChanges,
): Promise<ChatbotSettingsView> {
  // Before the change: what is stored is not answered with an error because of its figures.
  const figures = await figuresOf(ctx, accountId)
  const view = transact(ctx.db, (tx) => {
    const account = accountId === null ? null : getAccount(ctx, accountId)
    const before = effectiveSettings(ctx, accountId)
    const read = readOrThrow((report) => readChanges(ctx, report, { accountId, changes, before }))
    const after = { ...before, ...read }
    throwProblems(conflictsIn(after))
    if (typeof changes.ai_base_url === 'string')
      requireAllowedUrl(ctx, 'body.ai_base_url', changes.ai_base_url)
    const isKeyGiven = changes.ai_api_key !== undefined
    throwProblems(keyAddressProblems(ctx, { accountId, before, after, isKeyGiven }))
    const isAcknowledged = changes.acknowledge_no_human_path === true
    requireHumanPath(ctx, { accountId, before, after }, isAcknowledged)
    if (accountId === null) requireNumbersFit(ctx, { before, after }, isAcknowledged)
    saveSettingsIn(tx, ctx, { accountId, read, key: changes.ai_api_key })
    const changed = auditedChanges(before, after, changes)
    if (isAcknowledged && lacksPath(ctx, accountId, after))
      changed.push({ field: 'acknowledge_no_human_path', old_value: null, new_value: true })
    if (changed.length > 0)
      recordAudit(tx, ctx, {
        action: 'updated',
        resourceType: 'chatbot_settings',
        resourceId: settingsId(ctx.organizationId, accountId),
        resourceName: account?.name ?? null,
        changes: changed,
      })
    const fields = new Set(changed.map(({ field }) => field))
    runHooks(tx, ctx, ChatbotSettingsChanged, { fields })
    return settingsView(ctx, accountId)
  })
  return { ...view, ...figures }
}

/**
 * Requires that a change of the organization also fits the phone numbers that differ from it. Throws
 * InvalidError (`invalid_input`, `human_path_missing`).
 */
function requireNumbersFit(
  ctx: Ctx,
  change: { before: Readonly<ChatbotSettings>; after: Readonly<ChatbotSettings> },
  isAcknowledged: boolean,
): void {
  for (const { id, stored } of numbersThatDiffer(ctx)) {
    const [before, after] = [
      { ...change.before, ...stored },
      { ...change.after, ...stored },
    ]
    const known = new Set(conflictsIn(before).map(({ path, message }) => `${path} ${message}`))
    throwProblems(
      conflictsIn(after)
        .filter(({ path, message }) => !known.has(`${path} ${message}`))
        .map(({ path, message }) => ({
          path,
          message: `${message}, on the number "${getAccount(ctx, id).name}"`,
        })),
    )
    requireHumanPath(ctx, { accountId: id, before, after }, isAcknowledged)
  }
}

const hidden = (field: string): FieldChange => ({ field, old_value: HIDDEN, new_value: HIDDEN })

/** Fields whose values stay out of the audit log: secrets, and data about customers. */
const UNSPOKEN: ReadonlySet<string> = new Set(['excluded_numbers'])

function auditedChanges(
  before: Readonly<ChatbotSettings>,
  after: ChatbotSettings,
  { ai_api_key: key }: ChatbotSettingsChanges,
): FieldChange[] {
  const changed = differences({ ...before }, { ...after })
    .filter(({ field }) => !field.startsWith('ai_api_key'))
    .map((change) => (UNSPOKEN.has(change.field) ? hidden(change.field) : change))
  return key === undefined ? changed : [...changed, hidden('ai_api_key')]
}

const droppedFields = (stored: Partial<ChatbotSettings>): FieldChange[] =>
  Object.entries(stored)
    .filter(([field]) => field !== 'ai_api_key_last4')
    .map(([field, value]: [string, unknown]) =>
      field === 'ai_api_key_set'
        ? hidden('ai_api_key')
        : { field, old_value: value, new_value: null },
    )

/**
 * Drops the settings in which a phone number differs from the organization, its AI key included.
 * Throws NotFoundError for an unknown number.
 */
export function resetChatbotSettings(ctx: Ctx, accountId: string): void {
  transact(ctx.db, (tx) => {
    const account = getAccount(ctx, accountId)
    const row = findSettingsRow(ctx, accountId)
    if (row === null) return
    deleteSettingsIn(tx, ctx, { accountId })
    recordAudit(tx, ctx, {
      action: 'deleted',
      resourceType: 'chatbot_settings',
      resourceId: settingsId(ctx.organizationId, accountId),
      resourceName: account.name,
      changes: droppedFields(storedFields(row)),
    })
  })
}
