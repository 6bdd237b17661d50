import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../../http/pagination'
import { NewNote, NoteChanges, NoteView } from './model'
import { createNote, deleteNote, listNotes, updateNote } from './service'

const NoteParams = t.Object({
  id: t.String({ format: 'uuid' }),
  note_id: t.String({ format: 'uuid' }),
})
const NoteQuery = t.Object({
  ...pageQuery(30),
  before: t.Optional(
    t.String({ format: 'uuid', description: 'ID of a note. Only older notes are returned.' }),
  ),
})
const NotePage = Type.Composite([PageOf(NoteView), Type.Object({ has_more: Type.Boolean() })], {
  title: 'NoteList',
})

/** Routes for the internal notes about a contact. */
export const noteRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/contacts', tags: ['Notes'] })
    .use(guard(http))
    .get(
      '/:id/notes',
      ({ ctx, params, query: { page = 1, limit = 30, before } }) =>
        ok(listNotes(ctx, params.id, { page, limit, before })),
      {
        can: 'messages:read',
        params: IdParam,
        query: NoteQuery,
        response: { 200: Ok(NotePage) },
        detail: {
          operationId: 'listContactNotes',
          summary: 'List notes',
          description:
            'Page 1 holds the most recent notes; items within a page are in chronological order.',
        },
      },
    )
    .post(
      '/:id/notes',
      ({ ctx, params, body, status }) => status(201, ok(createNote(ctx, params.id, body))),
      {
        can: 'messages:create',
        params: IdParam,
        body: NewNote,
        response: { 201: Ok(NoteView) },
        detail: {
          operationId: 'createContactNote',
          summary: 'Create a note',
          description: 'Notes are never shown to the customer. Mentioned members are notified.',
        },
      },
    )
    .put(
      '/:id/notes/:note_id',
      ({ ctx, params, body }) =>
        ok(updateNote(ctx, { contactId: params.id, noteId: params.note_id }, body)),
      {
        can: 'messages:create',
        refuses: ['403 not_the_author'],
        params: NoteParams,
        body: NoteChanges,
        response: { 200: Ok(NoteView) },
        detail: {
          operationId: 'updateContactNote',
          summary: 'Update a note',
          description: 'Only the author can edit a note.',
        },
      },
    )
    .delete(
      '/:id/notes/:note_id',
      ({ ctx, params }) => {
        deleteNote(ctx, { contactId: params.id, noteId: params.note_id })
        return ok({ message: 'The note is deleted.' })
      },
      {
        can: 'messages:create',
        refuses: ['403 not_the_author'],
        params: NoteParams,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteContactNote',
          summary: 'Delete a note',
          description: 'Only the author, or a user with `contacts:delete`, can delete a note.',
        },
      },
    )
