import { MINUTE_MS } from '../../../lib/clock'
import type { Deps } from '../../../infra/ctx'

/**
 * The move from another cell whose organization is imported next. It is kept while the organization is
 * frozen there, so that it need not wait for another import, and forgotten at a restart.
 */
export class NextImport {
  private kept: { moveId: string; untilMs: number } | null = null

  /** Keeps the next import for a move, until its cell has been silent for too long. */
  keep({ clock, settings }: Pick<Deps, 'clock' | 'settings'>, moveId: string): void {
    const untilMs = clock.nowMs() + settings.moveFrozenMinutes * MINUTE_MS
    this.kept = { moveId, untilMs }
  }

  release(moveId: string): void {
    if (this.kept?.moveId === moveId) this.kept = null
  }

  /** Whether the next import is that of another move. */
  isKept({ clock }: Pick<Deps, 'clock'>, fromOthersThan: string | null): boolean {
    const { moveId, untilMs = 0 } = this.kept ?? {}
    return moveId !== undefined && moveId !== fromOthersThan && untilMs > clock.nowMs()
  }
}

declare module '../../../infra/ctx' {
  interface Deps {
    nextImport: NextImport
  }
}
