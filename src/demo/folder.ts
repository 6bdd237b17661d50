import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { DataDirError } from '../infra/data-dir'

/** The file that tells that a folder belongs to the demo, and whether its past is complete. */
const MARK = 'demo.json'

/** The data folder of a demo. */
export interface DemoFolder {
  path: string
  /** Whether an earlier demo left its businesses there. */
  isFurnished: boolean
  /** Notes that the past is complete. */
  furnished(): void
  /** Deletes the folder, if it is a temporary one. */
  leave(): void
}

/** Opens the named folder, or a new temporary one. Throws DataDirError for real data. */
export function openFolder(named: string | undefined): DemoFolder {
  if (named === undefined) {
    const path = mkdtempSync(join(tmpdir(), 'switchboard-demo-'))
    const leave = (): void => rmSync(path, { recursive: true, force: true })
    return { path, isFurnished: false, furnished: () => undefined, leave }
  }
  const path = resolve(named)
  const mark = join(path, MARK)
  const isOwn = existsSync(mark)
  if (!isOwn && existsSync(path) && readdirSync(path).length > 0)
    throw new DataDirError(
      `The folder ${path} is not empty, and not one of the demo. Name a new one.`,
    )
  const isFurnished = isOwn && (JSON.parse(readFileSync(mark, 'utf8')) as Mark).isFurnished
  const write = (content: Mark): void => writeFileSync(mark, `${JSON.stringify(content)}\n`)
  // an earlier start was interrupted
  if (isOwn && !isFurnished) rmSync(path, { recursive: true })
  if (!isFurnished) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    write({ isFurnished: false })
  }
  return {
    path,
    isFurnished,
    furnished: () => write({ isFurnished: true }),
    leave: () => undefined,
  }
}

interface Mark {
  isFurnished: boolean
}
