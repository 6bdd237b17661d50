import { desc, eq, isNotNull, isNull } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import { NotFoundError } from '../../../../lib/errors'
import { numberedPage, type Page } from '../../../../lib/page'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { aiQuestions } from '../table'
import type { AiQuestionView } from './model'

/** A time that a question was asked, as stored. */
type QuestionRow = typeof aiQuestions.$inferSelect

/** Which questions are listed. */
interface QuestionQuery {
  page: number
  limit: number
  is_done: boolean
}

/**
 * Returns a page of the questions that no knowledge is about, one for all in the same words, the most
 * frequent first. An organization has at most 1,000 rows of them, which are grouped here.
 */
export function listQuestions(
  ctx: Ctx,
  { page, limit, is_done: isDone }: QuestionQuery,
): Page<AiQuestionView> {
  const { doneAtMs, askedAtMs, id } = aiQuestions
  const rows = ctx.db.orm
    .select()
    .from(aiQuestions)
    .where(inOrganization(ctx, aiQuestions, isDone ? isNotNull(doneAtMs) : isNull(doneAtMs)))
    .orderBy(desc(askedAtMs), desc(id))
    .all()
  const groups = [...Map.groupBy(rows, ({ key }) => key).values()].toSorted(
    (one, other) => other.length - one.length, // stable: of equals the one asked last comes first
  )
  const from = (page - 1) * limit
  return numberedPage(groups.slice(from, from + limit).map(questionView), groups.length, {
    page,
    limit,
  })
}

/** Returns a question with everybody who asked it. Throws NotFoundError. */
export const getQuestion = (ctx: Ctx, id: string): AiQuestionView =>
  questionView(
    ctx.db.orm
      .select()
      .from(aiQuestions)
      .where(inOrganization(ctx, aiQuestions, eq(aiQuestions.key, keyOf(ctx, id))))
      .orderBy(desc(aiQuestions.askedAtMs), desc(aiQuestions.id))
      .all(),
  )

/** Returns the words by which a question is the same one. Throws NotFoundError. */
export function keyOf(ctx: Ctx, id: string): string {
  const asked = ctx.db.orm
    .select({ key: aiQuestions.key })
    .from(aiQuestions)
    .where(inOrganization(ctx, aiQuestions, eq(aiQuestions.id, id)))
    .get()
  if (!asked) throw new NotFoundError('question')
  return asked.key
}

/** Returns a question from all times it was asked, the last one first. */
function questionView(rows: readonly QuestionRow[]): AiQuestionView {
  const [last, first] = [rows[0], rows.at(-1)]
  if (!last || !first) throw new Error('a question that nobody asked')
  return {
    id: last.id,
    text: last.text,
    times: rows.length,
    first_asked_at: isoTime(first.askedAtMs),
    last_asked_at: isoTime(last.askedAtMs),
    is_done: last.doneAtMs !== null,
  }
}
