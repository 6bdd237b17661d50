import type { Clock } from '../../lib/clock'
import type { Actor } from '../actor'
import type { ReadDb } from '../db/connection'

/**
 * What a read may use: a connection, the organization, the caller and the time. `Ctx` satisfies it,
 * so that a transaction calls the same functions.
 */
export interface ReadCtx {
  db: ReadDb
  organizationId: string
  actor: Actor
  clock: Pick<Clock, 'nowMs'>
}
