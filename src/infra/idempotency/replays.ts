import type { Actor } from '../ctx'
import type { StoredAnswer } from './store'

/** What may be seen today of answers that were kept. */
export interface Replays {
  /** Whether phone numbers are masked for a caller. */
  masksNumbers(actor: Actor): boolean
  /**
   * Refuses to show a caller an answer that it could not get now. Throws NotFoundError for a
   * contact that it does not see any more, and ConflictError `idempotency_interrupted` for phone
   * numbers that are masked for it by now.
   */
  judge(actor: Actor, kept: { route: string; answer: StoredAnswer }): void
}
