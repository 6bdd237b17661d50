import { MINUTE_MS, SECOND_MS } from '../../../lib/clock'
import type { Ctx, JobCtx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { FetchRefusal } from '../../../infra/guarded-fetch'
import type { Outcome } from '../../../infra/jobs/work'
import { findLiveSession } from '../../organization/auth/sessions'
import { viewOf } from '../../inbox/conversations/load-views'
import { findConversationById } from '../../inbox/conversations/row'
import { getOrganization } from '../../organization/organizations/service'
import { encryptFor, identification } from './encrypt'
import { openTarget, serverKeys } from './keys'
import { readerOf } from './notify'
import { deleteSubscriptionIn, findSubscription } from './subscriptions'

const TIMEOUT_MS = 10 * SECOND_MS

/** How long a push service keeps a message for a browser that is off, seconds. */
const KEPT_S = 3_600

/** Statuses by which a push service says that a subscription is gone. */
const GONE: readonly number[] = [404, 410]

/** Maximum length of a text in a notification, in UTF-16 units. Push services take 4 KB. */
const MAX_TEXT = 200

/**
 * Returns what a notification says: that there is a new message, and where. If the organization
 * allows it, also from whom and how the message begins, as the person sees it.
 */
function contentFor(reader: Ctx, conversationId: string): Record<string, string> {
  const about = { link: `/inbox/${conversationId}`, tag: conversationId }
  if (!getOrganization(reader).pushShowsContent) return { title: 'New message', ...about }
  const { contact, last_message: last } = viewOf(reader, conversationId)
  return {
    title: (contact.display_name ?? 'New message').slice(0, MAX_TEXT),
    // The bot or a colleague may have answered meanwhile.
    body: last?.direction === 'incoming' ? last.preview.slice(0, MAX_TEXT) : '',
    ...about,
  }
}

/**
 * Notifies one browser of a new message. Deletes the subscription if the push service no longer
 * knows it. Does nothing if the person may no longer see the conversation.
 */
export async function sendPush(
  ctx: JobCtx,
  { subscriptionId, conversationId }: { subscriptionId: string; conversationId: string },
): Promise<Outcome> {
  const row = findSubscription(ctx, subscriptionId)
  const conversation = findConversationById(ctx, conversationId)
  if (!row || !conversation || !ctx.settings.hasWebPush) return undefined
  const reader = readerOf(ctx, row, conversation.contactId)
  if (!reader || !findLiveSession(ctx, row.sessionId)) return undefined
  const { endpoint, keys } = openTarget(ctx, row)
  const content = contentFor(reader, conversationId)
  const { baseUrl } = ctx.settings
  try {
    const answer = await ctx.fetchGuarded(endpoint, {
      maxBytes: 4_096,
      totalTimeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
      takesAnyStatus: true,
      takesRedirects: true,
      takesEncoded: true,
      signal: ctx.signal,
      sends: {
        method: 'POST',
        headers: {
          authorization: identification(serverKeys(ctx), {
            endpoint,
            contact: baseUrl,
            nowMs: ctx.clock.nowMs(),
          }),
          'content-encoding': 'aes128gcm',
          'content-type': 'application/octet-stream',
          ttl: String(KEPT_S),
          urgency: 'high',
        },
        body: encryptFor(keys, JSON.stringify(content)),
      },
    })
    answer.close()
    if (GONE.includes(answer.status))
      transact(ctx.db, (tx) => deleteSubscriptionIn(tx, ctx, row.id))
    else if (answer.status === 429 || answer.status >= 500)
      return { retryInMs: MINUTE_MS, reason: `the push service answered ${answer.status}` }
  } catch (error) {
    if (!(error instanceof FetchRefusal)) throw error
    return { retryInMs: MINUTE_MS, reason: `the push service: ${error.reason}` }
  }
  return undefined
}
