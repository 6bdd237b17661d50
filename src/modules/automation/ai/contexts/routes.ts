import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { FilePart } from '../../../../http/multipart'
import { uploadDocument } from '../documents/upload'
import { MAX_BYTES } from '../documents/rules'
import { IdParam, PageOf, pageQuery } from '../../../../http/pagination'
import { createContext } from './create'
import {
  AiContextChanges,
  AiContextItem,
  AiContextView,
  ContextQuestion,
  ContextTestView,
  NewAiContext,
} from './model'
import { getContext, listContexts } from './queries'
import { tryContext } from './try-context'
import { deleteContext, updateContext } from './update'

const ContextQuery = t.Object({
  ...pageQuery(),
  search: t.Optional(t.String({ minLength: 1, maxLength: 255, description: 'Part of the name.' })),
})

const NewDocument = Type.Object(
  { file: FilePart('The document.') },
  { title: 'AiDocumentInput', examples: [{}] },
)

/** Routes to list, create, change and delete AI contexts. */
export const contextRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/chatbot/ai-contexts', tags: ['Chatbot'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, search } }) =>
        ok(listContexts(ctx, { page, limit, search })),
      {
        can: 'chatbot:read',
        query: ContextQuery,
        response: { 200: Ok(PageOf(AiContextItem)) },
        detail: {
          operationId: 'listAiContexts',
          summary: 'List AI contexts',
          description:
            'Lists the knowledge of the AI, highest priority first. `content` longer than 1,000 ' +
            'characters is only returned by `GET /api/chatbot/ai-contexts/{id}`.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createContext(ctx, body))), {
      can: { permission: 'chatbot:create', body: 'large' },
      refuses: ['400 url_refused', '409 name_taken', '409 limit_reached'],
      body: NewAiContext,
      response: { 201: Ok(AiContextView) },
      detail: {
        operationId: 'createAiContext',
        summary: 'Create an AI context',
        description:
          'A `static` context has text, or a document that is uploaded afterwards. An `api` context ' +
          'gets its text from a server. An organization can have 200 contexts with 50 MB of text.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getContext(ctx, params.id)), {
      can: 'chatbot:read',
      params: IdParam,
      response: { 200: Ok(AiContextView) },
      detail: {
        operationId: 'getAiContext',
        summary: 'Get an AI context',
        description: 'With its text, or with the request or the document that it comes from.',
      },
    })
    .put('/:id', async ({ ctx, params, body }) => ok(await updateContext(ctx, params.id, body)), {
      unlessChanged: getContext,
      can: { permission: 'chatbot:update', body: 'large' },
      refuses: ['400 url_refused', '409 name_taken', '409 limit_reached'],
      params: IdParam,
      body: AiContextChanges,
      response: { 200: Ok(AiContextView) },
      detail: {
        operationId: 'updateAiContext',
        summary: 'Change an AI context',
        description: 'Only the fields you send change. A new `content` replaces a document.',
      },
    })
    .delete(
      '/:id',
      async ({ ctx, params }) => {
        await deleteContext(ctx, params.id)
        return ok({ message: 'The context is deleted.' })
      },
      {
        can: 'chatbot:delete',
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteAiContext',
          summary: 'Delete an AI context',
          description: 'Answers of the AI no longer use it. Its document is deleted too.',
        },
      },
    )
    .post(
      '/:id/document',
      async ({ ctx, params, body, status }) =>
        status(202, ok(await uploadDocument(ctx, params.id, body.file))),
      {
        can: { permission: 'chatbot:update', bulk: true, upload: { maxBytes: MAX_BYTES } },
        params: IdParam,
        body: NewDocument,
        response: { 202: Ok(AiContextView) },
        detail: {
          operationId: 'uploadAiContextDocument',
          summary: 'Upload a document for an AI context',
          description:
            'Replaces the text of a `static` context by that of a PDF, DOCX, TXT, Markdown or HTML ' +
            'file of up to 20 MB, 1,000 pages and 2,000,000 characters. It is read in the ' +
            'background: `document.state` is `reading`, then `ready` or `failed` with the reason. ' +
            'The file itself is not kept.',
        },
      },
    )
    .post(
      '/:id/test',
      async ({ ctx, params, body }) => ok(await tryContext(ctx, params.id, body.question)),
      {
        can: 'chatbot:update',
        params: IdParam,
        body: ContextQuestion,
        response: { 200: Ok(ContextTestView) },
        detail: {
          operationId: 'testAiContext',
          summary: 'Test an AI context',
          description:
            'Returns what the context contributes to the answer of a question. An API is called. A ' +
            'source that fails is a 200 with `success: false`.',
        },
      },
    )
