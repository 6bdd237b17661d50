import type { ItemOutcome } from './apply-item'

/**
 * Maximum number of outcomes listed individually. For failed and parked items, as many as a
 * platform batch has.
 */
const MAX_LISTED = { failed: 1_000, parked: 1_000, others: 200 }

const sortOf = ({ outcome }: ItemOutcome): keyof typeof MAX_LISTED =>
  outcome === 'failed' || outcome === 'parked' ? outcome : 'others'

/** Returns the number of items that the outcomes represent. */
export const countOf = (outcomes: ItemOutcome[]): number =>
  outcomes.reduce((sum, { more = 0 }) => sum + 1 + more, 0)

/**
 * Appends outcomes to those of a change. Beyond the limit, the last outcome of the same kind counts
 * further ones in `more`.
 */
export function appendOutcomes(known: ItemOutcome[], further: ItemOutcome[]): ItemOutcome[] {
  if (further.length === 0) return known
  const outcomes = [...known]
  const listed = { failed: 0, parked: 0, others: 0 }
  for (const outcome of known) listed[sortOf(outcome)] += 1
  const last = new Map<string, number>(
    outcomes.map((outcome, position) => [`${outcome.kind} ${outcome.outcome}`, position] as const),
  )
  for (const outcome of further) {
    const sort = sortOf(outcome)
    const name = `${outcome.kind} ${outcome.outcome}`
    const position = last.get(name)
    const like = position === undefined ? undefined : outcomes[position]
    if (listed[sort] >= MAX_LISTED[sort] && position !== undefined && like) {
      outcomes[position] = { ...like, more: (like.more ?? 0) + 1 }
      continue
    }
    listed[sort] += 1
    last.set(name, outcomes.push(outcome) - 1)
  }
  return outcomes
}
