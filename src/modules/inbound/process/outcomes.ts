import type { Outcome } from './apply-item'

/**
 * What is told one by one of items that did not simply take effect: of those that failed or wait as
 * many as a batch of the platform has.
 */
const MAX_TOLD = { failed: 1_000, parked: 1_000, others: 200 }

const sortOf = ({ outcome }: Outcome): keyof typeof MAX_TOLD =>
  outcome === 'failed' || outcome === 'parked' ? outcome : 'others'

/** How many items outcomes stand for. */
export const countOf = (outcomes: Outcome[]): number =>
  outcomes.reduce((sum, { more = 0 }) => sum + 1 + more, 0)

/**
 * Outcomes of a change with further ones of it: beyond what is told one by one, the last of a kind
 * says how many more there are like it.
 */
export function joined(known: Outcome[], further: Outcome[]): Outcome[] {
  if (further.length === 0) return known
  const outcomes = [...known]
  const told = { failed: 0, parked: 0, others: 0 }
  for (const outcome of known) told[sortOf(outcome)] += 1
  const last = new Map<string, number>(
    outcomes.map((outcome, place) => [`${outcome.kind} ${outcome.outcome}`, place] as const),
  )
  for (const outcome of further) {
    const sort = sortOf(outcome)
    const name = `${outcome.kind} ${outcome.outcome}`
    const place = last.get(name)
    const like = place === undefined ? undefined : outcomes[place]
    if (told[sort] >= MAX_TOLD[sort] && place !== undefined && like) {
      outcomes[place] = { ...like, more: (like.more ?? 0) + 1 }
      continue
    }
    told[sort] += 1
    last.set(name, outcomes.push(outcome) - 1)
  }
  return outcomes
}
