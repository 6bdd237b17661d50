import { csvLine, escapeFormula } from '../../../lib/csv'
import type { Count, ProductItem, Items } from './items'
import { REASONS, type ProductThing, type Reason } from './model'
import { KINDS } from './table'

/** What became of the things of a kind. */
export interface Total {
  kind: ProductThing
  new: number
  joined: number
  left_out: number
}

/** Adds up what became of the things of each kind. */
export const totalsOf = (counts: Count[]): Total[] =>
  KINDS.map((kind) => {
    const sum = (outcome: Count['outcome']): number =>
      counts
        .filter((one) => one.kind === kind && one.outcome === outcome)
        .reduce((things, one) => things + one.things, 0)
    return { kind, new: sum('new'), joined: sum('joined'), left_out: sum('left_out') }
  }).filter((total) => total.new + total.joined + total.left_out > 0)

/** Why things are not here, or not all of them, and how many of each kind. */
export const reasonsOf = (
  counts: Count[],
): { kind: ProductThing; reason: Reason; says: string; things: number }[] =>
  counts
    .filter(({ reason }) => reason !== null && reason in REASONS)
    .map(({ kind, reason, things }) => {
      const word = reason as Reason // as filtered
      return { kind, reason: word, says: REASONS[word], things }
    })
    .toSorted(
      (a, b) =>
        KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
        b.things - a.things ||
        (a.reason < b.reason ? -1 : 1),
    )

const PAGE = 1_000

/** Returns the lines of a table of all that is not here, or not all of it, as CSV. */
export function* reportOf(items: Items): Generator<string> {
  yield csvLine(['kind', 'id', 'outcome', 'reason', 'explanation'])
  for (let after: ProductItem | null = null; ;) {
    const page: ProductItem[] = items.told(after, PAGE)
    for (const { kind, sourceId, outcome, reason } of page)
      yield csvLine([
        ...[kind, escapeFormula(sourceId), outcome, reason ?? ''],
        REASONS[reason as Reason] ?? '',
      ])
    after = page.at(-1) ?? null
    if (page.length < PAGE) return
  }
}
