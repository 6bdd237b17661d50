import { and, eq, inArray, lt, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { messages } from '../../../inbox/messages/table'
import { aiQuestions } from '../table'

/** Maximum number of rows deleted in one transaction. */
const AT_ONCE = 200

/** A move of rows between two contacts. */
interface Move {
  from: string
  to: string
}

/** Moves the questions of a contact to another one, in the transaction of their merge. */
export function mergeQuestionsIn(tx: Tx, ctx: Ctx, { from, to }: Move): void {
  tx.update(aiQuestions)
    .set({ contactId: to })
    .where(inOrganization(ctx, aiQuestions, eq(aiQuestions.contactId, from)))
    .run()
}

/** Gives a contact back the questions in its messages, in the transaction that undoes a merge. */
export function separateQuestionsIn(tx: Tx, ctx: Ctx, { from, to }: Move): void {
  const isOwn = sql`exists (select 1 from ${messages} where ${messages.organizationId} = ${aiQuestions.organizationId} and ${messages.id} = ${aiQuestions.messageId} and ${messages.contactId} = ${sql.param(to, aiQuestions.contactId)})`
  tx.update(aiQuestions)
    .set({ contactId: to })
    .where(inOrganization(ctx, aiQuestions, and(eq(aiQuestions.contactId, from), isOwn)))
    .run()
}

/**
 * Deletes up to 200 questions of a contact, in the transaction that erases it. Returns the number
 * deleted.
 */
export const eraseQuestionsIn = (tx: Tx, ctx: Ctx, contactId: string): number =>
  deleteSomeIn(tx, ctx, eq(aiQuestions.contactId, contactId))

/** Deletes up to 200 questions from before a time. Returns whether there may be more. */
export const deleteQuestionsBeforeIn = (tx: Tx, ctx: Ctx, beforeMs: number): boolean =>
  deleteSomeIn(tx, ctx, lt(aiQuestions.askedAtMs, beforeMs)) === AT_ONCE

function deleteSomeIn(tx: Tx, ctx: Ctx, filter: SQL): number {
  const ids = tx
    .select({ id: aiQuestions.id })
    .from(aiQuestions)
    .where(inOrganization(ctx, aiQuestions, filter))
    .limit(AT_ONCE)
    .all()
    .map(({ id }) => id)
  if (ids.length > 0)
    tx.delete(aiQuestions)
      .where(inOrganization(ctx, aiQuestions, inArray(aiQuestions.id, ids)))
      .run()
  return ids.length
}
