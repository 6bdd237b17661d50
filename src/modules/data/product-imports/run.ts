import { asc, isNull, ne } from 'drizzle-orm'

import type { CountryCode } from '../../../lib/phone'
import { systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { of } from '../../../infra/scoped'
import { accounts } from '../../channel/accounts/table'
import { definitionsOf } from '../../inbox/contacts/attributes/service'
import { delegatedCtx } from '../../organization/auth/delegated-ctx'
import { getOrganization, requireWritable } from '../../organization/organizations/service'
import { findUserByEmail } from '../../organization/users/service'
import type { ProductEntry, MessageEntry, ProductSource } from './entries'
import { checkedItems, storedItems, type Count, type Items, type ThingOutcome } from './items'
import { ProductImportError, type ProductThing } from './model'
import { productImports } from './table'
import { takeContact } from './take/contacts'
import { leftOut, type ProductRun } from './take/run'
import { judgeMessage, storeFile, takeConversation, takeMessage } from './take/messages'
import type { StoredFile } from './take/messages'
import { takeAgent, takeCanned, takeNote, takeNumber, tagsNamed } from './take/texts'

/** Things stored in one transaction, and files read at the same time. */
const BATCH = 50
const FILES_AT_ONCE = 4

/**
 * Longest pause after a transaction, in which a server beside it can write: SQLite asks for its turn at
 * least as often.
 */
const MAX_PAUSE_MS = 100

/** What a person asks of an import. */
export interface ProductImportOptions {
  isCheck: boolean
  /** Phone number or ID of the number for messages whose own one is not connected. */
  number: string | null
  /** Country of numbers without one, ISO-2. */
  country: string | null
  /** E-mail address of the member in whose name colleagues are invited. */
  inviteAs: string | null
  /** Told now and then how many things were read. */
  onProgress: (read: number) => void
}

/** What an import or a check has done. */
export interface ImportResult {
  /** `null` for a check. */
  id: string | null
  counts: Count[]
  /** What earlier runs of the same import had done. */
  before: Count[]
  items: Items
  close: () => void
}

export type ProductImportRow = typeof productImports.$inferSelect

/**
 * Imports everything of another product into an organization, or checks what an import would do. One
 * that was stopped or has ended goes on: what is here is not brought again. Throws ProductImportError.
 */
export async function importFrom(
  deps: Deps,
  organizationId: string,
  source: ProductSource,
  options: ProductImportOptions,
): Promise<ImportResult> {
  const ctx = systemCtx(deps, organizationId)
  requireWritable(ctx, organizationId)
  const prepared = prepare(ctx, options)
  const row = options.isCheck ? null : beginImport(ctx, source)
  const checked = row === null ? checkedItems() : null
  const items = checked ?? storedItems(ctx, row?.id ?? '')
  const close = (): void => checked?.close()
  try {
    const before = items.counts()
    const run = { ...prepared, items, importId: row?.id ?? null, isCheck: options.isCheck }
    await takeAll(run, source, options.onProgress)
    if (row !== null) endImport(ctx, row)
    return { id: row?.id ?? null, counts: items.counts(), before, items, close }
  } catch (error) {
    close()
    throw error
  }
}

function beginImport(ctx: Ctx, { product, origin }: ProductSource): ProductImportRow {
  return transact(ctx.db, (tx) => {
    const table = of(ctx, productImports)
    const before = table.find({ product, origin }, ne(productImports.state, 'undone'))
    if (before?.state === 'undoing')
      throw new ProductImportError(
        `The import ${before.id} is being undone. Let "switchboard import undo ${before.id}" end first.`,
      )
    if (before) return table.update(tx, { id: before.id }, { state: 'running' })[0] ?? before
    const startedAtMs = ctx.clock.nowMs()
    return table.insert(tx, {
      ...{ id: ctx.ids.next(), product, origin, state: 'running', startedAtMs },
    })
  })
}

/** Throws ProductImportError if another process has begun to undo the import. */
function requireNotUndone(ctx: Ctx, importId: string | null): void {
  const row = importId === null ? null : of(ctx, productImports).find({ id: importId })
  if (row?.state === 'undoing' || row?.state === 'undone')
    throw new ProductImportError(
      `The import ${row.id} was undone while it ran. Run it again to bring everything over.`,
    )
}

const endImport = (ctx: Ctx, { id }: ProductImportRow): void =>
  transact(ctx.db, (tx) => {
    requireNotUndone(ctx, id)
    const ended = { state: 'completed', finishedAtMs: ctx.clock.nowMs() } as const
    of(ctx, productImports).update(tx, { id }, ended)
  })

/** Reads what an import needs to know of the organization. Throws ProductImportError. */
function prepare(
  ctx: Ctx,
  { number, country, inviteAs }: ProductImportOptions,
): Omit<ProductRun, 'items' | 'importId' | 'isCheck'> {
  const rows = of(ctx, accounts).list({
    where: [isNull(accounts.deletedAtMs)],
    order: [asc(accounts.createdAtMs)],
    limit: 10_000,
  })
  const numbers = rows.map(({ id, phoneId, phoneNumber, displayPhoneNumber }) => ({
    ...{ id, phoneId, phone: (phoneNumber ?? displayPhoneNumber)?.replaceAll(/\D/g, '') ?? null },
  }))
  const digits = number?.replaceAll(/\D/g, '') ?? null
  const other = numbers.find(({ id, phone }) => id === number || phone === digits)
  if (number !== null && other === undefined)
    throw new ProductImportError(
      `No phone number ${number} is connected in this organization. Connect it first, or name one of: ` +
        `${numbers.map(({ phone }) => (phone === null ? '' : `+${phone}`)).join(', ') || 'none'}.`,
    )
  return {
    ctx,
    numbers,
    otherNumber: other?.id ?? null,
    country: (country ?? getOrganization(ctx).defaultCountry ?? undefined) as
      | CountryCode
      | undefined, // checked by the command
    fields: definitionsOf(ctx),
    inviter: inviteAs === null ? null : inviterOf(ctx, inviteAs),
  }
}

function inviterOf(ctx: Ctx, email: string): Ctx {
  const user = findUserByEmail(ctx, email.trim().toLowerCase())
  if (!user) throw new ProductImportError(`No member has the e-mail address ${email}.`)
  return delegatedCtx(ctx, { userId: user.id, apiKeyId: null }, ['users:create'])
}

/** Takes everything in batches of one kind: a thing never comes with what belongs to it. */
async function takeAll(
  run: ProductRun,
  source: ProductSource,
  onProgress: (read: number) => void,
): Promise<void> {
  let batch: ProductEntry[] = []
  let read = 0
  const flush = async (): Promise<void> => {
    const entries = batch
    batch = []
    if (entries.length === 0) return
    await takeBatch(run, source, entries)
    onProgress((read += entries.length))
  }
  const { items } = run
  const known = {
    hasNumber: (id: string) => (items.get('number', id)?.targetId ?? null) !== null,
    positionOf: (id: string) => positionIn(items.get('conversation', id)),
  }
  for await (const entry of source.entries(known)) {
    if (batch.length >= BATCH || (batch[0] && batch[0].kind !== entry.kind)) await flush()
    batch.push(entry)
  }
  await flush()
}

const positionIn = (item: Required<ThingOutcome> | null): string | null =>
  item === null || item.outcome === 'left_out' || item.details === null
    ? null
    : ((JSON.parse(item.details) as { position?: string }).position ?? null)

async function takeBatch(
  run: ProductRun,
  source: ProductSource,
  entries: ProductEntry[],
): Promise<void> {
  const files = run.isCheck ? new Map<string, StoredFile>() : await filesOf(run, source, entries)
  const takeEach = (tx: Tx | null, at: ProductRun): void => {
    for (const entry of entries) takeOne(tx, at, entry, files.get(entry.id) ?? null)
  }
  if (run.isCheck) return takeEach(null, run)
  const startMs = performance.now()
  try {
    transact(run.ctx.db, (tx) => {
      requireWritable(run.ctx, run.ctx.organizationId)
      requireNotUndone(run.ctx, run.importId)
      takeEach(tx, atOneTime(run))
    })
  } catch (error) {
    for (const file of files.values())
      if ('storedAs' in file) await run.ctx.files.remove(file.storedAs)
    throw error
  }
  // Without it a server, which waits half a second for its turn, refused every other write.
  await Bun.sleep(Math.min(MAX_PAUSE_MS, performance.now() - startMs))
}

/** The same run with a clock that stands still, so that a change has one time. */
function atOneTime(run: ProductRun): ProductRun {
  const nowMs = run.ctx.clock.nowMs()
  return { ...run, ctx: { ...run.ctx, clock: { ...run.ctx.clock, nowMs: () => nowMs } } }
}

/** IDs that are stored. Others could not be told apart in a report. */
const ID = /^[\w.:/ -]{1,100}$/

/** Takes one thing, unless an earlier run has. */
function takeOne(
  tx: Tx | null,
  run: ProductRun,
  entry: ProductEntry,
  file: StoredFile | null,
): void {
  const { items } = run
  if (!ID.test(entry.id)) return items.put(entry.kind, 'unreadable', leftOut('bad_id'))
  const before = items.get(entry.kind, entry.id)
  if ('position' in entry) {
    if (before === null || before.outcome === 'left_out') return
    const details = JSON.parse(before.details ?? '{}') as object
    const { position } = entry
    return items.put('conversation', entry.id, {
      ...{ ...before, details: JSON.stringify({ ...details, position }) },
    })
  }
  if (before !== null && before.outcome !== 'left_out') return
  const outcome = 'leftOut' in entry ? leftOut(entry.leftOut) : taken(tx, run, entry, file)
  if (outcome !== null) items.put(entry.kind, entry.id, outcome)
}

function taken(
  tx: Tx | null,
  run: ProductRun,
  entry: Exclude<ProductEntry, { leftOut: unknown } | { position: string }>,
  file: StoredFile | null,
): ThingOutcome | null {
  switch (entry.kind) {
    case 'number':
      return takeNumber(run, entry)
    case 'agent':
      return takeAgent(tx, run, entry)
    case 'tag':
      return tagsNamed(tx, run, [entry.name]).areAll ? null : leftOut('bad_text')
    case 'canned_response':
      return takeCanned(tx, run, entry)
    case 'contact':
      return takeContact(tx, run, entry)
    case 'note':
      return takeNote(tx, run, entry)
    case 'conversation':
      return takeConversation(tx, run, entry)
    case 'message':
      return takeMessage(tx, run, entry, file)
  }
}

/** Reads the files of messages that will be stored, a few at the same time. */
async function filesOf(
  run: ProductRun,
  source: ProductSource,
  entries: ProductEntry[],
): Promise<Map<string, StoredFile>> {
  const files = new Map<string, StoredFile>()
  const waiting = entries.filter(
    (entry): entry is MessageEntry =>
      entry.kind === 'message' &&
      'file' in entry &&
      entry.file !== null &&
      isNew(run.items, 'message', entry.id) &&
      judgeMessage(run, entry) === null,
  )
  const work = async (): Promise<void> => {
    for (let entry = waiting.shift(); entry?.file; entry = waiting.shift())
      files.set(entry.id, await storeFile(run.ctx, source, entry.file))
  }
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, work))
  return files
}

const isNew = (items: Items, kind: ProductThing, id: string): boolean => {
  const item = items.get(kind, id)
  return item === null || item.outcome === 'left_out'
}
