import { asc, eq, gt, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import { acrossOrganizations, systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { of } from '../../../infra/scoped'
import { deleteCannedResponseIn } from '../../inbox/canned-responses/service'
import { cannedResponses } from '../../inbox/canned-responses/table'
import { revertImportIn } from '../../inbox/contacts/imports/apply'
import type { ContactUndo } from '../../inbox/contacts/imports/imported-contact'
import { removePastNoteIn } from '../../inbox/contacts/notes/service'
import { removePastConversationIn } from '../../inbox/conversations/service'
import { removePastMessagesIn } from '../../inbox/messages/past/remove'
import { deleteTagIn } from '../../inbox/tags/service'
import { tags } from '../../inbox/tags/table'
import { stateOf } from '../../organization/members/invitations/queries'
import { revokeIn } from '../../organization/members/invitations/revoke'
import { invitations } from '../../organization/members/table'
import { requireWritable } from '../../organization/organizations/service'
import type { ProductItem } from './items'
import { ProductImportError, type ProductThing } from './model'
import type { ProductImportRow } from './run'
import { KINDS, productImportItems, productImports } from './table'

/** How long after its last run an import can be undone. */
export const UNDO_DAYS = 7

/** Things undone in one transaction. */
const BATCH = 100

/** How often messages are gone through: one that another quotes goes after that one. */
const MAX_ROUNDS = 5

/** How many things of a kind were removed, and how many stay because they were changed or used. */
export type Undone = { kind: ProductThing; removed: number; kept: number }

/**
 * Removes exactly what an import brought, except what was changed or used since, and ends it. One that
 * was stopped goes on. Throws NotFoundError, and ProductImportError if it is too late.
 */
export function undoImport(deps: Deps, id: string, onProgress: (done: number) => void): Undone[] {
  const row = importOf(deps, id)
  const ctx = systemCtx(deps, row.organizationId)
  requireUndoable(ctx, row)
  transact(ctx.db, (tx) => {
    requireWritable(ctx, ctx.organizationId)
    of(ctx, productImports).update(tx, { id }, { state: 'undoing' })
  })
  let done = 0
  const undone = KINDS.toReversed().map((kind): Undone => {
    let removed = 0
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const now = undoKind(ctx, row, kind, (count) => onProgress((done += count)))
      removed += now
      if (now === 0 || kind !== 'message') break
    }
    return { kind, removed, kept: keptOf(ctx, id, kind) }
  })
  end(ctx, id)
  return undone.filter(({ removed, kept }) => removed + kept > 0)
}

function importOf({ db }: Deps, id: string): ProductImportRow {
  const row = db.orm
    .select()
    .from(productImports)
    .where(acrossOrganizations('the operator names an import by its ID', eq(productImports.id, id)))
    .get()
  if (!row) throw new NotFoundError('Import')
  return row
}

function requireUndoable({ clock }: Ctx, { id, state, finishedAtMs }: ProductImportRow): void {
  if (state === 'undone') throw new ProductImportError(`The import ${id} is already undone.`)
  const isLate = finishedAtMs !== null && clock.nowMs() - finishedAtMs > UNDO_DAYS * DAY_MS
  if (isLate && state !== 'undoing')
    throw new ProductImportError(
      `The import ended more than ${UNDO_DAYS} days ago and can no longer be undone.`,
    )
}

/** What the import itself made, or changed of a contact that was here. */
const isOurs = sql`(${productImportItems.outcome} = 'new' or (${productImportItems.kind} = 'contact' and ${productImportItems.details} is not null))`

const keptOf = (ctx: Ctx, importId: string, kind: ProductThing): number =>
  of(ctx, productImportItems).count({ importId, kind }, isOurs)

/** Undoes the things of a kind. Returns how many. */
function undoKind(
  ctx: Ctx,
  row: ProductImportRow,
  kind: ProductThing,
  onProgress: (count: number) => void,
): number {
  const items = of(ctx, productImportItems)
  let removed = 0
  for (let after = ''; ;) {
    const page = items.list({
      where: [{ importId: row.id, kind }, isOurs, gt(productImportItems.sourceId, after)],
      order: [asc(productImportItems.sourceId)],
      limit: BATCH,
    })
    transact(ctx.db, (tx) => {
      requireWritable(ctx, ctx.organizationId)
      for (const { sourceId } of goneIn(tx, ctx, row, page)) {
        items.delete(tx, { importId: row.id, kind, sourceId })
        removed += 1
      }
    })
    onProgress(page.length)
    after = page.at(-1)?.sourceId ?? after
    if (page.length < BATCH) return removed
  }
}

/** Undoes things of one kind. Returns those that are gone now. */
function goneIn(tx: Tx, ctx: Ctx, row: ProductImportRow, page: ProductItem[]): ProductItem[] {
  if (page[0]?.kind === 'message') {
    const ids = page.flatMap(({ targetId }) => targetId ?? [])
    const kept = new Set(removePastMessagesIn(tx, ctx, ids, row.startedAtMs))
    return page.filter(({ targetId }) => targetId === null || !kept.has(targetId))
  }
  return page.filter((item) => item.targetId === null || isGoneIn(tx, ctx, item, item.targetId))
}

function isGoneIn(tx: Tx, ctx: Ctx, { kind, details }: ProductItem, id: string): boolean {
  switch (kind) {
    case 'note':
      return removePastNoteIn(tx, ctx, id)
    case 'conversation': {
      const { isOpen = false } = JSON.parse(details ?? '{}') as { isOpen?: boolean }
      return removePastConversationIn(tx, ctx, id, isOpen)
    }
    case 'contact':
      return revertImportIn(tx, ctx, id, JSON.parse(details ?? '{}') as ContactUndo) !== null
    case 'canned_response':
      return isTextGoneIn(tx, ctx, id)
    case 'tag':
      return isTagGoneIn(tx, ctx, id)
    case 'agent':
      return isInvitationGoneIn(tx, ctx, id)
    default:
      return true
  }
}

function isTextGoneIn(tx: Tx, ctx: Ctx, id: string): boolean {
  const row = of(ctx, cannedResponses).find({ id })
  if (row && row.updatedAtMs !== row.createdAtMs) return false
  if (row) deleteCannedResponseIn(tx, ctx, id)
  return true
}

function isTagGoneIn(tx: Tx, ctx: Ctx, id: string): boolean {
  const row = of(ctx, tags).find({ id })
  if (row && (row.updatedAtMs !== row.createdAtMs || row.contactCount > 0)) return false
  if (row) deleteTagIn(tx, ctx, id)
  return true
}

function isInvitationGoneIn(tx: Tx, ctx: Ctx, id: string): boolean {
  const row = of(ctx, invitations).find({ id })
  if (row === null) return true
  const state = stateOf(row, ctx.clock.nowMs())
  if (state === 'pending') revokeIn(tx, ctx, row)
  return state !== 'accepted'
}

/** Forgets what stays, and ends the import. */
function end(ctx: Ctx, id: string): void {
  dropItems(ctx, id)
  transact(ctx.db, (tx) => of(ctx, productImports).update(tx, { id }, { state: 'undone' }))
}

/** Forgets what an import brought, in batches. */
function dropItems(ctx: Ctx, importId: string): void {
  const items = of(ctx, productImportItems)
  for (;;) {
    const page = items.list({
      where: [{ importId }],
      order: [asc(productImportItems.kind), asc(productImportItems.sourceId)],
      limit: BATCH,
    })
    transact(ctx.db, (tx) => {
      for (const { kind, sourceId } of page) items.delete(tx, { importId, kind, sourceId })
    })
    if (page.length < BATCH) return
  }
}
