import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../../infra/ctx'
import type { Tx } from '../../../../../infra/db/transact'
import { enqueue } from '../../../../../infra/jobs/enqueue'
import { SendBotWebhook } from '../../jobs'
import type { Session } from '../model'
import type { WebhookOrder } from '../ports'
import { botSessions } from '../table'
import { findSession, sessionOf } from './store'

/**
 * Enqueues a webhook in the caller's transaction. Its address and body are kept in the session, which
 * is erased with its contact, and not in the job.
 */
export function orderWebhookIn(
  tx: Tx,
  ctx: Ctx,
  session: Session,
  { webhook, ...at }: WebhookOrder,
): void {
  const webhooks = { ...session.state.webhooks, [at.key]: webhook }
  session.state = { ...session.state, webhooks }
  enqueue(tx, ctx, SendBotWebhook, { args: { sessionId: session.id, ...at } })
}

/** Forgets a webhook that was delivered, in the caller's transaction. */
export function forgetWebhookIn(
  tx: Tx,
  ctx: Ctx,
  { sessionId, key }: { sessionId: string; key: string },
): void {
  const row = findSession(ctx, sessionId)
  if (!row) return
  const { state } = sessionOf(row)
  const { [key]: _delivered, ...webhooks } = state.webhooks
  tx.update(botSessions)
    .set({ state: JSON.stringify({ ...state, webhooks }) })
    .where(inOrganization(ctx, botSessions, eq(botSessions.id, sessionId)))
    .run()
}
