import { reader } from '../../../infra/read/reader'
import { accountHealth } from './health'
import { accountRouting } from './routing/queries'

/** Reads the health of a number (`accountHealth`). */
export const ReadAccountHealth = reader('accounts.health', 'list', accountHealth)

/** Reads who answers the customers of a number (`accountRouting`). */
export const ReadAccountRouting = reader('accounts.routing', 'list', accountRouting)
