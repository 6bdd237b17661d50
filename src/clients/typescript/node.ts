import { readFileSync, renameSync, writeFileSync } from 'node:fs'

import type { Cursor, CursorStore } from './socket'

/** Keeps the cursor in a file, which is replaced as a whole. For Node, Bun and Deno. */
export function cursorFile(path: string): CursorStore {
  return {
    load: () => {
      try {
        return JSON.parse(readFileSync(path, 'utf8')) as Cursor
      } catch (error) {
        if ((error as { code?: string }).code === 'ENOENT') return null
        throw error
      }
    },
    save: (cursor) => {
      writeFileSync(`${path}.new`, JSON.stringify(cursor))
      renameSync(`${path}.new`, path)
    },
  }
}
