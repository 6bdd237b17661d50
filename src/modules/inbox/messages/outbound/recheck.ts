import { HOUR_MS } from '../../../../lib/clock'
import { type Ctx } from '../../../../infra/ctx'
import { type AccountRow } from '../../../channel/accounts/view'
import type { ContactRow } from '../../contacts/view'
import { isWindowOpen } from '../../conversations/window'
import { isPaused, isSendable } from '../../../channel/templates/status'
import type { TemplateRow } from '../../../channel/templates/view'
import { findConversation } from '../../conversations/service'
import { isHeldBack } from './automatic'
import { ownFailure, type SendError } from './delivery-state'
import type { MessageRow } from '../view'

/** Returns the error that makes a waiting message unsendable, or `null`. */
export function findSendError(
  ctx: Ctx,
  row: MessageRow,
  now: { account: AccountRow | null; contact: ContactRow | null; template: TemplateRow | null },
): SendError | null {
  const { account, contact, template } = now
  if (!account || account.deletedAtMs !== null)
    return ownFailure(
      'account_deleted',
      'The phone number was disconnected before the message was sent.',
    )
  if (ctx.clock.nowMs() - row.createdAtMs >= ctx.settings.sendExpiryHours * HOUR_MS)
    return expiryOf(account)
  if (!contact || contact.deletedAtMs !== null)
    return ownFailure('contact_deleted', 'The contact has been deleted.')
  if (contact.blockedAtMs !== null) return ownFailure('contact_blocked', 'The contact is blocked.')
  if (row.type === 'template')
    return template === null ? TEMPLATE_DELETED : templateRefusal(template, contact)
  if (row.isDirect) return null
  if (isHeldBack(ctx, row))
    return ownFailure(
      'not_owner',
      "The message was not sent because another app or the platform's agent owns the thread.",
    )
  if (!isMessageWindowOpen(ctx, row))
    return ownFailure(
      'window_closed',
      'The 24-hour window closed before the message could be sent. Send a template instead.',
    )
  return null
}

/** Whether the 24-hour window of the message's conversation is open. */
export const isMessageWindowOpen = (ctx: Ctx, { contactId, accountId }: MessageRow): boolean =>
  isWindowOpen(findConversation(ctx, { contactId, accountId }), ctx.clock.nowMs())

const TEMPLATE_DELETED = ownFailure(
  'template_not_approved',
  'The template of this message was deleted. Send another one.',
)

export const CODE_LOST = ownFailure(
  'code_lost',
  'The one-time code of this message can no longer be read. Send a new one.',
)

/** Returns why a template can no longer be sent to a contact. A paused template waits instead. */
function templateRefusal(template: TemplateRow, contact: ContactRow): SendError | null {
  if (!isSendable(template) && !isPaused(template))
    return ownFailure(
      'template_not_approved',
      `Template "${template.name}" cannot be sent because its status is ${template.status}. ` +
        'Send another one.',
    )
  return template.category === 'MARKETING' && contact.marketingConsent === 'opted_out'
    ? ownFailure('opted_out', 'The contact has opted out of marketing messages.')
    : null
}

/** The error of a message that waited longer than `send_expiry_hours`. */
export const expiryOf = (account: Pick<AccountRow, 'status'>): SendError =>
  account.status === 'active'
    ? ownFailure(
        'expired',
        'The message expired before it could be sent. Resend it if it is still relevant.',
        true,
      )
    : ownFailure(
        'account_disconnected',
        'The message expired because the phone number could not send. Resend it when the ' +
          'number works again.',
        true,
      )
