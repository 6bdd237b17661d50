import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { splitText } from '../chunks/split'
import { addChunksIn, deleteChunksIn } from '../chunks/store'
import { aiContexts } from '../table'
import { requireRoomForText } from './validate'
import type { ContextRow } from './view'

/** Columns of a context without a document. */
const NO_DOCUMENT = {
  documentFilename: null,
  documentSizeBytes: null,
  documentState: null,
  documentError: null,
  documentPages: null,
  storedAs: null,
} as const

/**
 * Replaces the text of a context by a typed one, up to 100,000 characters, in the caller's
 * transaction. The chunks of a document must be deleted before. Throws ConflictError
 * `limit_reached`.
 */
export function replaceTextIn(tx: Tx, ctx: Ctx, before: ContextRow, content: string | null): void {
  const bytes = Buffer.byteLength(content ?? '')
  requireRoomForText(ctx, bytes, before)
  while (deleteChunksIn(tx, ctx, before.id));
  const texts = [...splitText(content ?? '')]
  addChunksIn(tx, ctx, { contextId: before.id, position: 0, texts })
  tx.update(aiContexts)
    .set({
      ...NO_DOCUMENT,
      content,
      characters: content?.length ?? 0,
      textBytes: bytes,
      chunks: texts.length,
    })
    .where(inOrganization(ctx, aiContexts, eq(aiContexts.id, before.id)))
    .run()
}
