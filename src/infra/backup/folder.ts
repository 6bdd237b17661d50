import { accessSync, constants, mkdtempSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { fileErrorMessage } from '../../lib/file-error'

/**
 * Returns in one sentence why backups cannot be stored in a folder; `null` if they can. Leaves
 * nothing behind.
 */
export function folderProblem(folder: string): string | null {
  let place = resolve(folder)
  for (;;) {
    const trouble = problemAt(place)
    if (trouble !== 'missing')
      return trouble === null
        ? null
        : `Backups cannot be stored in ${folder}: ${trouble} Set BACKUP_DIR to another directory.`
    if (place === dirname(place)) return null
    place = dirname(place)
  }
}

function problemAt(place: string): string | null {
  try {
    const found = statSync(place, { throwIfNoEntry: false })
    if (!found) return 'missing'
    if (!found.isDirectory()) return `${place} is not a directory.`
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK)
    return hasRoomForDirectory(place) ? null : `No directory can be created in ${place}.`
  } catch (error) {
    return fileErrorMessage(error) ?? `${place} cannot be used.`
  }
}

/** Root may write everywhere, but some file systems, such as /proc, take no new directory. */
function hasRoomForDirectory(place: string): boolean {
  try {
    rmdirSync(mkdtempSync(join(place, '.probe-')))
    return true
  } catch {
    return false
  }
}
