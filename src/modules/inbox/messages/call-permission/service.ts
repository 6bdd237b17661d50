import { isoTimeOrNull } from '../../../../lib/clock'
import { InvalidError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import type { CallPermissionFacts } from '../../../../platform/client/calling-calls'
import { numberCallOf } from '../../../channel/accounts/platform-calls'
import { callPlatform } from '../../../channel/accounts/platform-errors'
import { getAccount } from '../../../channel/accounts/queries'
import type { AccountRow } from '../../../channel/accounts/view'
import type { ContactRow } from '../../contacts/view'
import { getVisibleContact, masksNumbers } from '../../contacts/sight/visibility'
import { parseMessage, type MessageInput } from '../compose/input'
import { loadMessageParts } from '../message-parts'
import type { MessageView } from '../model'
import { storeFiles } from '../outbound/attached-files'
import { chooseAccount, invalidField, requireAccount } from '../outbound/choose-account'
import { createMessageIn } from '../outbound/create'
import { messageView } from '../view'
import type { CallPermissionView, NewCallPermissionRequest } from './model'
import { hasRequestButton, requestLimitError } from './limit'
import { nextRequestAt, requestState } from './queries'

const MESSAGES = {
  rejected: 'The platform rejected the request for the permission to call this customer.',
}

/** Asks the platform whether a number may call a contact. Throws InvalidError `no_address`. */
function permissionOf(
  ctx: Ctx,
  contact: ContactRow,
  account: AccountRow,
): Promise<CallPermissionFacts> {
  const phone = contact.waId ?? contact.phoneNumber
  const { userId } = contact
  if (phone === null && userId === null)
    throw new InvalidError('This contact has no phone number or user ID.', { code: 'no_address' })
  const customer = phone === null ? { userId: userId ?? '' } : { phone }
  return callPlatform(
    ctx.platform.getCallPermission({ ...numberCallOf(ctx, account), customer }),
    MESSAGES,
  )
}

/**
 * Returns whether a number may call a contact: what the platform says, with what became of recent
 * requests. Throws NotFoundError, InvalidError and UnavailableError.
 */
export async function readCallPermission(
  ctx: Ctx,
  contactId: string,
  accountId: string | undefined,
): Promise<CallPermissionView> {
  const contact = getVisibleContact(ctx, contactId)
  const account =
    accountId === undefined ? chooseAccount(ctx, contact, null, null) : getAccount(ctx, accountId)
  const facts = await permissionOf(ctx, contact, account)
  const callers = { contactId, accountId: account.id }
  const nextMs = nextRequestMs(ctx, facts, callers)
  const isPermitted = facts.status === 'temporary' || facts.status === 'permanent'
  return {
    contact_id: contactId,
    account_id: account.id,
    state: isPermitted ? String(facts.status) : (requestState(ctx, callers) ?? 'none'),
    expires_at: isPermitted ? isoTimeOrNull(facts.expiresAtMs) : null,
    can_request: facts.canRequest && nextMs === null,
    next_request_at: isoTimeOrNull(nextMs),
  }
}

/** Returns when the next request is allowed by the platform and by our own, or `null`. */
function nextRequestMs(
  ctx: Ctx,
  facts: CallPermissionFacts,
  callers: { contactId: string; accountId: string },
): number | null {
  const own = nextRequestAt(ctx, callers)
  return facts.nextRequestAtMs === null ? own : Math.max(facts.nextRequestAtMs, own ?? 0)
}

/**
 * Sends a contact the request for the permission to call: interactive inside the 24-hour window, a
 * template with such a button at any time. Throws as `createMessage` and `readCallPermission`, and
 * ConflictError `permission_request_limit` with the time of the next request.
 */
export async function requestCallPermission(
  ctx: Ctx,
  contactId: string,
  request: NewCallPermissionRequest,
): Promise<MessageView> {
  const contact = getVisibleContact(ctx, contactId)
  const { account_id } = request
  const account =
    account_id === undefined
      ? chooseAccount(ctx, contact, null, null)
      : requireAccount(ctx, account_id)
  const parsed = parseMessage(ctx, inputOf(request, account.id))
  if (parsed.template && !hasRequestButton(parsed.template.row))
    throw invalidField(
      request.template_id === undefined ? 'body.template_name' : 'body.template_id',
      'is not a template with a button that requests the permission to call',
    )
  const target = {
    recipient: { contactId },
    accountId: account.id,
    replyTo: undefined,
    file: parsed.file,
    template: parsed.template?.row,
    flow: undefined,
    takesThread: undefined,
  }
  const facts = await permissionOf(ctx, contact, account)
  const stored = await storeFiles(ctx, parsed, target)
  return transact(ctx.db, (tx) => {
    // Again inside the transaction: of two requests at the same moment one is sent.
    requireAllowed(ctx, facts, { contactId, accountId: account.id })
    const row = createMessageIn(tx, ctx, { parsed, target, stored, clientRef: null })
    return messageView(row, loadMessageParts(ctx, [row])(row), masksNumbers(ctx))
  })
}

function requireAllowed(
  ctx: Ctx,
  facts: CallPermissionFacts,
  callers: { contactId: string; accountId: string },
): void {
  const nextMs = nextRequestMs(ctx, facts, callers)
  if (!facts.canRequest || nextMs !== null) throw requestLimitError(nextMs)
}

function inputOf(
  { text, ...template }: NewCallPermissionRequest,
  account_id: string,
): MessageInput {
  if (template.template_id !== undefined || template.template_name !== undefined)
    return { ...template, type: 'template', account_id }
  if (text === undefined) throw invalidField('body.text', 'is required without a template')
  return {
    type: 'interactive',
    interactive: { type: 'call_permission_request', body: text },
    account_id,
  }
}
