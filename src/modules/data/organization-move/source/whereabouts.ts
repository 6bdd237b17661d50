import type { MoveAnswer } from '../protocol'

/** Where an organization is, as a cell knows it. */
export interface Whereabouts {
  cell: string
  /** Whether that is the cell that asks. */
  isHere: boolean
  /** How often the organization had moved when it arrived there. */
  moves: number
}

/**
 * Returns where an organization is as another cell answers; `null` if that does not know it. Each move counts
 * one up, so of several answers the one with the most moves is true.
 */
export const whereaboutsFrom = (
  asked: string,
  { place, moved_to: movedTo, moves }: MoveAnswer,
): Whereabouts | null =>
  place === 'here' || place === 'returned'
    ? { cell: movedTo ?? asked, isHere: place === 'returned', moves }
    : null
