import type { Actor } from '../actor'
import type { StoredAnswer } from './store'

/** Decides which stored responses a caller may still see. */
export interface Replays {
  /** Whether phone numbers are masked for a caller. */
  masksNumbers(actor: Actor): boolean
  /**
   * Checks that a caller may still see a stored response. Throws NotFoundError if the caller can no
   * longer see its contact, and ConflictError `idempotency_interrupted` if phone numbers are masked
   * for the caller since then.
   */
  requireVisible(actor: Actor, kept: { route: string; answer: StoredAnswer }): void
}
