import { open } from 'node:fs/promises'

import { eq } from 'drizzle-orm'

import { InvalidError, UnsupportedMediaTypeError } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import type { StagedFile } from '../../../../infra/files/staged-file'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { emit } from '../../../../infra/outbox/events'
import { recordAudit } from '../../../organization/audit/record'
import type { AiContextView } from '../contexts/model'
import { getContextRow } from '../contexts/queries'
import { dropFileIn } from '../contexts/update'
import { contextView } from '../contexts/view'
import { AiContextChanged } from '../events'
import { ReadDocument } from '../jobs'
import { aiContexts } from '../table'
import { documentKind } from './rules'

const HEAD_BYTES = 4_096

/**
 * Stores an uploaded document as the text of a context; a job reads it. The text of before is used
 * no longer. Throws NotFoundError, InvalidError for a context of the type `api`, and
 * UnsupportedMediaTypeError.
 */
export async function uploadDocument(
  ctx: Ctx,
  id: string,
  staged: StagedFile,
): Promise<AiContextView> {
  if (getContextRow(ctx, id).type !== 'static')
    throw new InvalidError('Only contexts of the type `static` can have a document.', {
      errors: [{ path: 'body.file', message: 'is only for contexts of the type static' }],
    })
  const { filename, sizeBytes } = staged.facts
  const kind = documentKind(filename, await headOf(staged.path))
  if (kind === null) throw new UnsupportedMediaTypeError('a PDF, DOCX, TXT, Markdown or HTML file')
  const storedAs = await ctx.files.keep(staged)
  try {
    return transact(ctx.db, (tx) => {
      const before = getContextRow(ctx, id)
      dropFileIn(tx, ctx, before)
      tx.update(aiContexts)
        .set({
          content: null,
          documentFilename: filename,
          documentSizeBytes: sizeBytes,
          documentState: 'reading',
          documentError: null,
          documentPages: null,
          storedAs,
          characters: 0,
          chunks: 0,
          updatedAtMs: ctx.clock.nowMs(),
        })
        .where(inOrganization(ctx, aiContexts, eq(aiContexts.id, id)))
        .run()
      enqueue(tx, ctx, ReadDocument, { args: { contextId: id, storedAs, kind } })
      emit(tx, ctx, AiContextChanged, { contactId: null, payload: { contextId: id } })
      recordAudit(tx, ctx, {
        action: 'updated',
        resourceType: 'ai_context',
        resourceId: id,
        resourceName: before.name,
        changes: [{ field: 'document', old_value: before.documentFilename, new_value: filename }],
      })
      return contextView(getContextRow(ctx, id))
    })
  } catch (error) {
    await ctx.files.remove(storedAs)
    throw error
  }
}

async function headOf(path: string): Promise<Uint8Array> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
