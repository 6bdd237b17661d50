import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { webhookEndpoints } from '../table'

/** Changes of an endpoint's row. */
export type RowChanges = Partial<typeof webhookEndpoints.$inferInsert>

/** Writes changes of an endpoint in the caller's transaction. */
export const changeEndpointIn = (tx: Tx, ctx: Ctx, id: string, set: RowChanges): void =>
  tx
    .update(webhookEndpoints)
    .set(set)
    .where(inOrganization(ctx, webhookEndpoints, eq(webhookEndpoints.id, id)))
    .run()
