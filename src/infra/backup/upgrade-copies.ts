import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A copy of the database made before its schema was changed. */
export interface UpgradeCopy {
  path: string
  /** The first migration that followed. */
  tag: string
  madeAtMs: number
}

/** Returns the name of the copy made before a migration. */
export const upgradeCopyName = (tag: string, nowMs: number): string =>
  `before-${tag}-${nowMs}.sqlite`

const NAME = /^before-(\d{4}_\w+)-(\d{1,16})\.sqlite$/

/** The whole copies in a folder. */
export const listUpgradeCopies = (folder: string): UpgradeCopy[] =>
  existsSync(folder)
    ? readdirSync(folder).flatMap((name) => {
        const [, tag, madeAtMs] = NAME.exec(name) ?? []
        return tag === undefined
          ? []
          : [{ path: join(folder, name), tag, madeAtMs: Number(madeAtMs) }]
      })
    : []
