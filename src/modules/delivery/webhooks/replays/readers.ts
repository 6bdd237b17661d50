import { reader } from '../../../../infra/read/reader'
import { countChosen } from './chosen'

/** Counts the deliveries that a replay makes again (`countChosen`). */
export const CountChosen = reader('webhooks.count-chosen', 'long', countChosen)
