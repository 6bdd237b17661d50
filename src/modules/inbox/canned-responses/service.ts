import { eq, sql } from 'drizzle-orm'

import { foldText } from '../../../lib/fold-text'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { searchKey } from '../../../infra/search-keys'
import { differences, recordAudit } from '../../organization/audit/record'
import { keepMediaIn, releaseMediaIn } from '../../channel/media/store'
import type { CannedResponseChanges, CannedResponseView, NewCannedResponse } from './model'
import { cannedResponseView, getCannedResponseRow } from './queries'
import { cannedResponses } from './table'
import { validateInput, type ValidInput } from './validate'

/**
 * Creates a canned response. Throws InvalidError, ConflictError `name_taken` and `shortcut_taken`.
 */
export function createCannedResponse(ctx: Ctx, input: NewCannedResponse): CannedResponseView {
  return transact(ctx.db, (tx) => {
    const checked = validateInput(ctx, input, null)
    const nowMs = ctx.clock.nowMs()
    const row = tx
      .insert(cannedResponses)
      .values({
        organizationId: ctx.organizationId,
        id: ctx.ids.next(),
        name: checked.name ?? '',
        nameKey: foldText(checked.name ?? ''),
        content: checked.content ?? '',
        shortcut: input.shortcut ?? null,
        words: searchTextOf(checked, input),
        category: checked.category ?? 'general',
        isActive: input.is_active ?? true,
        buttons: JSON.stringify(checked.buttons ?? []),
        mediaId: input.media_id ?? null,
        createdBy: ctx.actor.userId,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      })
      .returning()
      .get()
    if (row.mediaId !== null) keepMediaIn(tx, ctx, [row.mediaId])
    recordAudit(tx, ctx, {
      action: 'created',
      resourceType: 'canned_response',
      resourceId: row.id,
      resourceName: row.name,
    })
    return cannedResponseView(row)
  })
}

/**
 * Changes the given fields of a canned response. Throws NotFoundError and the errors of {@link
 * createCannedResponse}.
 */
export function updateCannedResponse(
  ctx: Ctx,
  id: string,
  changes: CannedResponseChanges,
): CannedResponseView {
  return transact(ctx.db, (tx) => {
    const before = getCannedResponseRow(ctx, id)
    const checked = validateInput(ctx, changes, id)
    const row = tx
      .update(cannedResponses)
      .set({
        words: searchTextOf(
          { ...before, ...checked },
          changes.shortcut === undefined ? before : changes,
        ),
        ...(checked.name === undefined
          ? {}
          : { name: checked.name, nameKey: foldText(checked.name) }),
        ...(checked.content === undefined ? {} : { content: checked.content }),
        ...(changes.shortcut === undefined ? {} : { shortcut: changes.shortcut }),
        ...(checked.category === undefined ? {} : { category: checked.category }),
        ...(changes.is_active === undefined ? {} : { isActive: changes.is_active }),
        ...(checked.buttons === undefined ? {} : { buttons: JSON.stringify(checked.buttons) }),
        ...(changes.media_id === undefined ? {} : { mediaId: changes.media_id }),
        updatedAtMs: ctx.clock.nowMs(),
      })
      .where(inOrganization(ctx, cannedResponses, eq(cannedResponses.id, id)))
      .returning()
      .get()
    if (row.mediaId !== null) keepMediaIn(tx, ctx, [row.mediaId])
    if (before.mediaId !== null && before.mediaId !== row.mediaId)
      releaseMediaIn(tx, ctx, before.mediaId)
    const [was, is] = [cannedResponseView(before), cannedResponseView(row)]
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'canned_response',
      resourceId: id,
      resourceName: row.name,
      changes: differences({ ...was }, { ...is }),
    })
    return is
  })
}

/**
 * Deletes a canned response, and its file unless the file is used elsewhere. Throws NotFoundError.
 */
export function deleteCannedResponse(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = getCannedResponseRow(ctx, id)
    tx.delete(cannedResponses)
      .where(inOrganization(ctx, cannedResponses, eq(cannedResponses.id, id)))
      .run()
    if (row.mediaId !== null) releaseMediaIn(tx, ctx, row.mediaId)
    recordAudit(tx, ctx, {
      action: 'deleted',
      resourceType: 'canned_response',
      resourceId: id,
      resourceName: row.name,
    })
  })
}

/** Counts a use, which moves the response up in the list. Throws NotFoundError. */
export function useCannedResponse(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    getCannedResponseRow(ctx, id)
    tx.update(cannedResponses)
      .set({ usageCount: sql`${cannedResponses.usageCount} + 1` })
      .where(inOrganization(ctx, cannedResponses, eq(cannedResponses.id, id)))
      .run()
  })
}

/** Returns the search text: name, content and shortcut. */
const searchTextOf = (
  { name, content }: Pick<ValidInput, 'name' | 'content'>,
  { shortcut = null }: { shortcut?: string | null | undefined },
): string => searchKey(name ?? null, content ?? null, shortcut)
