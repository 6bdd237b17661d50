import type { Ctx, HookHandlers } from './ctx'
import type { Tx } from './db/transact'

/**
 * A point in a transaction at which higher modules run code in the same transaction. Hooks are not
 * stored; work after the commit subscribes to an event (`outbox/events.ts`).
 */
export interface TransactionHook<P> {
  name: string
  /** Never set; carries the type of the payload. */
  payload?: P
}

/** A handler of a hook. */
export interface HookHandler {
  hook: string
  handle: (tx: Tx, ctx: Ctx, payload: unknown) => void
}

/** Defines a hook and its payload. */
export const defineHook = <P>(name: string): TransactionHook<P> => ({ name })

/**
 * Defines a handler that runs in the transaction of a hook. If it throws, the transaction is rolled
 * back.
 */
export const onHook = <P>(
  hook: TransactionHook<P>,
  handle: (tx: Tx, ctx: Ctx, payload: P) => void,
): HookHandler => ({
  hook: hook.name,
  handle: handle as HookHandler['handle'], // the hook's payload has the type P
})

/** Groups handlers by the name of their hook. */
export const handlersOf = (all: HookHandler[]): HookHandlers => Map.groupBy(all, ({ hook }) => hook)

/** Runs all handlers of a hook, in the caller's transaction. */
export function runHooks<P>(tx: Tx, ctx: Ctx, hook: TransactionHook<P>, payload: P): void {
  for (const { handle } of ctx.hookHandlers.get(hook.name) ?? []) handle(tx, ctx, payload)
}
