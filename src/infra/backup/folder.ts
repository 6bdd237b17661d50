import { accessSync, constants, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

import { fileTrouble } from '../../lib/file-error'

/**
 * Why backups cannot be kept in a folder, or why it cannot be made, in one sentence; `null` when
 * they can. Changes nothing.
 */
export function folderTrouble(folder: string): string | null {
  let place = resolve(folder)
  for (;;) {
    const trouble = troubleAt(place)
    if (trouble !== 'missing')
      return trouble === null
        ? null
        : `Backups cannot be made in ${folder}: ${trouble} BACKUP_DIR names another folder.`
    if (place === dirname(place)) return null
    place = dirname(place)
  }
}

function troubleAt(place: string): string | null {
  try {
    const found = statSync(place, { throwIfNoEntry: false })
    if (!found) return 'missing'
    if (!found.isDirectory()) return `${place} is not a folder.`
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    return fileTrouble(error) ?? `${place} cannot be used.`
  }
}
