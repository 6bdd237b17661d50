import { open } from 'node:fs/promises'

import { transact } from '../../../../infra/db/transact'
import type { JobCtx } from '../../../../infra/ctx'
import { archivePathOf, PIECE_BYTES, type MoveAnswer } from '../protocol'
import type { MoveRow } from '../table'
import { askTarget } from './ask-target'
import { changeMoveIn } from './change'

/**
 * Sends the archive of a move piece by piece, from where the target has it. Throws MoveRefused if the
 * target has no room for it, and MoveChanged if the move was aborted.
 */
export async function uploadArchive(ctx: JobCtx, move: MoveRow): Promise<void> {
  const total = move.archiveBytes ?? 0
  const room = move.roomBytes ?? total
  let { bytes } = await askTarget(ctx, move, { action: 'prepare', room })
  const handle = await open(archivePathOf(ctx, move.id), 'r')
  try {
    while (bytes < total) {
      const piece = Buffer.alloc(Math.min(PIECE_BYTES, total - bytes))
      const { bytesRead } = await handle.read(piece, 0, piece.length, bytes)
      if (bytesRead < piece.length) throw new Error('The archive is shorter than it was.')
      const answer = await askTarget(ctx, move, { action: 'store', offset: bytes }, piece)
      if (answer.state !== 'receiving' && answer.state !== 'waiting') return
      bytes = answer.bytes
      const sentBytes = Math.min(bytes, total)
      transact(ctx.db, (tx) => changeMoveIn(tx, ctx, move, { sentBytes, failures: 0 }), {
        isFlushed: false,
        wakes: false,
      })
    }
  } finally {
    await handle.close()
  }
}

/** Whether a target that waits for the order of the last step has lost the archive. */
export const hasLostArchive = ({ archiveBytes }: MoveRow, { state, bytes }: MoveAnswer): boolean =>
  state === 'waiting' && bytes < (archiveBytes ?? 0)
