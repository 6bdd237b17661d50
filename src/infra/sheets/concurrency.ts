import type { Ctx } from '../ctx'

/** Files that are read at the same time: of one organization and of all. */
const READ_OF_ONE = 1
const READ_AT_ONCE = 2

/**
 * Waits for the turn of a file to be read. Resolves with what to call at the end. Throws
 * UnavailableError `files_busy`.
 */
export const turnToRead = (ctx: Pick<Ctx, 'sheetQueue' | 'organizationId'>): Promise<() => void> =>
  ctx.sheetQueue.enter([
    { name: ctx.organizationId, room: () => READ_OF_ONE },
    { name: 'all', room: () => READ_AT_ONCE },
  ])
