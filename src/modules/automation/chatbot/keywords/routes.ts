import { Elysia, t } from 'elysia'

import { oneOf } from '../../../../lib/fields'
import { MessageAnswer, Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../../http/pagination'
import {
  KeywordRuleChanges,
  KeywordRuleView,
  KeywordTest,
  KeywordTestResult,
  NewKeywordRule,
} from './model'
import {
  createKeywordRule,
  deleteKeywordRule,
  getKeywordRule,
  listKeywordRules,
  testKeywords,
  updateKeywordRule,
} from './service'
import { RESPONSE_TYPES } from './table'

const RulesQuery = t.Object({
  ...pageQuery(),
  search: t.Optional(
    t.String({
      minLength: 1,
      maxLength: 255,
      description: 'Part of the name, of a keyword or of the response.',
    }),
  ),
  account_id: t.Optional(t.String({ format: 'uuid', description: 'Rules of one phone number.' })),
  enabled: t.Optional(t.BooleanString()),
  response_type: t.Optional(oneOf(RESPONSE_TYPES)),
})

const REFUSALS = [
  '400 bad_reference',
  '400 regex_unsupported',
  '400 regex_too_large',
  '400 url_refused',
  '409 name_taken',
  '409 limit_reached',
] as const

/** Routes for keyword rules. */
export const keywordRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/chatbot/keywords', tags: ['Chatbot'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, search, account_id, enabled, response_type } }) =>
        ok(
          listKeywordRules(ctx, {
            page,
            limit,
            search,
            accountId: account_id,
            isEnabled: enabled,
            responseType: response_type,
          }),
        ),
      {
        can: 'chatbot:read',
        query: RulesQuery,
        response: { 200: Ok(PageOf(KeywordRuleView)) },
        detail: {
          operationId: 'listKeywordRules',
          summary: 'List keyword rules',
          description: 'Lists keyword rules, highest priority first.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createKeywordRule(ctx, body))), {
      can: 'chatbot:create',
      refuses: [...REFUSALS],
      body: NewKeywordRule,
      response: { 201: Ok(KeywordRuleView) },
      detail: {
        operationId: 'createKeywordRule',
        summary: 'Create a keyword rule',
        description:
          'Answers messages that contain certain words. If several rules match, the highest ' +
          'priority wins, then the longest keyword, then the rule of the number, then the oldest. ' +
          'An organization has at most 1,000 rules and 100 regular expressions.',
      },
    })
    .post('/test', async ({ ctx, body }) => ok(await testKeywords(ctx, body)), {
      can: 'chatbot:read',
      refuses: ['400 bad_reference'],
      body: KeywordTest,
      response: { 200: Ok(KeywordTestResult) },
      detail: {
        operationId: 'testKeywordRules',
        summary: 'Test the keyword rules',
        description: 'Returns the enabled rules that match a text. Nothing is sent.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getKeywordRule(ctx, params.id)), {
      can: 'chatbot:read',
      params: IdParam,
      response: { 200: Ok(KeywordRuleView) },
      detail: {
        operationId: 'getKeywordRule',
        summary: 'Get a keyword rule',
        description: 'With what it answers and how often it has done so.',
      },
    })
    .put('/:id', ({ ctx, params, body }) => ok(updateKeywordRule(ctx, params.id, body)), {
      unlessChanged: getKeywordRule,
      can: 'chatbot:update',
      refuses: [...REFUSALS],
      params: IdParam,
      body: KeywordRuleChanges,
      response: { 200: Ok(KeywordRuleView) },
      detail: {
        operationId: 'updateKeywordRule',
        summary: 'Update a keyword rule',
        description: 'Only the fields you send change.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        deleteKeywordRule(ctx, params.id)
        return ok({ message: 'The keyword rule is deleted.' })
      },
      {
        can: 'chatbot:delete',
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteKeywordRule',
          summary: 'Delete a keyword rule',
          description: 'It answers nothing any more.',
        },
      },
    )
