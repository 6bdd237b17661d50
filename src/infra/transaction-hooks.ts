import type { Ctx, Followers } from './ctx'
import type { Tx } from './db'

/**
 * Something that happens within a transaction and that modules further down follow at once, in the
 * same transaction. Nothing of it is logged: what others hear of later is an event
 * (`outbox/events.ts`).
 */
export interface Moment<P> {
  name: string
  /** Never there; it keeps the type of what is told. */
  told?: P
}

/** What follows a moment. */
export interface Follower {
  moment: string
  follow: (tx: Tx, ctx: Ctx, told: unknown) => void
}

/** Names a moment and what is told of it. */
export const defineMoment = <P>(name: string): Moment<P> => ({ name })

/** Says what follows a moment in its transaction. A throw undoes the moment itself. */
export const within = <P>(
  moment: Moment<P>,
  follow: (tx: Tx, ctx: Ctx, told: P) => void,
): Follower => ({
  moment: moment.name,
  follow: follow as Follower['follow'], // what is told has the type of the moment
})

/** The followers by their moment. */
export const followersOf = (all: Follower[]): Followers => Map.groupBy(all, ({ moment }) => moment)

/** Lets everything happen that follows a moment, in the caller's transaction. */
export function tellFollowers<P>(tx: Tx, ctx: Ctx, moment: Moment<P>, told: P): void {
  for (const { follow } of ctx.followers.get(moment.name) ?? []) follow(tx, ctx, told)
}
