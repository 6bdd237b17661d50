import type { Ctx, Followers } from './ctx'
import type { Tx } from './db/transact'

/**
 * Something that happens within a transaction and that modules further down follow at once, in the
 * same transaction. Nothing of it is logged: what others hear of later is an event
 * (`outbox/events.ts`).
 */
export interface TransactionHook<P> {
  name: string
  /** Never there; it keeps the type of what is told. */
  told?: P
}

/** What follows a moment. */
export interface HookHandler {
  moment: string
  follow: (tx: Tx, ctx: Ctx, told: unknown) => void
}

/** Names a moment and what is told of it. */
export const defineHook = <P>(name: string): TransactionHook<P> => ({ name })

/** Says what follows a moment in its transaction. A throw undoes the moment itself. */
export const within = <P>(
  moment: TransactionHook<P>,
  follow: (tx: Tx, ctx: Ctx, told: P) => void,
): HookHandler => ({
  moment: moment.name,
  follow: follow as HookHandler['follow'], // what is told has the type of the moment
})

/** The followers by their moment. */
export const handlersOf = (all: HookHandler[]): Followers =>
  Map.groupBy(all, ({ moment }) => moment)

/** Lets everything happen that follows a moment, in the caller's transaction. */
export function runHooks<P>(tx: Tx, ctx: Ctx, moment: TransactionHook<P>, told: P): void {
  for (const { follow } of ctx.followers.get(moment.name) ?? []) follow(tx, ctx, told)
}
