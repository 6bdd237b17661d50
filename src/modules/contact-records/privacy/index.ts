import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { fileAnswer, fileResponses } from '../../../http/file-answer'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http'
import { IdParam, oneOf, PageOf, pageQuery } from '../../../http/page'
import { eraseOnRequest } from '../deletion'
import { refuseMasked, requestPrivacyExport } from './exporting'
import { EraseRequest, PrivacyExportRequest, privacyRequestView, PrivacyRequestView } from './model'
import { fileOfRequest, getRequest, listRequests } from './requests'

/** What a person may ask about itself: to be erased, and to get what is kept. */
export const privacyRoutes = (http: Http) =>
  new Elysia({ tags: ['Privacy'] })
    .use(guard(http))
    .post(
      '/api/contacts/:id/erase',
      ({ ctx, params, body, status }) => status(201, ok(eraseOnRequest(ctx, params.id, body))),
      {
        can: 'contacts:delete',
        refuses: [
          '400 confirm_mismatch',
          '409 campaign_running',
          '409 request_open',
          '409 legal_hold',
        ],
        params: IdParam,
        body: EraseRequest,
        response: { 201: Ok(PrivacyRequestView) },
        detail: {
          operationId: 'eraseContact',
          summary: 'Erase a person',
          description:
            'Contact, messages, files, notes, reactions, pending sends, the journal of deliveries, the log of events, answers kept for an Idempotency-Key, earlier privacy archives, exports of contacts and messages, rows of trials of imports, and the reasons of requests; counters stay. Jobs finish it; the request is the receipt and counts what went at each place. It is completed when the bytes are in no file of the data folder any more. A keyed digest of the number stays, so that no import brings the person back.',
        },
      },
    )
    .post(
      '/api/contacts/:id/privacy-export',
      ({ ctx, params, body, status }) =>
        status(201, ok(requestPrivacyExport(ctx, params.id, body?.reason ?? null))),
      {
        can: 'contacts:export',
        refuses: ['409 request_open'],
        params: IdParam,
        body: Type.Union([PrivacyExportRequest, Type.Null()]),
        response: { 201: Ok(PrivacyRequestView) },
        detail: {
          operationId: 'createPrivacyExport',
          summary: 'Write down what is kept about a person',
          description:
            'One file of an organization and two of the whole server are written at a time; the others wait for their turn. A ZIP file with about.json, contact.json (identities, consents, tags), conversations.json, notes.json, reactions.json, revisions.json, campaigns.json (what campaigns had for them), imports.json (rows of reports), messages.jsonl (with statuses and the name of the file), events.jsonl (the log of events), deliveries.jsonl (of each delivery of the platform the parts that name the person and nothing of others: received_at, field, phone_number_id, parts with place and value) and files/. 403 for who sees numbers masked.',
        },
      },
    )
    .get(
      '/api/privacy/requests',
      ({ ctx, query: { page = 1, limit = 20, kind, state } }) =>
        ok(listRequests(ctx, { page, limit, kind, state })),
      {
        can: 'contacts:export',
        query: t.Object({
          ...pageQuery(),
          kind: t.Optional(oneOf(['erase', 'export'])),
          state: t.Optional(oneOf(['running', 'completed', 'failed', 'expired'])),
        }),
        response: { 200: Ok(PageOf(PrivacyRequestView)) },
        detail: {
          operationId: 'listPrivacyRequests',
          summary: 'List requests of people',
          description: 'Newest first.',
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
        detail: { operationId: 'getPrivacyRequest', summary: 'One request with its receipt' },
      },
    )
    .get(
      '/api/privacy/requests/:id/download',
      async ({ ctx, params, request }) => {
        const file = await fileOfRequest(ctx, params.id)
        refuseMasked(ctx)
        return fileAnswer(request, { ...file, mimeType: 'application/zip', isInline: false })
      },
      {
        can: 'contacts:export',
        refuses: ['404 expired', '409 unfinished'],
        params: IdParam,
        detail: {
          operationId: 'downloadPrivacyExport',
          summary: 'Download what is kept about a person',
          description: 'For seven days.',
          responses: fileResponses(['application/zip']),
        },
      },
    )
