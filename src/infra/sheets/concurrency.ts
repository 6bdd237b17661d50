import type { Ctx } from '../ctx'

/** Files read at the same time, per organization and in total. */
const READ_OF_ONE = 1
const READ_AT_ONCE = 2

/**
 * Waits for a slot to read a file. Resolves with a function that frees the slot. Throws
 * UnavailableError `files_busy`.
 */
export const enterSheetQueue = (
  ctx: Pick<Ctx, 'sheetQueue' | 'organizationId'>,
): Promise<() => void> =>
  ctx.sheetQueue.enter([
    { name: ctx.organizationId, room: () => READ_OF_ONE },
    { name: 'all', room: () => READ_AT_ONCE },
  ])
