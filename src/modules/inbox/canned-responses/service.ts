import { asc, desc, sql } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import type { Page } from '../../../lib/page'
import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { given, of } from '../../../infra/scoped'
import { holdsText } from '../../../infra/search-keys'
import { keepMediaIn, releaseMediaIn } from '../../channel/media/store'
import { collection } from '../../organization/audit/collection'
import { contactView, nameOf } from '../contacts/view'
import { getVisibleContact, masksNumbers } from '../contacts/sight/visibility'
import type {
  CannedResponseChanges,
  CannedResponseView,
  NewCannedResponse,
  RenderedResponse,
} from './model'
import { cannedResponses } from './table'
import { columnsOf } from './columns'

type CannedRow = typeof cannedResponses.$inferSelect

const cannedResponseView = (row: CannedRow): CannedResponseView => ({
  id: row.id,
  name: row.name,
  shortcut: row.shortcut,
  content: row.content,
  category: row.category,
  is_active: row.isActive,
  usage_count: row.usageCount,
  buttons: row.buttons,
  media_id: row.mediaId,
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})

const canned = collection({
  table: cannedResponses,
  name: 'Canned response',
  resourceType: 'canned_response',
  recorded: cannedResponseView,
})

/** Throws NotFoundError. */
export const getCannedResponse = (ctx: Ctx, id: string): CannedResponseView =>
  cannedResponseView(canned.get(ctx, id))

/** Returns a page of canned responses, most used first. */
export function listCannedResponses(
  ctx: Ctx,
  query: {
    page: number
    limit: number
    search?: string | undefined
    category?: string | undefined
    activeOnly?: boolean | undefined
  },
): Page<CannedResponseView> & { canned_responses: CannedResponseView[] } {
  const { search, category, activeOnly = false } = query
  const page = of(ctx, cannedResponses).page(query, {
    where: [
      given({ category, isActive: activeOnly || undefined }),
      search === undefined ? undefined : holdsText(cannedResponses.words, search),
    ],
    order: [desc(cannedResponses.usageCount), asc(cannedResponses.nameKey)],
    views: (rows) => rows.map(cannedResponseView),
  })
  return { ...page, canned_responses: page.items }
}

/** Throws InvalidError, ConflictError `name_taken` and `shortcut_taken`. */
export const createCannedResponse = (ctx: Ctx, input: NewCannedResponse): CannedResponseView =>
  transact(ctx.db, (tx) => createCannedResponseIn(tx, ctx, input))

/** The same inside the caller's transaction. */
export function createCannedResponseIn(
  tx: Tx,
  ctx: Ctx,
  input: NewCannedResponse,
): CannedResponseView {
  const { userId: createdBy } = ctx.actor
  const row = canned.addIn(tx, ctx, { ...columnsOf(ctx, input, null), createdBy })
  keepFileIn(tx, ctx, null, row)
  return cannedResponseView(row)
}

/** Throws NotFoundError and the errors of {@link createCannedResponse}. */
export function updateCannedResponse(
  ctx: Ctx,
  id: string,
  changes: CannedResponseChanges,
): CannedResponseView {
  return transact(ctx.db, (tx) => {
    const before = canned.get(ctx, id)
    const row = canned.changeIn(tx, ctx, before, columnsOf(ctx, changes, before))
    keepFileIn(tx, ctx, before, row)
    return cannedResponseView(row)
  })
}

/** Throws NotFoundError. */
export const deleteCannedResponse = (ctx: Ctx, id: string): void =>
  transact(ctx.db, (tx) => deleteCannedResponseIn(tx, ctx, id))

/** The same inside the caller's transaction. */
export function deleteCannedResponseIn(tx: Tx, ctx: Ctx, id: string): void {
  const row = canned.get(ctx, id)
  canned.deleteIn(tx, ctx, row)
  keepFileIn(tx, ctx, row, null)
}

/** Keeps the file of a response, and releases the one it had before unless that is used elsewhere. */
function keepFileIn(tx: Tx, ctx: Ctx, before: CannedRow | null, row: CannedRow | null): void {
  if (row?.mediaId) keepMediaIn(tx, ctx, [row.mediaId])
  if (before?.mediaId && before.mediaId !== row?.mediaId) releaseMediaIn(tx, ctx, before.mediaId)
}

/** Counts a use, which moves the response up in the list. Throws NotFoundError. */
export function useCannedResponse(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    canned.get(ctx, id)
    const usageCount = sql`${cannedResponses.usageCount} + 1`
    of(ctx, cannedResponses).update(tx, { id }, { usageCount })
  })
}

const PLACEHOLDER = /\{\{\s*(contact_name|phone_number|agent_name)\s*\}\}/g

/**
 * Returns a canned response with its placeholders replaced for a contact. Phone numbers are masked
 * as for the caller. Throws NotFoundError.
 */
export function renderCannedResponse(ctx: Ctx, id: string, contactId: string): RenderedResponse {
  const { content, buttons } = canned.get(ctx, id)
  const found = getVisibleContact(ctx, contactId)
  const isMasked = masksNumbers(ctx)
  const contact = contactView(found, { isMasked, assignee: null })
  const words: Record<string, string> = {
    contact_name: nameOf(found, isMasked) ?? '',
    phone_number: contact.phone_number ?? '',
    agent_name: ctx.actor.userName ?? '',
  }
  const fill = (text: string): string =>
    text.replace(PLACEHOLDER, (_all, name: string) => words[name] ?? '')
  return {
    content: fill(content),
    buttons: buttons.map((button) => ({ ...button, title: fill(button.title) })),
  }
}
