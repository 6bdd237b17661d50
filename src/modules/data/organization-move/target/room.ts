import { mkdir, statfs } from 'node:fs/promises'

import { ConflictError } from '../../../../lib/errors'
import type { Deps } from '../../../../infra/ctx'
import { movesFolder } from '../protocol'

/** Disk space that must remain for everything else, bytes. */
const SPARE_BYTES = 512 * 1_024 * 1_024

/** Throws ConflictError `disk_full` if so many bytes do not fit on the disk beside the reserve. */
export async function requireRoom(deps: Pick<Deps, 'files'>, bytes: number): Promise<void> {
  const folder = movesFolder(deps)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { bavail, bsize } = await statfs(folder)
  const [needed, free] = [bytes + SPARE_BYTES, bavail * bsize]
  if (free < needed)
    throw new ConflictError(
      `There is not enough disk space: about ${mib(needed)} MiB must be free, including a reserve ` +
        `of ${mib(SPARE_BYTES)} MiB, and ${mib(free)} MiB are.`,
      { code: 'disk_full' },
    )
}

const mib = (bytes: number): number => Math.ceil(bytes / 1_024 / 1_024)
