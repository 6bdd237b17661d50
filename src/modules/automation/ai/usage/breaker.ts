import { eq, gt, and } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { aiBreakers } from '../table'
import { BREAKER_FAILURES, BREAKER_OPEN_MS } from './rules'

/** The settings that decide where calls go. */
export interface ProviderTarget {
  provider: 'openai' | 'anthropic' | 'google'
  baseUrl: string | null
  model: string
}

const nameOf = ({ provider, baseUrl, model }: ProviderTarget): string =>
  [provider, baseUrl ?? '', model].join(' ')

/** Reports whether calls to a provider are stopped after failures. */
export const isBreakerOpen = (ctx: Ctx, target: ProviderTarget): boolean =>
  ctx.db.orm
    .select({ target: aiBreakers.target })
    .from(aiBreakers)
    .where(
      inOrganization(
        ctx,
        aiBreakers,
        and(eq(aiBreakers.target, nameOf(target)), gt(aiBreakers.openUntilMs, ctx.clock.nowMs())),
      ),
    )
    .get() !== undefined

/**
 * Counts a failure of a provider, in the caller's transaction. The fifth one in a row, and each
 * after it, stops calls for a minute.
 */
export function countFailureIn(tx: Tx, ctx: Ctx, target: ProviderTarget): void {
  const name = nameOf(target)
  const nowMs = ctx.clock.nowMs()
  const before = tx
    .select({ failures: aiBreakers.failures })
    .from(aiBreakers)
    .where(inOrganization(ctx, aiBreakers, eq(aiBreakers.target, name)))
    .get()
  const failures = (before?.failures ?? 0) + 1
  const set = {
    failures,
    openUntilMs: failures >= BREAKER_FAILURES ? nowMs + BREAKER_OPEN_MS : null,
    updatedAtMs: nowMs,
  }
  tx.insert(aiBreakers)
    .values({ organizationId: ctx.organizationId, target: name, ...set })
    .onConflictDoUpdate({ target: [aiBreakers.organizationId, aiBreakers.target], set })
    .run()
}

/** Forgets the failures of a provider that answered, in the caller's transaction. */
export function clearFailuresIn(tx: Tx, ctx: Ctx, target: ProviderTarget): void {
  tx.delete(aiBreakers)
    .where(inOrganization(ctx, aiBreakers, eq(aiBreakers.target, nameOf(target))))
    .run()
}
