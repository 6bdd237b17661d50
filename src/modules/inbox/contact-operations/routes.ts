import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam } from '../../../http/pagination'
import { JobView } from '../../../infra/jobs/view'
import { EraseRequest, PrivacyExportRequest, PrivacyRequestView } from '../../data/privacy/model'
import { requestPrivacyExport } from '../../data/privacy/request-export'
import { requestBulkChange } from './bulk/request'
import { deleteContact, eraseOnRequest } from './delete'
import { mergeContacts, undoMerge } from './merge'
import { BulkRequest, Merged, MergeRequest, Unmerged } from './model'

const DeletionQuery = t.Object({
  purge: t.Optional(
    t.Boolean({
      description:
        'If `true`, erases the contact permanently with its messages, files, notes and ' +
        'identities.',
    }),
  ),
})

/** Routes that delete, erase, merge and bulk-change contacts. */
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
            : 'The contact is deleted. It is restored with its history if it writes again.',
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
            'A deleted contact is restored with its history if it writes again; an erased contact ' +
            'is not. Media files are deleted in both cases.',
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
          summary: 'Merge contacts',
          description:
            'Moves conversations, messages, notes, tags, consents and identities from `source_id` ' +
            'to the contact in the path, which keeps its name. Can be undone within 30 days.',
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
        summary: 'Undo a merge',
        description:
          'Separates the two contacts again. Changes made since the merge stay with the ' +
          'remaining contact. Fails with 409 `already_undone`, or `too_late` after 30 days.',
      },
    })
    .post(
      '/bulk',
      async ({ ctx, body, status }) => status(201, ok(await requestBulkChange(ctx, body))),
      {
        can: { permission: 'contacts:update', bulk: true },
        refuses: [
          '400 not_a_member',
          '400 segment_too_expensive',
          '400 unknown_tag',
          '409 count_changed',
        ],
        body: BulkRequest,
        response: { 201: Ok(JobView) },
        detail: {
          operationId: 'bulkUpdateContacts',
          summary: 'Update contacts in bulk',
          description:
            'Changes the contacts the caller can see, in the background; a `contact:bulk` event ' +
            'follows when it is done. `delete` also requires `contacts:delete`, `assign` requires ' +
            '`transfers:assign`.',
        },
      },
    )

/** Routes for a person's privacy requests: erasure and data export. */
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
          summary: 'Erase a contact',
          description:
            'Permanently erases the contact with its messages, files, notes, reactions and unsent ' +
            'messages, and its data in stored webhook deliveries, the event log, responses stored ' +
            'for an `Idempotency-Key`, earlier privacy archives, exports, import dry runs and ' +
            'reasons of privacy requests. Saved views that search for the person and find nobody ' +
            'else are deleted, and such searches go from exports. Counters remain. Runs in the ' +
            'background; the returned request is the receipt and counts the erased items by place. ' +
            'It is completed when the data is gone from every file of the data directory. A keyed ' +
            'hash of the number is kept so that imports cannot recreate the contact.',
        },
      },
    )
    .post(
      '/:id/privacy-export',
      ({ ctx, params, body, status }) =>
        status(201, ok(requestPrivacyExport(ctx, params.id, body.reason ?? null))),
      {
        can: 'contacts:export',
        refuses: ['409 request_open'],
        params: IdParam,
        body: PrivacyExportRequest,
        response: { 201: Ok(PrivacyRequestView) },
        detail: {
          operationId: 'createPrivacyExport',
          summary: "Export a contact's data",
          description:
            'Creates a ZIP file with everything stored about the contact: about.json, contact.json ' +
            '(identities, consents, tags, contacts merged into it), messages.jsonl (with statuses ' +
            'and files), events.jsonl (event log), deliveries.jsonl (the parts of webhook ' +
            'deliveries that concern this contact: received_at, field, phone_number_id, parts with ' +
            'place and value), files/, and a JSON file for each other kind of record, such as ' +
            'notes.json, calls.json, campaigns.json and merges.json. Copies and what only the ' +
            'server needs are left out. If the server no longer has a file, missing-files.json ' +
            'lists it. All times are in ISO 8601. ' +
            'One export per organization and two per server are written at a time. Fails with 403 ' +
            'if phone numbers are masked for the caller.',
        },
      },
    )
