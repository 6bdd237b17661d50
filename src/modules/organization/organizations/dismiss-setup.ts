import { eq } from 'drizzle-orm'

import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { recordAudit } from '../audit/record'
import { getOrganization } from './service'
import { organizations } from './table'

/** Dismisses the checklist of the first steps for the whole organization, or shows it again. */
export function dismissSetup(ctx: Ctx, isDismissed: boolean): void {
  transact(ctx.db, (tx) => {
    const { setupDismissedAtMs, name } = getOrganization(ctx)
    if ((setupDismissedAtMs !== null) === isDismissed) return
    const nowMs = ctx.clock.nowMs()
    tx.update(organizations)
      .set({ setupDismissedAtMs: isDismissed ? nowMs : null, updatedAtMs: nowMs })
      .where(eq(organizations.id, ctx.organizationId))
      .run()
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'setup',
      resourceId: ctx.organizationId,
      resourceName: name,
      changes: [{ field: 'dismissed', old_value: !isDismissed, new_value: isDismissed }],
    })
  })
}
