import { ApiError } from '../../api/error'
import type { BotFlow } from '../../api/shapes'
import type { FlowStore } from './store'

/**
 * Does something with a flow as it is known. What somebody else stored meanwhile is joined first, and
 * it is done again unless `isWanted` says that it is another one now. Returns whether it was done.
 */
export async function asKnown(
  store: FlowStore,
  work: (flow: BotFlow) => Promise<void>,
  isWanted = () => true,
): Promise<boolean> {
  while (isWanted()) {
    try {
      await work(store.snapshot().flow)
      return true
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'changed_meanwhile') throw error
      await store.refresh()
    }
  }
  return false
}
