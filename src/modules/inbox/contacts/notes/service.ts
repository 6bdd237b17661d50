import { and, count, desc, eq, inArray } from 'drizzle-orm'

import { fieldSentence, ForbiddenError, InvalidError, NotFoundError } from '../../../../lib/errors'
import { throwProblems } from '../../../../lib/input-problems'
import { numberedPage, type Page } from '../../../../lib/page'
import { hasPermission, inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { of } from '../../../../infra/scoped'
import { afterKey } from '../../../../infra/keyset-pagination'
import { emit } from '../../../../infra/outbox/events'
import { recordPersonalDataChange } from '../../../organization/audit/record'
import { getVisibleContact } from '../sight/visibility'
import { notifyIn } from '../../../organization/notifications/service'
import { memberships } from '../../../organization/memberships/table'
import { NoteChanged } from './events'
import type { NewNote, NoteChanges, NoteView } from './model'
import { notes } from './table'
import { noteView } from './view'
import { noticeText } from '../../../organization/notifications/catalog'

/** A row of the notes table. */
type NoteRow = typeof notes.$inferSelect

/** A page of notes, oldest first within the page. `has_more` reports whether older notes exist. */
export type NotePage = Page<NoteView> & { has_more: boolean }

/**
 * Returns the notes about a contact. Page 1 holds the newest; `before` selects notes older than the
 * given one. Throws NotFoundError and InvalidError.
 */
export function listNotes(
  ctx: Ctx,
  contactId: string,
  query: { page: number; limit: number; before?: string | undefined },
): NotePage {
  getVisibleContact(ctx, contactId)
  const filter = inOrganization(ctx, notes, eq(notes.contactId, contactId))
  const key = { value: notes.createdAtMs, id: notes.id }
  const position = query.before === undefined ? null : positionOf(ctx, contactId, query.before)
  const rows = ctx.db.orm
    .select()
    .from(notes)
    .where(and(filter, position === null ? undefined : afterKey(key, position, 'desc')))
    .orderBy(desc(key.value), desc(key.id))
    .limit(query.limit + 1)
    .offset(position === null ? (query.page - 1) * query.limit : 0)
    .all()
  const has_more = rows.length > query.limit
  const items = rows.slice(0, query.limit).toReversed().map(noteView)
  if (position !== null)
    return { items, total: null, page: null, limit: query.limit, total_pages: null, has_more }
  const total = ctx.db.orm.select({ rows: count() }).from(notes).where(filter).get()?.rows ?? 0
  return { ...numberedPage(items, total, query), has_more }
}

function positionOf(ctx: Ctx, contactId: string, id: string): { value: number; id: string } {
  const row = ctx.db.orm
    .select({ value: notes.createdAtMs, id: notes.id })
    .from(notes)
    .where(inOrganization(ctx, notes, and(eq(notes.id, id), eq(notes.contactId, contactId))))
    .get()
  if (row) return row
  const problem = { path: 'query.before', message: 'is not a note of this contact' }
  throw new InvalidError(fieldSentence(problem.path, problem.message), {
    code: 'invalid_input',
    errors: [problem],
  })
}

/**
 * Creates a note about a contact and notifies the mentioned members. Throws NotFoundError and
 * InvalidError.
 */
export function createNote(ctx: Ctx, contactId: string, input: NewNote): NoteView {
  return transact(ctx.db, (tx) => {
    getVisibleContact(ctx, contactId)
    return createNoteIn(tx, ctx, contactId, input)
  })
}

/**
 * Creates a note in the caller's transaction. Does not check visibility. Throws InvalidError.
 *
 * @public
 */
export function createNoteIn(tx: Tx, ctx: Ctx, contactId: string, input: NewNote): NoteView {
  const content = contentOf(input.content)
  const mentions = [...new Set(input.mentions ?? [])]
  requireMembers(tx, ctx, mentions)
  const nowMs = ctx.clock.nowMs()
  const row = tx
    .insert(notes)
    .values({
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      contactId,
      content,
      mentions: JSON.stringify(mentions),
      isPinned: input.pinned ?? false,
      createdBy: ctx.actor.userId,
      createdByName: ctx.actor.userName,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    .returning()
    .get()
  for (const userId of mentions.filter((id) => id !== ctx.actor.userId))
    notifyIn(tx, ctx, {
      userId,
      kind: 'mention',
      severity: 'info',
      title: `${ctx.actor.userName ?? 'Someone'} mentioned you`,
      text: noticeText('mention', ctx.actor.userName === null ? {} : { by: ctx.actor.userName }),
      body: 'You were mentioned in a note on a contact.',
      link: `/contacts/${contactId}`,
    })
  publishIn(tx, ctx, row, 'created')
  return noteView(row)
}

/**
 * Stores a note that another product had, with its time and its author's name, and tells nobody. Runs
 * inside the caller's transaction. Returns its ID. Throws InvalidError if it is blank.
 */
export function storePastNoteIn(
  tx: Tx,
  ctx: Ctx,
  past: { contactId: string; content: string; author: string | null; atMs: number },
): string {
  const { contactId, author: createdByName, atMs } = past
  const id = ctx.ids.next()
  of(ctx, notes).insert(tx, {
    ...{ id, contactId, createdByName, content: contentOf(past.content) },
    ...{ createdAtMs: atMs, updatedAtMs: atMs },
  })
  return id
}

/** Removes such a note unless somebody changed it. Runs inside the caller's transaction. */
export function removePastNoteIn(tx: Tx, ctx: Ctx, id: string): boolean {
  const row = of(ctx, notes).find({ id })
  if (row && (row.updatedAtMs !== row.createdAtMs || row.isPinned)) return false
  of(ctx, notes).delete(tx, { id })
  return true
}

function contentOf(written: string): string {
  const content = written.replaceAll('\0', '').toWellFormed()
  if (content.trim() !== '') return content
  const problem = { path: 'body.content', message: 'must not be blank' }
  throw new InvalidError(fieldSentence(problem.path, problem.message), {
    code: 'invalid_input',
    errors: [problem],
  })
}

function requireMembers(tx: Tx, ctx: Ctx, userIds: string[]): void {
  if (userIds.length === 0) return
  const known = tx
    .select({ userId: memberships.userId })
    .from(memberships)
    .where(
      inOrganization(
        ctx,
        memberships,
        and(inArray(memberships.userId, userIds), eq(memberships.isActive, true)),
      ),
    )
    .all()
  const errors = userIds.flatMap((id, index) =>
    known.some(({ userId }) => userId === id)
      ? []
      : [{ path: `body.mentions.${index}`, message: 'is not an active member' }],
  )
  throwProblems(errors)
}

/** Updates a note of the caller. Throws NotFoundError, and ForbiddenError `not_the_author`. */
export function updateNote(
  ctx: Ctx,
  at: { contactId: string; noteId: string },
  changes: NoteChanges,
): NoteView {
  return transact(ctx.db, (tx) => {
    const before = noteOf(ctx, at)
    if (before.createdBy !== ctx.actor.userId)
      throw new ForbiddenError('Only the author can edit a note.', { code: 'not_the_author' })
    const row = tx
      .update(notes)
      .set({
        ...(changes.content === undefined ? {} : { content: contentOf(changes.content) }),
        ...(changes.pinned === undefined ? {} : { isPinned: changes.pinned }),
        updatedAtMs: ctx.clock.nowMs(),
      })
      .where(inOrganization(ctx, notes, eq(notes.id, before.id)))
      .returning()
      .get()
    publishIn(tx, ctx, row, 'updated')
    return noteView(row)
  })
}

/**
 * Deletes a note: the caller's own, or any note with `contacts:delete`. Throws NotFoundError, and
 * ForbiddenError `not_the_author`.
 */
export function deleteNote(ctx: Ctx, at: { contactId: string; noteId: string }): void {
  transact(ctx.db, (tx) => {
    const row = noteOf(ctx, at)
    if (row.createdBy !== ctx.actor.userId && !hasPermission(ctx.actor, 'contacts:delete'))
      throw new ForbiddenError(
        'Only the author, or a user with the permission `contacts:delete`, can delete a note.',
        {
          code: 'not_the_author',
        },
      )
    tx.delete(notes)
      .where(inOrganization(ctx, notes, eq(notes.id, row.id)))
      .run()
    publishIn(tx, ctx, row, 'deleted')
  })
}

function noteOf(ctx: Ctx, { contactId, noteId }: { contactId: string; noteId: string }): NoteRow {
  getVisibleContact(ctx, contactId)
  const row = ctx.db.orm
    .select()
    .from(notes)
    .where(inOrganization(ctx, notes, and(eq(notes.id, noteId), eq(notes.contactId, contactId))))
    .get()
  if (!row) throw new NotFoundError('Note')
  return row
}

/** Publishes and audits that a note was created, updated or deleted. */
function publishIn(
  tx: Tx,
  ctx: Ctx,
  { id, contactId }: NoteRow,
  change: 'created' | 'updated' | 'deleted',
): void {
  emit(tx, ctx, NoteChanged, { contactId, payload: { noteId: id, contactId, change } })
  recordPersonalDataChange(tx, ctx, { action: change, resourceType: 'note', resourceId: id })
}
