import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { fileResponse, fileResponses } from '../../../http/file-response'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import { oneOf } from '../../../lib/fields'
import { refuseMasked } from './request-export'
import { privacyRequestView, PrivacyRequestView } from './model'
import { fileOfRequest, getRequest, listRequests } from './requests'

/** Routes that list privacy requests and download exports. */
export const privacyRoutes = (http: Http) =>
  new Elysia({ tags: ['Privacy'] })
    .use(guard(http))
    .get(
      '/api/privacy/requests',
      ({ ctx, query: { page = 1, limit = 20, kind, state, contact_id: contactId } }) =>
        ok(listRequests(ctx, { page, limit, kind, state, contactId })),
      {
        can: 'contacts:export',
        query: t.Object({
          ...pageQuery(),
          contact_id: t.Optional(t.String({ format: 'uuid' })),
          kind: t.Optional(oneOf(['erase', 'export'])),
          state: t.Optional(oneOf(['running', 'completed', 'failed', 'expired'])),
        }),
        response: { 200: Ok(PageOf(PrivacyRequestView)) },
        detail: {
          operationId: 'listPrivacyRequests',
          summary: 'List privacy requests',
          description: 'Requests of customers for their data or its erasure. Most recent first.',
        },
      },
    )
    .get(
      '/api/privacy/requests/:id',
      ({ ctx, params }) => ok(privacyRequestView(getRequest(ctx, params.id))),
      {
        can: 'contacts:export',
        params: IdParam,
        response: { 200: Ok(PrivacyRequestView) },
        detail: {
          operationId: 'getPrivacyRequest',
          summary: 'Get a privacy request',
          description: 'What was asked for, its state, and the receipt once it is completed.',
        },
      },
    )
    .get(
      '/api/privacy/requests/:id/download',
      async ({ ctx, params, request }) => {
        const file = await fileOfRequest(ctx, params.id)
        refuseMasked(ctx)
        return fileResponse(request, { ...file, mimeType: 'application/zip', isInline: false })
      },
      {
        can: 'contacts:export',
        refuses: ['404 expired', '409 unfinished'],
        params: IdParam,
        detail: {
          operationId: 'downloadPrivacyExport',
          summary: 'Download a privacy export',
          description: 'Possible for seven days.',
          responses: fileResponses(['application/zip']),
        },
      },
    )
