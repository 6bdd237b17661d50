import { reader } from '../../../../infra/read/reader'
import { differencesOf } from './compare-counts'
import { countRetried } from './retried'

/** Counts the recipients that a retry sends to again (`countRetried`). */
export const CountRetried = reader('campaigns.count-retried', 'long', countRetried)

/** Compares the counters of a campaign with its recipients (`differencesOf`). */
export const CompareCounts = reader('campaigns.compare-counts', 'long', differencesOf)
