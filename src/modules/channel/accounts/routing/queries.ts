import { and, count, eq, gt, sql } from 'drizzle-orm'

import { DAY_MS, isoTimeOrNull } from '../../../../lib/clock'
import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { messages } from '../../../inbox/messages/table'
import { getAccount } from '../queries'
import type { RoutingView } from './model'
import { routingOf } from './roles'

/** Returns whether a number is shared, and who answered its customers. Throws NotFoundError. */
export function accountRouting(ctx: ReadCtx, id: string): RoutingView {
  const row = getAccount(ctx, id)
  const recent = and(
    eq(messages.accountId, id),
    gt(messages.createdAtMs, ctx.clock.nowMs() - DAY_MS),
  )
  // Written as literals, because SQLite matches a partial index only to those.
  const outgoing = ctx.db.orm
    .select({ rows: count() })
    .from(messages)
    .where(inOrganization(ctx, messages, recent, sql`${messages.direction} = 'outgoing'`))
    .get()
  const observed = ctx.db.orm
    .select({ source: messages.source, rows: count() })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        recent,
        sql`${messages.isObserved} = 1 and ${messages.source} in ('platform_agent', 'other_app')`,
      ),
    )
    .groupBy(messages.source)
    .all()
  const by = (name: 'platform_agent' | 'other_app'): number =>
    observed.find(({ source }) => source === name)?.rows ?? 0
  const [platform_agent, other_app] = [by('platform_agent'), by('other_app')]
  const routing = routingOf(row)
  return {
    shared: row.sharedAtMs !== null,
    roles: routing?.roles ?? null,
    is_standby: routing?.isStandby ?? null,
    checked_at: isoTimeOrNull(row.lastCheckedAtMs),
    last_standby_at: isoTimeOrNull(row.lastStandbyAtMs),
    counts_24h: {
      ours: (outgoing?.rows ?? 0) - platform_agent - other_app,
      platform_agent,
      other_app,
    },
  }
}
