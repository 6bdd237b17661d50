import { randomBytes } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'

import type { JobCtx } from '../../../../infra/ctx'
import { LEAST_COST } from '../../organization-archive/archive-format'
import { createArchiveKey } from '../../organization-archive/archive-secrets'
import type { ArchiveFacts } from '../../organization-archive/write/order'
import { archivePathOf, movesFolder, passphraseOf } from '../protocol'
import type { MoveRow } from '../table'
import { ArchiveFailed } from './problem'

/**
 * Writes the archive of a move, with all rows, files, secrets and jobs of the organization. Throws an
 * error whose message is a sentence if that is not possible now.
 */
export async function exportForMove(
  ctx: JobCtx,
  { id, organizationId }: MoveRow,
): Promise<ArchiveFacts> {
  await mkdir(movesFolder(ctx), { recursive: true, mode: 0o700 })
  const path = archivePathOf(ctx, id)
  const target = `${path}.partial`
  try {
    const written = await ctx.archives.write(
      {
        ...{ target, organizationId, hasFiles: true, credentials: 'all', isMove: true },
        filesFolder: ctx.files.folder,
        nowMs: ctx.clock.nowMs(),
        productVersion: ctx.version,
        tables: ctx.tables,
        key: await createArchiveKey(passphraseOf(ctx, id), randomBytes, LEAST_COST),
      },
      ctx.signal,
    )
    if ('problem' in written) throw new ArchiveFailed(written.problem)
    await rename(target, path)
    return written
  } finally {
    await rm(target, { force: true })
  }
}
