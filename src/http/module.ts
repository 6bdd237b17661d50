import type { AnyElysia } from 'elysia'

import type { Schedule } from '../infra/jobs/schedule'
import type { Gate, Work } from '../infra/jobs/work'
import type { Subscription } from '../infra/outbox/subscribe'
import type { HookHandler } from '../infra/transaction-hooks'
import type { Http } from './http-deps'

/** A module as the program sees it. `Parts` names what its routes are built from. */
export interface Module<Parts = { http: Http }> {
  /** The name of its folder. */
  name: string
  routes?: (parts: Parts) => AnyElysia[]
  workers?: Work[]
  schedules?: Schedule[]
  /** Jobs that follow an event. */
  subscribers?: Subscription[]
  /** What runs inside the transactions of modules above. */
  hooks?: HookHandler[]
  /** What holds jobs of a queue back. */
  gates?: Gate[]
}
