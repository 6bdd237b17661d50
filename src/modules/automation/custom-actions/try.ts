import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { HIDDEN_VALUE } from '../../../lib/outgoing-headers'
import { getVisibleContact, masksNumbers } from '../../inbox/contacts/sight/visibility'
import { callWebhook, OTHER_PATH, requestOf } from './call-webhook'
import type { ActionTest, ActionTestResult } from './model'
import { actions } from './service'
import { readAction, type ActionRow } from './validate'
import { valuesFor } from './values'
import { fillUrl } from './variables'

/**
 * Tests a custom action as it would be with these changes, with the values of a contact: really sends
 * its request, and returns the request and the response. An inactive one can be tested, too. Throws
 * NotFoundError, also for an invisible contact, and InvalidError as a change does. `countRun` is
 * called before anything happens and throws when the caller runs too many.
 */
export async function testCustomAction(
  ctx: Ctx,
  { id, contact_id: contactId, ...changes }: ActionTest & { id: string },
  countRun: () => void,
): Promise<ActionTestResult> {
  const { row, values } = transact(ctx.db, (tx) => {
    const stored = actions.get(ctx, id)
    const contact = getVisibleContact(ctx, contactId)
    const tried: ActionRow = { ...stored, ...readAction(ctx, id, changes, stored) }
    countRun()
    // before the call, so that none happens without an entry
    actions.recordIn(tx, ctx, {
      action: 'tested',
      row: stored,
      changes: [{ field: 'contact_id', old_value: null, new_value: contactId }],
    })
    const caller = { userId: ctx.actor.userId ?? '', isMasked: masksNumbers(ctx) }
    return { row: tried, values: valuesFor(ctx, contact, caller) }
  })
  if (row.actionType === 'url') return openedBy(fillUrl(row.config.url, values))
  const request = requestOf(ctx, row, values)
  const startedMs = performance.now()
  const outcome = await callWebhook(ctx, request)
  const isAnswered = 'status' in outcome
  return {
    request: request && { ...request, headers: shownHeaders(request.headers) },
    response: isAnswered ? outcome : null,
    failure: isAnswered ? null : outcome.failure,
    duration_ms: Math.round(performance.now() - startedMs),
  }
}

/** The address that an action opens: nothing is sent. */
const openedBy = (url: string | null): ActionTestResult => ({
  request: url === null ? null : { method: 'GET', url, headers: {}, body: null },
  response: null,
  failure: url === null ? OTHER_PATH : null,
  duration_ms: 0,
})

/** The values of headers are secrets, but for the type of the content. */
const shownHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name === 'content-type' ? value : HIDDEN_VALUE,
    ]),
  )
