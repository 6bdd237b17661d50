import { and, eq, isNull, lt, or } from 'drizzle-orm'

import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { of } from '../../../infra/scoped'
import { templates } from './table'

/**
 * Records until when the platform prepares a template for the marketing path, in the caller's
 * transaction. An earlier end changes nothing.
 */
export function holdForSyncIn(tx: Tx, ctx: Ctx, templateId: string, untilMs: number): void {
  const endsEarlier = or(isNull(templates.syncingUntilMs), lt(templates.syncingUntilMs, untilMs))
  of(ctx, templates).update(tx, and(eq(templates.id, templateId), endsEarlier), {
    syncingUntilMs: untilMs,
  })
}
