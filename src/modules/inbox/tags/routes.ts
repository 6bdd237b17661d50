import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import type { Ctx } from '../../../infra/ctx'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import { NewTag, TagChanges, TagView } from './model'
import { createTag, updateTag } from './service'
import { listTags, tagCollection, tagView } from './queries'

const TagsQuery = t.Object({
  ...pageQuery(50),
  search: t.Optional(t.String({ minLength: 1, maxLength: 100, description: 'Part of the name.' })),
})

/**
 * Routes for tags. The route that deletes a tag is part of `contacts`, because it removes the tag
 * from contacts.
 */
export const tagRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/tags', tags: ['Tags'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 50, search } }) =>
        ok(listTags(ctx, { page, limit, search })),
      {
        can: 'tags:read',
        query: TagsQuery,
        response: { 200: Ok(PageOf(TagView)) },
        detail: {
          operationId: 'listTags',
          summary: 'List tags',
          description: 'By name, with the number of contacts that have them.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createTag(ctx, body))), {
      can: 'tags:create',
      refuses: ['409 name_taken'],
      body: NewTag,
      response: { 201: Ok(TagView) },
      detail: {
        operationId: 'createTag',
        summary: 'Create a tag',
        description: 'Fails with 409 `name_taken` if another tag differs only in case.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(tagView(ctx, tagCollection.get(ctx, params.id))), {
      can: 'tags:read',
      params: IdParam,
      response: { 200: Ok(TagView) },
      detail: {
        operationId: 'getTag',
        summary: 'Get a tag',
        description: 'With the number of contacts that have it.',
      },
    })
    .put('/:id', ({ ctx, params, body }) => ok(updateTag(ctx, params.id, body)), {
      unlessChanged: (ctx: Ctx, id: string) => tagView(ctx, tagCollection.get(ctx, id)),
      can: 'tags:update',
      refuses: ['409 name_taken'],
      params: IdParam,
      body: TagChanges,
      response: { 200: Ok(TagView) },
      detail: {
        operationId: 'updateTag',
        summary: 'Rename or recolor a tag',
        description: 'The contacts that have it keep it.',
      },
    })
