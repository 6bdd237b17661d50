import type { Tx } from '../../../../infra/db/transact'
import type { StagedFile } from '../../../../infra/files/staged-file'
import { AppError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { inspectFile } from '../../../channel/media/inspect'
import type { FileFacts } from '../../../channel/media/measure'
import { storePastFileIn } from '../../../channel/media/store'
import { findConversation, openPastConversationIn } from '../../../inbox/conversations/service'
import type { ConversationRow } from '../../../inbox/conversations/row'
import { findByPlatformId } from '../../../inbox/messages/inbound/item'
import { storePastMessageIn } from '../../../inbox/messages/past/store'
import type { ProductEntry, EntryFile, MessageEntry, ProductSource } from '../entries'
import { FileRefusal } from '../entries'
import type { ThingOutcome } from '../items'
import type { Reason } from '../model'
import { joined, leftOut, type ProductRun } from './run'
import { contactOf, MAX_TEXT, nameOrNull, numberOf } from './texts'

/** A file that was stored before the transaction of its message, or why there is none. */
export type StoredFile =
  | { staged: StagedFile; inspected: FileFacts; storedAs: string }
  | { refusal: Reason }

/** The pair of a message or conversation; `null` for a contact that a check would create. */
interface Pair {
  contactId: string | null
  accountId: string
}

function pairOf(run: ProductRun, entry: { contact: string; number: string }): Pair | ThingOutcome {
  const number = numberOf(run, entry.number)
  if (number === null || number.targetId === null)
    return leftOut((number?.reason as Reason | null) ?? 'not_connected')
  const contactId = contactOf(run, entry.contact)
  return contactId === undefined
    ? leftOut('contact_left_out')
    : { contactId, accountId: number.targetId }
}

/** Names the thread of somebody whom a check would create, by the number that it has kept. */
const threadOf = ({ items }: ProductRun, contact: string, accountId: string): string =>
  `${items.get('contact', contact)?.details ?? contact} on ${accountId}`

/** Opens the conversation of a pair that has none, closed unless it is open there. */
export function takeConversation(
  tx: Tx | null,
  run: ProductRun,
  entry: Extract<ProductEntry, { kind: 'conversation'; contact: string }>,
): ThingOutcome {
  const pair = pairOf(run, entry)
  if ('outcome' in pair) return pair
  const { contactId, accountId } = pair
  const known = contactId === null ? null : findConversation(run.ctx, { contactId, accountId })
  if (known) return joined(known.id)
  if (tx === null || contactId === null)
    return run.items.isFirst(threadOf(run, entry.contact, accountId))
      ? { outcome: 'new' }
      : joined(null)
  const { isOpen } = entry
  const opened = openPastConversationIn(tx, run.ctx, { contactId, accountId, isOpen })
  return { outcome: 'new', targetId: opened.id, details: JSON.stringify({ isOpen }) }
}

/** Returns what becomes of a message, before its file is read; `null` if it is to be stored. */
export function judgeMessage(run: ProductRun, entry: MessageEntry): ThingOutcome | null {
  const pair = pairOf(run, entry)
  if ('outcome' in pair) return pair
  if (entry.text.trim() === '' && entry.file === null && entry.location === null)
    return leftOut('no_text')
  const known =
    entry.waMessageId === null ? null : findByPlatformId(run.ctx, pair.accountId, entry.waMessageId)
  return known ? joined(known.id) : null
}

/** Stores a message with its file. */
export function takeMessage(
  tx: Tx | null,
  run: ProductRun,
  entry: MessageEntry,
  file: StoredFile | null,
): ThingOutcome {
  const judged = judgeMessage(run, entry)
  if (judged) return judged
  const { contactId, accountId } = pairOf(run, entry) as Pair // as judged
  const text = entry.text.slice(0, MAX_TEXT)
  const refusal = file !== null && 'refusal' in file ? file.refusal : null
  const reason = refusal ?? (text === entry.text ? null : 'shortened')
  if (tx === null || contactId === null) return { outcome: 'new', reason }
  const conversation = conversationOfIn(tx, run, { contactId, accountId })
  const stored = file !== null && 'staged' in file ? file : null
  const kind = stored?.inspected.kind ?? entry.file?.kind ?? null
  const mediaId =
    entry.file === null || kind === null
      ? null
      : storePastFileIn(tx, run.ctx, {
          ...{ accountId, kind, file: stored, filename: entry.file.filename },
          origin: entry.direction === 'incoming' ? 'inbound' : 'phone_app',
        })
  const id = storePastMessageIn(tx, run.ctx, {
    ...entry,
    ...contentOf({ ...entry, text }, stored, kind),
    ...{ conversation, mediaId, author: nameOrNull(entry.author) },
    quotes: quotedIn(run, entry.quotes),
  })
  return { outcome: 'new', targetId: id, reason }
}

/** Returns the conversation of a pair; one that the source did not name is closed. */
function conversationOfIn(
  tx: Tx,
  run: ProductRun,
  pair: { contactId: string; accountId: string },
): ConversationRow {
  const known = findConversation(run.ctx, pair)
  if (known) return known
  const opened = openPastConversationIn(tx, run.ctx, { ...pair, isOpen: false })
  run.items.put('conversation', `of messages ${opened.id}`, {
    ...{ outcome: 'new', targetId: opened.id, details: JSON.stringify({ isOpen: false }) },
  })
  return opened
}

function contentOf(
  { text, location }: MessageEntry,
  stored: Exclude<StoredFile, { refusal: Reason }> | null,
  kind: EntryFile['kind'] | null,
): { type: string; content: Record<string, unknown> } {
  if (kind !== null)
    return {
      type: kind,
      content: {
        caption: text.trim() === '' ? null : text,
        mime_type: stored?.inspected.mimeType ?? null,
        filename: stored?.staged.facts.filename ?? null,
        sha256: stored?.staged.facts.sha256 ?? null,
        size_bytes: stored?.staged.facts.sizeBytes ?? null,
      },
    }
  if (location) return { type: 'location', content: { ...location, address: null, url: null } }
  return { type: 'text', content: { text } }
}

const quotedIn = ({ items }: ProductRun, quotes: MessageEntry['quotes']) => {
  if (quotes === null || 'waMessageId' in quotes) return quotes
  const messageId = items.get('message', quotes.id)?.targetId ?? null
  return messageId === null ? null : { messageId }
}

/** Reads and stores the file of a message. A file that cannot be had is told, and stops nothing. */
export async function storeFile(
  ctx: Ctx,
  source: ProductSource,
  file: EntryFile,
): Promise<StoredFile> {
  let staged: StagedFile
  try {
    staged = await source.stage(ctx, file)
  } catch (error) {
    if (error instanceof FileRefusal) return { refusal: error.reason }
    throw error
  }
  try {
    const inspected = await inspectFile(staged, file.kind).catch((error: unknown) => {
      if (error instanceof AppError && error.httpStatus < 500)
        return inspectFile(staged, 'document')
      throw error
    })
    return { staged, inspected, storedAs: await ctx.files.keep(staged) }
  } catch (error) {
    await ctx.files.discard(staged)
    if (error instanceof AppError && error.httpStatus < 500) return { refusal: 'file_refused' }
    throw error
  }
}
