import { DAY_MS } from '../../../lib/clock'
import { InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { runHooks } from '../../../infra/transaction-hooks'
import { publishVisibilityChangeIn } from '../contacts/sight/publish-visibility'
import { viewersOf, getVisibleContact } from '../contacts/sight/visibility'
import { findAccount, findOutgoingAccount } from '../../channel/accounts/queries'
import type { AccountRow } from '../../channel/accounts/view'
import type { ContactRow } from '../contacts/view'
import { publishConversationIn, changeConversationIn } from './update'
import { ConversationMoving } from './events'
import { WakeConversation } from './jobs'
import type { ConversationChange, ConversationView, NewConversation } from './model'
import { getVisibleConversation } from './queries'
import { recordConversationIn } from './audit'
import type { ConversationRow } from './row'
import { findOrOpenConversationIn, findConversation, activeOwnerOf } from './service'
import { viewOf } from './load-views'

/** Maximum length of a snooze, in milliseconds. */
const MAX_SNOOZE_MS = 90 * DAY_MS

/**
 * Returns the conversation between a contact and a phone number, opening it if there is none.
 * Throws NotFoundError for an invisible contact, and InvalidError (`invalid_input`,
 * `account_required`, `account_inactive`).
 */
export function openConversation(
  ctx: Ctx,
  input: NewConversation,
): { conversation: ConversationView; isNew: boolean } {
  let isNew = false
  const conversation = transact(ctx.db, (tx) => {
    const contact = getVisibleContact(ctx, input.contact_id)
    const at = { contactId: contact.id, accountId: accountFor(ctx, contact, input.account_id).id }
    isNew = findConversation(ctx, at) === null
    const row = findOrOpenConversationIn(tx, ctx, { ...at, assignedTo: contact.assignedTo })
    if (isNew) publishConversationIn(tx, ctx, row.id, ['state', 'assigned_to'])
    return viewOf(ctx, row.id)
  })
  return { conversation, isNew }
}

/**
 * Returns the requested account, which must be connected, else the one last used with the contact,
 * else the organization's default. Throws InvalidError (`invalid_input`, `account_inactive`,
 * `account_required`).
 */
export function accountFor(
  ctx: Ctx,
  contact: ContactRow,
  accountId: string | undefined,
): AccountRow {
  if (accountId !== undefined) {
    const requested = findAccount(ctx, accountId)
    if (!requested)
      throw new InvalidError('`account_id` must be a connected phone number.', {
        code: 'invalid_input',
        errors: [{ path: 'body.account_id', message: 'is not a connected phone number' }],
      })
    if (requested.deletedAtMs !== null)
      throw new InvalidError('This phone number is disconnected. Choose another `account_id`.', {
        code: 'account_inactive',
      })
    return requested
  }
  const last = contact.accountId === null ? null : findAccount(ctx, contact.accountId)
  const account = last && last.deletedAtMs === null ? last : findOutgoingAccount(ctx)
  if (account) return account
  throw new InvalidError(
    '`account_id` is required because no default phone number can be determined. Send ' +
      '`account_id` or set a default outgoing number.',
    {
      code: 'account_required',
      errors: [{ path: 'body.account_id', message: 'is required' }],
    },
  )
}

/**
 * Changes the state and priority of a conversation. A closed conversation that reopens is assigned
 * to the contact's assignee. Throws NotFoundError and InvalidError.
 */
export function changeConversation(
  ctx: Ctx,
  id: string,
  change: ConversationChange,
): ConversationView {
  return transact(ctx.db, (tx) => {
    const before = getVisibleConversation(ctx, id)
    if (change.state === undefined && change.priority === undefined)
      throw new InvalidError('`state` or `priority` is required.', {
        code: 'invalid_input',
        errors: [{ path: 'body', message: 'must not be empty' }],
      })
    const seenBefore = viewersOf(ctx, before.contactId)
    if (change.state !== undefined && change.state !== before.state)
      runHooks(tx, ctx, ConversationMoving, { before, state: change.state })
    const after = changeConversationIn(tx, ctx, before, {
      ...(change.priority === undefined ? {} : { priority: change.priority }),
      ...(change.state === undefined || change.state === before.state
        ? {}
        : stateChange(ctx, before, change.state)),
    })
    publishVisibilityChangeIn(tx, ctx, before.contactId, seenBefore)
    recordConversationIn(tx, ctx, 'updated', { before, after })
    return viewOf(ctx, id)
  })
}

/** Returns the columns that put a conversation into another state. */
export function stateChange(
  ctx: Ctx,
  before: ConversationRow,
  state: 'open' | 'pending' | 'closed',
): Partial<ConversationRow> {
  if (state === 'closed') return { state, closedAtMs: ctx.clock.nowMs(), snoozedUntilMs: null }
  const ownerId = before.state === 'closed' ? activeOwnerOf(ctx, before) : null
  return {
    state,
    closedAtMs: null,
    snoozedUntilMs: null,
    ...(ownerId === null ? {} : { assignedTo: ownerId }),
  }
}

/**
 * Snoozes a conversation. It reopens at `until` or when the customer writes, whichever is first;
 * with `reply` only when the customer writes. Throws NotFoundError and InvalidError.
 */
export function snoozeConversation(ctx: Ctx, id: string, until: string): ConversationView {
  return transact(ctx.db, (tx) => {
    const before = getVisibleConversation(ctx, id)
    const untilMs = until === 'reply' ? null : wakingTime(ctx, until)
    runHooks(tx, ctx, ConversationMoving, { before, state: 'snoozed' })
    const after = changeConversationIn(tx, ctx, before, {
      state: 'snoozed',
      snoozedUntilMs: untilMs,
      closedAtMs: null,
    })
    recordConversationIn(tx, ctx, 'snoozed', { before, after })
    if (untilMs !== null)
      enqueue(tx, ctx, WakeConversation, { args: { conversationId: id }, runAtMs: untilMs })
    return viewOf(ctx, id)
  })
}

/** Returns when a conversation reopens, epoch milliseconds. Throws InvalidError. */
function wakingTime(ctx: Ctx, until: string): number {
  const nowMs = ctx.clock.nowMs()
  const untilMs = Date.parse(until)
  if (untilMs > nowMs && untilMs <= nowMs + MAX_SNOOZE_MS) return untilMs
  throw new InvalidError('`until` must be in the future, at most 90 days from now.', {
    code: 'invalid_input',
    errors: [{ path: 'body.until', message: 'must be in the future, at most 90 days from now' }],
  })
}
