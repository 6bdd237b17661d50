import type { Ctx, HookHandlers } from './ctx'
import type { Tx } from './db/transact'

/**
 * A point in a transaction at which higher modules run code in the same transaction. Hooks are not
 * stored; later reactions subscribe to an event (`outbox/events.ts`).
 */
export interface TransactionHook<P> {
  name: string
  /** Never set; carries the type of the payload. */
  payload?: P
}

/** A handler of a hook. */
export interface HookHandler {
  moment: string
  follow: (tx: Tx, ctx: Ctx, told: unknown) => void
}

/** Defines a hook and its payload. */
export const defineHook = <P>(name: string): TransactionHook<P> => ({ name })

/**
 * Defines a handler that runs in the transaction of a hook. If it throws, the transaction is rolled
 * back.
 */
export const onHook = <P>(
  moment: TransactionHook<P>,
  follow: (tx: Tx, ctx: Ctx, told: P) => void,
): HookHandler => ({
  moment: moment.name,
  follow: follow as HookHandler['follow'], // what is told has the type of the moment
})

/** The followers by their moment. */
export const handlersOf = (all: HookHandler[]): HookHandlers =>
  Map.groupBy(all, ({ moment }) => moment)

/** Runs all handlers of a hook, in the caller's transaction. */
export function runHooks<P>(tx: Tx, ctx: Ctx, moment: TransactionHook<P>, told: P): void {
  for (const { follow } of ctx.hookHandlers.get(moment.name) ?? []) follow(tx, ctx, told)
}
