import { InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { getVisibleContact, masksNumbers } from '../../inbox/contacts/sight/visibility'
import { callWebhook, OTHER_PATH, requestOf, type CallOutcome } from './call-webhook'
import type { ActionResult } from './model'
import { issueRedirectIn } from './redirects'
import { actions } from './service'
import type { ActionRow } from './validate'
import { valuesFor } from './values'
import { fillUrl } from './variables'

/**
 * Runs a custom action on a contact. A webhook that fails is a result with `success: false`. Throws
 * NotFoundError, also for an invisible contact, and InvalidError `action_inactive`. `countRun` is
 * called before anything happens and throws when the caller runs too many.
 */
export async function executeCustomAction(
  ctx: Ctx,
  { id, contactId }: { id: string; contactId: string },
  countRun: () => void,
): Promise<ActionResult> {
  const { action, values, redirectUrl } = transact(ctx.db, (tx) => {
    const row = actions.get(ctx, id)
    const contact = getVisibleContact(ctx, contactId)
    if (!row.isActive)
      throw new InvalidError('This custom action is inactive.', { code: 'action_inactive' })
    countRun()
    // before the call, so that none happens without an entry
    actions.recordIn(tx, ctx, {
      action: 'executed',
      row,
      changes: [{ field: 'contact_id', old_value: null, new_value: contactId }],
    })
    const filled = valuesFor(ctx, contact, {
      userId: ctx.actor.userId ?? '',
      isMasked: masksNumbers(ctx),
    })
    const opens = row.actionType === 'url' && fillUrl(row.config.url, filled) !== null
    return {
      action: row,
      values: filled,
      redirectUrl: opens ? issueRedirectIn(tx, ctx, { actionId: id, contactId }) : null,
    }
  })
  if (action.actionType === 'webhook')
    return resultOf(action, await callWebhook(ctx, requestOf(ctx, action, values)))
  if (redirectUrl === null) return resultOf(action, { failure: OTHER_PATH })
  return {
    success: true,
    message: `${action.name} opens.`,
    redirect_url: redirectUrl,
    data: { open_in_new_tab: 'openInNewTab' in action.config && action.config.openInNewTab },
    toast: { message: `${action.name} opens.`, type: 'info' },
  }
}

function resultOf({ name }: ActionRow, outcome: CallOutcome): ActionResult {
  const isAnswered = 'status' in outcome
  const success = isAnswered && outcome.status >= 200 && outcome.status < 300
  const message = success
    ? `${name} is done.`
    : `${name} failed. ${isAnswered ? `The server answered with status ${outcome.status}.` : outcome.failure}`
  return {
    success,
    message,
    redirect_url: null,
    data: isAnswered ? outcome : null,
    toast: { message, type: success ? 'success' : 'error' },
  }
}
