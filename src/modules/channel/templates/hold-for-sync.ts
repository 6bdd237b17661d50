import { and, eq, isNull, lt, or } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { templates } from './table'

/**
 * Records until when the platform prepares a template for the marketing path, in the caller's
 * transaction. An earlier end changes nothing.
 */
export function holdForSyncIn(tx: Tx, ctx: Ctx, templateId: string, untilMs: number): void {
  tx.update(templates)
    .set({ syncingUntilMs: untilMs })
    .where(
      inOrganization(
        ctx,
        templates,
        and(
          eq(templates.id, templateId),
          or(isNull(templates.syncingUntilMs), lt(templates.syncingUntilMs, untilMs)),
        ),
      ),
    )
    .run()
}
