import { fieldSentence, InvalidError } from '../../../../lib/errors'
import { type Ctx } from '../../../../infra/ctx'
import { findAccount, findOutgoingAccount, liveAccounts } from '../../../channel/accounts/queries'
import { lastErrorOf, type AccountRow } from '../../../channel/accounts/view'
import type { ContactRow } from '../../contacts/view'
import type { TemplateRow } from '../../../channel/templates/view'
import { type MessageRow } from '../view'

/**
 * Returns the account that `account_id` names, including disconnected ones. Throws InvalidError if
 * the organization never had it.
 */
export function requireAccount(ctx: Ctx, accountId: string): AccountRow {
  const account = findAccount(ctx, accountId)
  if (!account) throw invalidField('body.account_id', 'is not a connected phone number')
  return account
}

/** Creates the InvalidError `invalid_input` for one field of the body. */
export const invalidField = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), {
    code: 'invalid_input',
    errors: [{ path, message }],
  })

/**
 * Chooses the phone number if the request names none: that of the quoted message, the one last used
 * with the contact, the default, the only one. A template needs a number of its business account.
 * Throws InvalidError `account_required`.
 */
export function chooseAccount(
  ctx: Ctx,
  contact: ContactRow | null,
  quoted: MessageRow | null,
  template: TemplateRow | null,
): AccountRow {
  const fitting = (account: AccountRow | null): AccountRow | null =>
    account &&
    account.deletedAtMs === null &&
    (!template || account.businessId === template.businessId)
      ? account
      : null
  const ofConversation = quoted && findAccount(ctx, quoted.accountId)
  const last = contact?.accountId ? findAccount(ctx, contact.accountId) : null
  const account =
    ofConversation ??
    fitting(last) ??
    fitting(findOutgoingAccount(ctx)) ??
    (template && accountOfTemplate(ctx, template))
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
 * A phone number of the template's business account: the one the template was created with,
 * otherwise an active one, otherwise any.
 */
function accountOfTemplate(ctx: Ctx, template: TemplateRow): AccountRow | null {
  const ofBusiness = liveAccounts(ctx).filter(
    ({ businessId }) => businessId === template.businessId,
  )
  const active = ofBusiness.filter(({ status }) => status === 'active')
  return active.find(({ id }) => id === template.accountId) ?? active[0] ?? ofBusiness[0] ?? null
}

/** Returns the account if it can send. Throws InvalidError `account_inactive`. */
export function requireCanSend(account: AccountRow): AccountRow {
  if (account.deletedAtMs !== null)
    throw new InvalidError('This phone number is disconnected. Choose another `account_id`.', {
      code: 'account_inactive',
    })
  if (account.status === 'suspended')
    throw new InvalidError(whySuspended(account), { code: 'account_inactive' })
  return account
}

/** Says why a number is suspended: the error that suspended it, if that is still the latest one. */
function whySuspended(account: AccountRow): string {
  const error = lastErrorOf(account)
  return error?.code === account.statusReason
    ? `This phone number cannot send. ${error.message}`
    : 'The platform has suspended this phone number. Resolve it in the business manager.'
}
