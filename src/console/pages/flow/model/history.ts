import type { Graph } from './graph'

/** How many steps can be taken back. */
export const MOST_STEPS = 100

/** A graph with what it was before, and what it was before steps were taken back. */
export interface History {
  readonly past: readonly Graph[]
  readonly present: Graph
  readonly future: readonly Graph[]
  /** What the last step changed; typing on in the same field is no step of its own. */
  readonly key: string | null
}

/** Begins with a graph that nothing was changed about. */
export const begin = (present: Graph): History => ({ past: [], present, future: [], key: null })

/** Takes a step. Steps with the same key are one. */
export function step(history: History, present: Graph, key: string | null = null): History {
  if (present === history.present) return history
  const isSameStep = key !== null && key === history.key
  return {
    past: isSameStep ? history.past : [...history.past, history.present].slice(-MOST_STEPS),
    present,
    future: [],
    key,
  }
}

/** Ends a step, so that the next change is one of its own. */
export const settle = (history: History): History =>
  history.key === null ? history : { ...history, key: null }

/** Takes the last step back. */
export function undo(history: History): History {
  const present = history.past.at(-1)
  return present === undefined
    ? history
    : {
        past: history.past.slice(0, -1),
        present,
        future: [history.present, ...history.future],
        key: null,
      }
}

/** Takes the last step again that was taken back. */
export function redo(history: History): History {
  const [present, ...future] = history.future
  return present === undefined
    ? history
    : { past: [...history.past, history.present], present, future, key: null }
}

/** Changes every graph of a history, as something that happened before all of them. */
export const rebase = (history: History, change: (graph: Graph) => Graph): History => ({
  past: history.past.map(change),
  present: change(history.present),
  future: history.future.map(change),
  key: history.key,
})
