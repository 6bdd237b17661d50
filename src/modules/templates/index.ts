import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http'
import { IdParam, PageOf, pageQuery } from '../../http/page'
import { NewTemplate, TemplateView } from './model'
import { getTemplate, listTemplates } from './queries'
import { createTemplate } from './service'

const word = (description: string) => t.Optional(t.String({ minLength: 1, maxLength: 100, description }))

const TemplatesQuery = t.Object({
  ...pageQuery(),
  status: word('A state, such as APPROVED.'),
  category: word('MARKETING, UTILITY or AUTHENTICATION.'),
  language: word('Such as en_US.'),
  account_id: t.Optional(t.String({ format: 'uuid', description: 'Those of its business account.' })),
  quality: word('GREEN, YELLOW, RED or UNKNOWN.'),
  search: t.Optional(t.String({ minLength: 1, maxLength: 255, description: 'Part of the name or of the text.' })),
  sendable: t.Optional(t.BooleanString({ description: 'Only those that can be sent. Default false.' })),
})

/** Templates: drafting and reading. */
export const templateRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/templates', tags: ['Templates'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, account_id, sendable, ...query } }) =>
        ok(listTemplates(ctx, { ...query, page, limit, accountId: account_id, isSendable: sendable })),
      {
        can: 'templates:read',
        query: TemplatesQuery,
        response: { 200: Ok(PageOf(TemplateView)) },
        detail: { summary: 'Templates', description: 'The newest first.' },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createTemplate(ctx, body))), {
      can: 'templates:create',
      refuses: ['409 template_exists'],
      body: NewTemplate,
      response: { 201: Ok(TemplateView) },
      detail: {
        summary: 'Draft a template',
        description:
          'Everything the platform would refuse is refused here, all of it at once in `errors`. Nothing goes to the platform yet.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getTemplate(ctx, params.id)), {
      can: 'templates:read',
      params: IdParam,
      response: { 200: Ok(TemplateView) },
      detail: { summary: 'One template' },
    })
