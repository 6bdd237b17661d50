import type { KeywordRule } from '../../../api/shapes'
import type { Side } from '../../../parts/table-row'

/** The smallest and the largest priority. */
export const PRIORITIES = [-1_000, 1_000] as const

/**
 * Returns the priority of a rule that is put before or behind another one: the next number, so that
 * it wins against the other one, or the other way round.
 */
export function priorityBeside({ priority }: Pick<KeywordRule, 'priority'>, side: Side): number {
  const [least, most] = PRIORITIES
  return Math.min(most, Math.max(least, priority + (side === 'before' ? 1 : -1)))
}

type Match = { id: string; keyword: string; priority: number }

/** Why a rule answers, and no other one that matches too. */
export type Reason = 'only' | 'priority' | 'length' | 'older'

/** Returns why the first of the rules that match answers. */
export function reasonOf([winner, second]: readonly Match[]): Reason {
  if (!winner || !second) return 'only'
  if (winner.priority !== second.priority) return 'priority'
  // as people count characters, and as the server does
  return [...winner.keyword].length === [...second.keyword].length ? 'older' : 'length'
}
