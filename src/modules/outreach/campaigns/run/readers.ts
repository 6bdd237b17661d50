import { reader } from '../../../../infra/read/reader'
import { countRetried } from './retried'

/** Counts the recipients that a retry sends to again (`countRetried`). */
export const CountRetried = reader('campaigns.count-retried', 'long', countRetried)
