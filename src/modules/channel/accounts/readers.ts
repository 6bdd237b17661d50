import { reader } from '../../../infra/read/reader'
import { accountHealth } from './health'

/** Reads the health of a number (`accountHealth`). */
export const ReadAccountHealth = reader('accounts.health', 'list', accountHealth)
