import { HOUR_MS } from '../../../../../lib/clock'
import type { Ctx } from '../../../../../infra/ctx'
import type { Tx } from '../../../../../infra/db/transact'
import { wasNotifiedSince } from '../../../../organization/notifications/queries'
import { notifyIn } from '../../../../organization/notifications/service'
import { holdersOf } from '../../../../organization/roles/holders'
import { versionOf } from '../../bot-flows/queries'
import type { Session } from '../model'
import { noticeText } from '../../../../organization/notifications/catalog'

/** How often the same people are notified about one flow. */
const NOTICE_PAUSE_MS = HOUR_MS

/** Notifies the people who manage the bot that a session failed, at most once an hour and flow. */
export function reportFailureIn(
  tx: Tx,
  ctx: Ctx,
  { flowId, flowVersion, node, endReason }: Session,
  { isTold }: { isTold: boolean },
): void {
  const flow = flowId === null || flowVersion === null ? null : versionOf(ctx, flowId, flowVersion)
  const where = flow === null ? '' : ` in the bot flow "${flow.name}"`
  const at = node === null ? '' : ` at the node "${node}"`
  const notice = {
    kind: 'bot_failed' as const,
    severity: 'warning' as const,
    title: 'The chatbot could not go on',
    text: noticeText('bot_failed', {
      ...(flow === null ? {} : { flow: flow.name }),
      told: isTold ? 'yes' : 'no',
      reason: endReason ?? 'error',
    }),
    body:
      `A conversation stopped${where}${at}: ${endReason ?? 'error'}. The customer ` +
      `${isTold ? 'was told' : 'could not be told'}, and the conversation is open.`,
    link: flowId === null ? '/bot' : `/bot/flows/${flowId}`,
  }
  const sinceMs = ctx.clock.nowMs() - NOTICE_PAUSE_MS
  const { kind, link } = notice
  for (const userId of holdersOf(tx, ctx, 'chatbot:update'))
    if (!wasNotifiedSince(ctx, { userId, kind, link, sinceMs }))
      notifyIn(tx, ctx, { ...notice, userId })
}
