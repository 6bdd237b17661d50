import type { Arrival, StoredRow } from '../../../infra/arrival'
import { allowedWarnings, type Spend } from './spend'

/** Returns the budget of an arriving row with the warnings that are allowed now; `null` for none. */
export function arrivingSpend({ spend }: StoredRow): { spend: Spend; isChanged: boolean } | null {
  if (typeof spend !== 'string') return null
  const stored = JSON.parse(spend) as Spend // by the rule of the column
  const warnAt = allowedWarnings(stored.warnAt)
  return {
    spend: { ...stored, warnAt },
    isChanged: warnAt.join() !== stored.warnAt.join(),
  }
}

export const organizationArrival: Arrival = {
  change(row) {
    const arriving = arrivingSpend(row)
    return arriving?.isChanged === true ? { ...row, spend: JSON.stringify(arriving.spend) } : row
  },
}
