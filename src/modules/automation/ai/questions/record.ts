import { desc, eq, inArray } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { searchedText } from '../../../../lib/whole-words'
import { spokenWords } from '../chunks/words'
import { AiQuestionsChanged } from '../events'
import { aiQuestions } from '../table'
import { MAX_QUESTION, MAX_QUESTIONS, type AiQuestionView } from './model'
import { getQuestion, keyOf } from './queries'

/** What a customer asked. */
interface Asked {
  contactId: string
  /** The first message of the turn; `null` if it has none. */
  messageId: string | null
  text: string
}

/**
 * Records a question that no knowledge is about, in the caller's transaction. In the same words as
 * one that was dealt with, it is as done as that one. A message asks it once, however many steps of a
 * flow, or runs of an interrupted call, ask the AI.
 */
export function recordQuestionIn(tx: Tx, ctx: Ctx, { contactId, messageId, text }: Asked): void {
  const key = spokenWords(text).slice(0, MAX_QUESTION)
  const same = tx
    .select({ doneAtMs: aiQuestions.doneAtMs, messageId: aiQuestions.messageId })
    .from(aiQuestions)
    .where(inOrganization(ctx, aiQuestions, eq(aiQuestions.key, key)))
    .all()
  if (messageId !== null && same.some((one) => one.messageId === messageId)) return
  tx.insert(aiQuestions)
    .values({
      ...{ organizationId: ctx.organizationId, id: ctx.ids.next(), contactId, messageId, key },
      text: searchedText(text).slice(0, MAX_QUESTION),
      askedAtMs: ctx.clock.nowMs(),
      doneAtMs: same[0]?.doneAtMs ?? null,
    })
    .run()
  const old = tx
    .select({ id: aiQuestions.id })
    .from(aiQuestions)
    .where(inOrganization(ctx, aiQuestions))
    .orderBy(desc(aiQuestions.askedAtMs), desc(aiQuestions.id))
    .limit(MAX_QUESTIONS)
    .offset(MAX_QUESTIONS)
    .all()
    .map(({ id }) => id)
  if (old.length > 0)
    tx.delete(aiQuestions)
      .where(inOrganization(ctx, aiQuestions, inArray(aiQuestions.id, old)))
      .run()
  tellIn(tx, ctx)
}

/** Marks a question as done or as open, for everybody who asked it. Throws NotFoundError. */
export const changeQuestion = (ctx: Ctx, id: string, isDone: boolean): AiQuestionView =>
  transact(ctx.db, (tx) => {
    tx.update(aiQuestions)
      .set({ doneAtMs: isDone ? ctx.clock.nowMs() : null })
      .where(inOrganization(ctx, aiQuestions, eq(aiQuestions.key, keyOf(ctx, id))))
      .run()
    tellIn(tx, ctx)
    return getQuestion(ctx, id)
  })

const tellIn = (tx: Tx, ctx: Ctx): void => {
  emit(tx, ctx, AiQuestionsChanged, { contactId: null, payload: {} })
}
