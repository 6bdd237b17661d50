import type { AnyElysia } from 'elysia'
import type { Schedule } from '../infra/jobs/define-schedule'
import type { Gate, Work } from '../infra/jobs/work'
import type { Subscription } from '../infra/outbox/subscribe'
import type { TableFate } from '../infra/table-fates'
import type { HookHandler } from '../infra/transaction-hooks'
import type { Http } from './http-deps'
import type { StartPart } from './start-parts'

/** A module of the program. `Parts` are the dependencies of its routes. */
export interface Module<Parts = { http: Http }> {
  /** The name of its folder. */
  name: string
  /** Its tables, and what happens to their rows when an organization leaves. */
  tables?: TableFate[]
  routes?: (parts: Parts) => AnyElysia[]
  /** What it adds to the answer of a sign-in. */
  startParts?: (parts: Parts) => StartPart[]
  workers?: Work[]
  schedules?: Schedule[]
  /** Jobs that follow an event. */
  subscribers?: Subscription[]
  /** Handlers that run inside the transactions of other modules. */
  hooks?: HookHandler[]
  /** Gates that hold back jobs of a queue. */
  gates?: Gate[]
}
