import { and, eq, gt } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../../infra/ctx'
import type { Tx } from '../../../../../infra/db/transact'
import { botMarks } from '../table'

const ofContact = (contactId: string) =>
  and(eq(botMarks.contactId, contactId), eq(botMarks.kind, 'greeted'))

/** Whether a contact was greeted, or finished a bot flow, after a time. */
export const wasGreetedSince = (ctx: Ctx, contactId: string, sinceMs: number): boolean =>
  ctx.db.orm
    .select({ atMs: botMarks.atMs })
    .from(botMarks)
    .where(inOrganization(ctx, botMarks, and(ofContact(contactId), gt(botMarks.atMs, sinceMs))))
    .limit(1)
    .get() !== undefined

/** Marks that a contact was greeted now, in the caller's transaction. */
export function markGreetedIn(tx: Tx, ctx: Ctx, contactId: string): void {
  tx.delete(botMarks)
    .where(inOrganization(ctx, botMarks, ofContact(contactId)))
    .run()
  tx.insert(botMarks)
    .values({
      organizationId: ctx.organizationId,
      contactId,
      kind: 'greeted',
      atMs: ctx.clock.nowMs(),
    })
    .run()
}
