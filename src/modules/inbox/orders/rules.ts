import type { orders } from './table'

/** The state of an order. */
export type OrderState = (typeof orders.$inferSelect)['state']

/** The states from which an order may come into each state. No order comes into `new` again. */
const FROM: Readonly<Record<OrderState, readonly OrderState[]>> = {
  new: [],
  confirmed: ['new'],
  shipped: ['confirmed'],
  completed: ['shipped'],
  cancelled: ['new', 'confirmed', 'shipped'],
}

/** Returns the states from which an order may change into `state`. */
export const statesBefore = (state: OrderState): readonly OrderState[] => FROM[state]
