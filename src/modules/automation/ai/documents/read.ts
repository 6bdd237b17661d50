import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx, type JobCtx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import { IsolatedProcessError, runIsolated } from '../../../../infra/isolated-process'
import { emit } from '../../../../infra/outbox/events'
import { enqueueFileDeletionIn } from '../../../channel/media/delete-files'
import { addChunksIn } from '../chunks/store'
import { findContextRow } from '../contexts/queries'
import { deleteAllChunks } from '../contexts/update'
import { NO_ROOM_FOR_TEXT, roomForText } from '../contexts/validate'
import type { ContextRow } from '../contexts/view'
import { AiContextChanged } from '../events'
import { aiContexts } from '../table'
import type { DocumentKind, DocumentLine } from './rules'

/** Limits of the reading process (`automation` 6.2a). */
const TIMEOUT_MS = 60_000
const MAX_MEMORY_BYTES = 256 * 1_024 * 1_024

/** Chunks stored in one transaction. */
const BATCH = 10

declare module '../../../../infra/ctx' {
  interface Deps {
    /** Command of the process that reads documents; the kind of document follows. */
    documentReader: readonly string[]
  }
}

/** The file that a job reads. */
interface DocumentFile {
  contextId: string
  storedAs: string
  kind: DocumentKind
}

/**
 * Reads the document of a context and stores its text. After an interruption it begins anew. Does
 * nothing if the context has got another text meanwhile.
 */
export async function readDocument(ctx: JobCtx, file: DocumentFile): Promise<void> {
  if (!isCurrent(findContextRow(ctx, file.contextId), file)) return
  await deleteAllChunks(ctx, file.contextId)
  try {
    await storeText(ctx, file)
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
    await failDocument(ctx, file, error.message)
  }
}

/** The document has no text that can be stored. The message is a sentence. */
class UnreadableError extends Error {}

const isCurrent = (row: ContextRow | null, { storedAs }: DocumentFile): row is ContextRow =>
  row !== null && row.documentState === 'reading' && row.storedAs === storedAs

const failed = (reason: string) =>
  ({
    documentState: 'failed',
    documentError: reason,
    characters: 0,
    textBytes: 0,
    chunks: 0,
  }) as const

/** Records that a document cannot be read, and deletes its text so far. */
async function failDocument(ctx: Ctx, file: DocumentFile, reason: string): Promise<void> {
  await deleteAllChunks(ctx, file.contextId)
  transact(ctx.db, (tx) => finishIn(tx, ctx, file, failed(reason)))
}

/** Records that a document cannot be read, in the transaction that discards its job. */
export const discardDocumentIn = (tx: Tx, ctx: Ctx, file: DocumentFile): void =>
  finishIn(tx, ctx, file, failed(REASONS.crashed))

/** Writes how the reading of a document ended. The file is not kept. */
function finishIn(tx: Tx, ctx: Ctx, file: DocumentFile, set: Partial<ContextRow>): void {
  if (!isCurrent(findContextRow(ctx, file.contextId), file)) return
  tx.update(aiContexts)
    .set({ ...set, storedAs: null, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, aiContexts, eq(aiContexts.id, file.contextId)))
    .run()
  enqueueFileDeletionIn(tx, ctx, [file.storedAs])
  emit(tx, ctx, AiContextChanged, { contactId: null, payload: { contextId: file.contextId } })
}

async function storeText(ctx: JobCtx, file: DocumentFile): Promise<void> {
  const row = findContextRow(ctx, file.contextId)
  const room = roomForText(ctx, row)
  let [chunks, bytes] = [0, 0]
  let batch: string[] = []
  const flush = async (): Promise<void> => {
    const texts = batch
    batch = []
    const isStored = transact(ctx.db, (tx) => {
      if (!isCurrent(findContextRow(ctx, file.contextId), file)) return false
      addChunksIn(tx, ctx, { contextId: file.contextId, position: chunks, texts })
      return true
    })
    if (!isStored) throw new ReplacedError()
    chunks += texts.length
    await yieldToEventLoop()
  }
  try {
    for await (const line of linesOf(ctx, file)) {
      if ('error' in line) throw new UnreadableError(`The document ${line.error}.`)
      if ('chunk' in line) {
        bytes += Buffer.byteLength(line.chunk)
        if (bytes > room) throw new UnreadableError(NO_ROOM_FOR_TEXT)
        if (batch.push(line.chunk) === BATCH) await flush()
        continue
      }
      if (batch.length > 0) await flush()
      const { pages, characters } = line
      const size = { characters, textBytes: bytes, chunks, documentPages: pages }
      transact(ctx.db, (tx) =>
        finishIn(tx, ctx, file, { ...size, documentState: 'ready', documentError: null }),
      )
    }
  } catch (error) {
    if (!(error instanceof ReplacedError)) throw error
  }
}

/** The context got another text while its document was read. */
class ReplacedError extends Error {}

const REASONS: Readonly<Record<IsolatedProcessError['reason'], string>> = {
  timeout: 'The document takes longer than 60 seconds to read.',
  memory: 'The document needs more than 256 MB of memory to read.',
  crashed: 'The document could not be read.',
  aborted: 'The reading was interrupted.',
}

async function* linesOf(
  ctx: JobCtx,
  { storedAs, kind }: DocumentFile,
): AsyncGenerator<DocumentLine> {
  try {
    const lines = runIsolated([...ctx.documentReader, kind], {
      inputPath: ctx.files.pathOf(storedAs),
      timeoutMs: TIMEOUT_MS,
      maxMemoryBytes: MAX_MEMORY_BYTES,
      signal: ctx.signal,
    })
    for await (const line of lines) yield JSON.parse(line) as DocumentLine
  } catch (error) {
    if (!(error instanceof IsolatedProcessError)) throw error
    ctx.signal.throwIfAborted()
    throw new UnreadableError(REASONS[error.reason])
  }
}
