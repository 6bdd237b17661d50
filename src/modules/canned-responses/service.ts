import { asc, desc, eq, sql } from 'drizzle-orm'

import { isoTime } from '../../lib/clock'
import { foldText } from '../../lib/fold-text'
import { NotFoundError, type FieldProblem } from '../../lib/errors'
import type { Page } from '../../lib/page'
import { parsePhone } from '../../lib/phone'
import { throwProblems } from '../../lib/input-problems'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import { readNumbered } from '../../infra/offset-pagination'
import { holdsText, searchKey } from '../../infra/search-keys'
import { requireUnique } from '../../infra/require-unique'
import { differences, recordAudit } from '../audit/record'
import { contactView } from '../contacts/view'
import { getVisibleContact, masksNumbers } from '../contacts/visibility'
import { findVisibleMedia } from '../media/queries'
import { keepMediaIn, releaseMediaIn } from '../media/store'
import type {
  CannedButton,
  CannedResponseChanges,
  CannedResponseView,
  NewCannedResponse,
  RenderedResponse,
} from './model'
import { cannedResponses } from './table'

/** A canned response as its row holds it. */
type CannedRow = typeof cannedResponses.$inferSelect

/** Which canned responses are shown. */
export interface CannedQuery {
  page: number
  limit: number
  search?: string | undefined
  category?: string | undefined
  activeOnly?: boolean | undefined
}

/** The organization's canned responses, the most used first. */
export function listCannedResponses(
  ctx: Ctx,
  query: CannedQuery,
): Page<CannedResponseView> & { canned_responses: CannedResponseView[] } {
  const filter = inOrganization(
    ctx,
    cannedResponses,
    query.category === undefined ? undefined : eq(cannedResponses.category, query.category),
    query.activeOnly === true ? eq(cannedResponses.isActive, true) : undefined,
    query.search === undefined ? undefined : holdsText(cannedResponses.words, query.search),
  )
  const page = readNumbered(ctx, query, {
    table: cannedResponses,
    filter,
    order: [desc(cannedResponses.usageCount), asc(cannedResponses.nameKey)],
    views: (rows) => rows.map(cannedView),
  })
  return { ...page, canned_responses: page.items }
}

/** One canned response. Throws NotFoundError. */
export const getCannedResponse = (ctx: Ctx, id: string): CannedResponseView =>
  cannedView(rowOf(ctx, id))

function rowOf(ctx: Ctx, id: string): CannedRow {
  const row = ctx.db.orm
    .select()
    .from(cannedResponses)
    .where(inOrganization(ctx, cannedResponses, eq(cannedResponses.id, id)))
    .get()
  if (!row) throw new NotFoundError('Canned response')
  return row
}

/** Keeps an answer ready. Throws InvalidError, ConflictError `name_taken` and `shortcut_taken`. */
export function createCannedResponse(ctx: Ctx, input: NewCannedResponse): CannedResponseView {
  return transact(ctx.db, (tx) => {
    const checked = check(ctx, input, null)
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
        words: wordsOf(checked, input),
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
    return cannedView(row)
  })
}

/** Changes a canned response; only what is sent. Throws as creating does, and NotFoundError. */
export function updateCannedResponse(
  ctx: Ctx,
  id: string,
  changes: CannedResponseChanges,
): CannedResponseView {
  return transact(ctx.db, (tx) => {
    const before = rowOf(ctx, id)
    const checked = check(ctx, changes, id)
    const row = tx
      .update(cannedResponses)
      .set({
        words: wordsOf(
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
    const [was, is] = [cannedView(before), cannedView(row)]
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
 * Deletes a canned response; its name is free again, and its file goes unless something else needs
 * it. Throws NotFoundError.
 */
export function deleteCannedResponse(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = rowOf(ctx, id)
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

/** Counts that it was used, for the order of the list. Throws NotFoundError. */
export function useCannedResponse(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    rowOf(ctx, id)
    tx.update(cannedResponses)
      .set({ usageCount: sql`${cannedResponses.usageCount} + 1` })
      .where(inOrganization(ctx, cannedResponses, eq(cannedResponses.id, id)))
      .run()
  })
}

const PLACEHOLDER = /\{\{\s*(contact_name|phone_number|agent_name)\s*\}\}/g

/**
 * Fills a canned response in for a contact: plain replacement, numbers as the caller may see them.
 * Throws NotFoundError.
 */
export function renderCannedResponse(ctx: Ctx, id: string, contactId: string): RenderedResponse {
  const row = rowOf(ctx, id)
  const contact = contactView(getVisibleContact(ctx, contactId), {
    isMasked: masksNumbers(ctx),
    assignee: null,
  })
  const words: Record<string, string> = {
    contact_name: contact.display_name ?? '',
    phone_number: contact.phone_number ?? '',
    agent_name: ctx.actor.userName ?? '',
  }
  const fill = (text: string): string =>
    text.replace(PLACEHOLDER, (_all, name: string) => words[name] ?? '')
  const { buttons } = cannedView(row)
  return {
    content: fill(row.content),
    buttons: buttons.map((button) => ({ ...button, title: fill(button.title) })),
  }
}

type Checked = Pick<CannedResponseChanges, 'name' | 'content' | 'category'> & {
  buttons?: CannedResponseView['buttons']
}

/**
 * What is sent, trimmed and found good. Throws InvalidError that names every field that is not, and
 * ConflictError.
 */
function check(ctx: Ctx, input: CannedResponseChanges, except: string | null): Checked {
  const problems: FieldProblem[] = []
  const text = (field: 'name' | 'content' | 'category'): string | undefined => {
    const written = field === 'content' ? input[field] : input[field]?.trim()
    if (written !== undefined && written.trim() === '')
      problems.push({ path: `body.${field}`, message: 'must not be blank' })
    return written
  }
  const checked = { name: text('name'), content: text('content'), category: text('category') }
  const buttons = input.buttons?.map((button, index) =>
    buttonOf(button, `body.buttons.${index}`, problems),
  )
  const ids = buttons?.map(({ id }) => id) ?? []
  for (const [index, id] of ids.entries())
    if (ids.indexOf(id) < index)
      problems.push({
        path: `body.buttons.${index}.id`,
        message: 'is already the ID of another button',
      })
  if (
    typeof input.media_id === 'string' &&
    findVisibleMedia(ctx, input.media_id)?.state !== 'ready'
  )
    problems.push({ path: 'body.media_id', message: 'is not a file of this organization' })
  throwProblems(problems)
  const unique = { table: cannedResponses, thing: 'canned response', except }
  if (checked.name !== undefined)
    requireUnique(ctx, {
      ...unique,
      field: 'name',
      where: eq(cannedResponses.nameKey, foldText(checked.name)),
    })
  if (typeof input.shortcut === 'string')
    requireUnique(ctx, {
      ...unique,
      field: 'shortcut',
      where: eq(cannedResponses.shortcut, input.shortcut),
    })
  return {
    ...(checked.name === undefined ? {} : { name: checked.name }),
    ...(checked.content === undefined ? {} : { content: checked.content }),
    ...(checked.category === undefined ? {} : { category: checked.category }),
    ...(buttons === undefined ? {} : { buttons }),
  }
}

/** A button with what its type needs and nothing else. */
function buttonOf(
  button: CannedButton,
  path: string,
  problems: FieldProblem[],
): CannedResponseView['buttons'][number] {
  const { id, title, type, url, phone_number, flow_id } = button
  if (
    type === 'url' &&
    !(url && URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol))
  )
    problems.push({
      path: `${path}.url`,
      message: 'must be a URL that begins with http:// or https://',
    })
  const digits = type === 'phone' && phone_number ? parsePhone(phone_number) : null
  if (type === 'phone' && digits === null)
    problems.push({ path: `${path}.phone_number`, message: 'must be a phone number' })
  if (type === 'flow' && !flow_id)
    problems.push({ path: `${path}.flow_id`, message: 'is required' })
  return {
    id,
    title,
    type,
    url: type === 'url' ? (url ?? null) : null,
    phone_number: digits,
    flow_id: type === 'flow' ? (flow_id ?? null) : null,
  }
}

/** What a canned response is found by: name, text and shortcut. */
const wordsOf = (
  { name, content }: Pick<Checked, 'name' | 'content'>,
  { shortcut = null }: { shortcut?: string | null | undefined },
): string => searchKey(name ?? null, content ?? null, shortcut)

const cannedView = (row: CannedRow): CannedResponseView => ({
  id: row.id,
  name: row.name,
  shortcut: row.shortcut,
  content: row.content,
  category: row.category,
  is_active: row.isActive,
  usage_count: row.usageCount,
  buttons: JSON.parse(row.buttons) as CannedResponseView['buttons'],
  media_id: row.mediaId,
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})
