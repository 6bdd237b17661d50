import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../http/pagination'
import { JobView } from '../../infra/jobs/view'
import { EraseRequest, PrivacyExportRequest, PrivacyRequestView } from '../privacy/model'
import { requestPrivacyExport } from '../privacy/request-export'
import { requestBulkChange } from './bulk/request'
import { deleteContact, eraseOnRequest } from './delete'
import { listDuplicates } from './duplicates'
import { mergeContacts, undoMerge } from './merge'
import { BulkRequest, DuplicateView, Merged, MergeRequest, Unmerged } from './model'

const DeletionQuery = t.Object({
  purge: t.Optional(
    t.Boolean({ description: 'Erase it for good, with its messages, files, notes and ids.' }),
  ),
})

/**
 * What is done to whole contacts: deleting and erasing, making one of two, changing many at once.
 */
export const contactRecordRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/contacts', tags: ['Contacts'] })
    .use(guard(http))
    .delete(
      '/:id',
      ({ ctx, params, query: { purge = false } }) => {
        deleteContact(ctx, params.id, purge)
        return ok({
          message: purge
            ? 'The contact is erased.'
            : 'The contact is deleted. It comes back with its history when it writes again.',
        })
      },
      {
        can: 'contacts:delete',
        refuses: ['409 campaign_running', '409 request_open', '409 legal_hold'],
        params: IdParam,
        query: DeletionQuery,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteContact',
          summary: 'Delete or erase a contact',
          description:
            'A deleted contact comes back with its history; an erased one does not. Files are removed either way.',
        },
      },
    )
    .post(
      '/:id/merge',
      ({ ctx, params, body }) => ok(mergeContacts(ctx, params.id, body.source_id)),
      {
        can: 'contacts:update',
        params: IdParam,
        body: MergeRequest,
        response: { 200: Ok(Merged) },
        detail: {
          operationId: 'mergeContacts',
          summary: 'Make one contact of two',
          description:
            'Conversations, messages, notes, tags, consents and ids of the source go to the contact in the path, which keeps its name. Can be undone for 30 days.',
        },
      },
    )
    .post('/merges/:id/undo', ({ ctx, params }) => ok(undoMerge(ctx, params.id)), {
      can: 'contacts:update',
      refuses: ['409 already_undone', '409 too_late'],
      params: IdParam,
      response: { 200: Ok(Unmerged) },
      detail: {
        operationId: 'undoContactMerge',
        summary: 'Make two contacts of one again',
        description:
          'What was changed since stays with the one that survived. 409 `already_undone`, `too_late` after 30 days.',
      },
    })
    .get(
      '/duplicates',
      async ({ ctx, query: { page = 1, limit = 20 } }) =>
        ok(await listDuplicates(ctx, { page, limit })),
      {
        can: 'contacts:read',
        query: t.Object(pageQuery()),
        response: { 200: Ok(PageOf(DuplicateView)) },
        detail: {
          operationId: 'listDuplicateContacts',
          summary: 'Contacts that may be one person',
        },
      },
    )
    .post('/bulk', ({ ctx, body, status }) => status(201, ok(requestBulkChange(ctx, body))), {
      canBulk: 'contacts:update',
      refuses: ['400 not_a_member', '400 unknown_tag'],
      body: BulkRequest,
      response: { 201: Ok(JobView) },
      detail: {
        operationId: 'bulkUpdateContacts',
        summary: 'Change many contacts',
        description:
          'A job does it, to those of them the caller sees; `contact:bulk` tells when it is done. 403 for delete without contacts:delete and assign without transfers:assign.',
      },
    })

/** The requests that a person may make about itself: to be erased, and to get what is kept. */
export const personalRequestRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/contacts', tags: ['Privacy'] })
    .use(guard(http))
    .post(
      '/:id/erase',
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
      '/:id/privacy-export',
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
