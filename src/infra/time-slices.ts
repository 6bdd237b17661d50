import { afterOthers } from './yield'

/** How long one slice holds the event loop, milliseconds. */
const SLICE_MS = 4

/**
 * Scans of each organization that wait for their next slice. There is one event loop in a process,
 * so there is one queue.
 */
const waiting = new Map<string, (() => void)[]>()
let isBusy = false

/**
 * Runs long work in slices of a few milliseconds. Requests have their turn between two slices, and
 * only one slice in the process runs between two turns. Organizations alternate, so the scans of
 * one do not delay those of another. `step` does a small part, a millisecond at most, and returns
 * whether the work is done. It must not run inside a transaction.
 */
export async function inSlices(organizationId: string, step: () => boolean): Promise<void> {
  for (let isDone = false; !isDone;) {
    if (isBusy) await nextSlice(organizationId)
    isBusy = true
    try {
      isDone = runSlice(step)
    } finally {
      afterOthers(startNext)
    }
  }
}

function runSlice(step: () => boolean): boolean {
  const startedMs = performance.now()
  do if (step()) return true
  while (performance.now() - startedMs < SLICE_MS)
  return false
}

const nextSlice = (organizationId: string): Promise<void> =>
  new Promise((resolve) => {
    const queue = waiting.get(organizationId)
    if (queue) queue.push(resolve)
    else waiting.set(organizationId, [resolve])
  })

/** Lets the organization go on that has waited longest; it moves behind the others. */
function startNext(): void {
  const [first] = waiting
  if (!first) {
    isBusy = false
    return
  }
  const [organizationId, queue] = first
  const resume = queue.shift()
  waiting.delete(organizationId)
  if (queue.length > 0) waiting.set(organizationId, queue)
  resume?.()
}
