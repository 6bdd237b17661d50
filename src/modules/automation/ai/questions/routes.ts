import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../../http/pagination'
import { AiQuestionChanges, AiQuestionView } from './model'
import { getQuestion, listQuestions } from './queries'
import { changeQuestion } from './record'

const QuestionQuery = t.Object({
  ...pageQuery(),
  is_done: t.Optional(
    t.Boolean({ description: 'Lists questions that are done. Defaults to `false`: open ones.' }),
  ),
})

/** Routes to work through the questions that no knowledge is about. */
export const questionRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/chatbot/ai-questions', tags: ['Chatbot'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, is_done = false } }) =>
        ok(listQuestions(ctx, { page, limit, is_done })),
      {
        can: 'chatbot:read',
        query: QuestionQuery,
        response: { 200: Ok(PageOf(AiQuestionView)) },
        detail: {
          operationId: 'listAiQuestions',
          summary: 'List questions without knowledge',
          description:
            'Lists what customers asked the AI and no context is about, the most frequent first. ' +
            'Questions in the same words are one. An organization keeps the last 1,000, as long as ' +
            'messages are kept; erasing a contact deletes theirs.',
        },
      },
    )
    .get('/:id', ({ ctx, params }) => ok(getQuestion(ctx, params.id)), {
      can: 'chatbot:read',
      params: IdParam,
      response: { 200: Ok(AiQuestionView) },
      detail: {
        operationId: 'getAiQuestion',
        summary: 'Get a question without knowledge',
        description: 'With how often and when customers asked it.',
      },
    })
    .put('/:id', ({ ctx, params, body }) => ok(changeQuestion(ctx, params.id, body.is_done)), {
      can: 'chatbot:update',
      params: IdParam,
      body: AiQuestionChanges,
      response: { 200: Ok(AiQuestionView) },
      detail: {
        operationId: 'updateAiQuestion',
        summary: 'Mark a question without knowledge as done',
        description:
          'It concerns everybody who asked in the same words, also later. Send `is_done: false` ' +
          'to open it again.',
      },
    })
