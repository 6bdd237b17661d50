import { statfsSync } from 'node:fs'

import { ConflictError } from '../../../lib/errors'
import type { Deps } from '../../../infra/ctx'

/** Disk space that must remain for everything else, bytes. */
const SPARE_BYTES = 512 * 1_024 * 1_024

/** Throws ConflictError `disk_full` if so many bytes do not fit on the disk beside the reserve. */
export function requireRoom({ files }: Pick<Deps, 'files'>, bytes: number): void {
  const { bavail, bsize } = statfsSync(files.folder)
  const [needed, free] = [bytes + SPARE_BYTES, bavail * bsize]
  if (free < needed)
    throw new ConflictError(
      `There is not enough disk space: about ${mib(needed)} MiB must be free, including a reserve ` +
        `of ${mib(SPARE_BYTES)} MiB, and ${mib(free)} MiB are.`,
      { code: 'disk_full' },
    )
}

const mib = (bytes: number): number => Math.ceil(bytes / 1_024 / 1_024)
