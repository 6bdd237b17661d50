import { Elysia, t } from 'elysia'

import { MessageAnswer, Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { PageOf, pageQuery } from '../../../../http/pagination'
import { okText } from '../../../../http/read-answer'
import { ListDuplicates } from '../readers'
import { forgetApart, tellApart } from './apart'
import { DuplicateView } from './model'

const PairParams = t.Object({
  id: t.String({ format: 'uuid' }),
  other_id: t.String({ format: 'uuid' }),
})

/** Routes that find contacts which may be the same person, and tell them apart. */
export const duplicateRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/contacts', tags: ['Contacts'] })
    .use(guard(http))
    .put(
      '/:id/apart/:other_id',
      ({ ctx, params }) => {
        tellApart(ctx, params.id, params.other_id)
        return ok({ message: 'The two contacts are no longer proposed as duplicates.' })
      },
      {
        can: 'contacts:update',
        params: PairParams,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'tellContactsApart',
          summary: 'Say that two contacts are not the same person',
          description:
            '`GET /api/contacts/duplicates` no longer lists the pair, also after one of them was merged ' +
            'with another contact.',
        },
      },
    )
    .delete(
      '/:id/apart/:other_id',
      ({ ctx, params }) => {
        forgetApart(ctx, params.id, params.other_id)
        return ok({ message: 'The two contacts may be proposed as duplicates again.' })
      },
      {
        can: 'contacts:update',
        params: PairParams,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'forgetContactsApart',
          summary: 'Take back that two contacts are not the same person',
          description: 'Fails with 404 if nobody had said so.',
        },
      },
    )
    .get(
      '/duplicates',
      async ({ ctx, query: { page = 1, limit = 20, apart = false } }) =>
        okText(await ctx.reads.text(ListDuplicates, ctx, { page, limit, apart })),
      {
        can: 'contacts:read',
        query: t.Object({
          ...pageQuery(),
          apart: t.Optional(
            t.Boolean({
              description:
                'If `true`, lists only pairs of which somebody said that they are not the same person.',
            }),
          ),
        }),
        response: { 200: Ok(PageOf(DuplicateView)) },
        detail: {
          operationId: 'listDuplicateContacts',
          summary: 'List possible duplicates',
          description:
            'Pairs of contacts that may be the same person, with the reason. They can be merged, or told ' +
            'apart with `PUT /api/contacts/{id}/apart/{other_id}`.',
        },
      },
    )
