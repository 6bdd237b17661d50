import { count, gt, sql } from 'drizzle-orm'

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { hasLiveJob } from '../../../../infra/jobs/waiting-jobs'
import type { Outcome } from '../../../../infra/jobs/work'
import { wasNotifiedSince } from '../../../organization/notifications/queries'
import { notifyIn } from '../../../organization/notifications/service'
import { holdersOf } from '../../../organization/roles/holders'
import { NotifyUnknown } from '../jobs'
import { messages } from '../table'
import { noticeText } from '../../../organization/notifications/catalog'

/** Messages that become unknown within this time are in one notification, milliseconds. */
const COLLECT_MS = MINUTE_MS

/** People are notified at most this often, milliseconds. */
const PAUSE_MS = HOUR_MS

/** Interval at which a notification that came too early is tried again, milliseconds. */
const RECHECK_MS = 10 * MINUTE_MS

/** A notification counts the messages of this time, milliseconds. */
const COUNTED_MS = DAY_MS

/** Lets people be notified of messages with unknown outcome, in the transaction of one of them. */
export function scheduleUnknownNoticeIn(tx: Tx, ctx: Ctx): void {
  const orderingKey = `unknown:${ctx.organizationId}`
  if (!hasLiveJob(ctx, { kind: NotifyUnknown.name, orderingKeys: [orderingKey] }))
    enqueue(tx, ctx, NotifyUnknown, {
      args: {},
      orderingKey,
      runAtMs: ctx.clock.nowMs() + COLLECT_MS,
    })
}

/**
 * Notifies those who see failed jobs of how many messages have an unknown outcome, in the
 * transaction of the job. Waits until an hour has passed since the last notification.
 */
export function notifyUnknownIn(tx: Tx, ctx: Ctx): Outcome {
  const nowMs = ctx.clock.nowMs()
  const people = holdersOf(tx, ctx, 'jobs:read')
  const since = { kind: 'sends_unknown', sinceMs: nowMs - PAUSE_MS } as const
  if (people.some((userId) => wasNotifiedSince(ctx, { ...since, userId })))
    return { snoozeMs: RECHECK_MS }
  const unknown = countUnknown(tx, ctx, nowMs - COUNTED_MS)
  const total = unknown.people + unknown.campaigns + unknown.bot
  if (total === 0) return undefined
  const title =
    total === 1
      ? '1 message was not confirmed by WhatsApp'
      : `${total} messages were not confirmed by WhatsApp`
  for (const userId of people)
    notifyIn(tx, ctx, {
      userId,
      kind: since.kind,
      severity: 'warning',
      title,
      text: noticeText('sends_unknown', { ...unknown, total }),
      body: bodyOf(unknown),
    })
  return undefined
}

/** Messages with unknown outcome, by who sent them. */
interface Unknown {
  people: number
  campaigns: number
  bot: number
}

function countUnknown(tx: Tx, ctx: Ctx, sinceMs: number): Unknown {
  const rows = tx
    .select({ source: messages.source, rows: count() })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        // The text matches the partial index.
        sql`${messages.stage} = 'unknown'`,
        gt(messages.createdAtMs, sinceMs),
      ),
    )
    .groupBy(messages.source)
    .all()
  const of = (source: string): number => rows.find((row) => row.source === source)?.rows ?? 0
  const [campaigns, bot] = [of('campaign'), of('chatbot')]
  return { campaigns, bot, people: rows.reduce((sum, row) => sum + row.rows, -campaigns - bot) }
}

const bodyOf = ({ people, campaigns, bot }: Unknown): string =>
  `In the last 24 hours: ${people} of people and programs, ${campaigns} of campaigns, ${bot} of the ` +
  'chatbot. They may have arrived. Only replies of the chatbot are sent again by themselves, once, ' +
  'while the customer waits for its next step. Check with the customer before you send another one again.'
