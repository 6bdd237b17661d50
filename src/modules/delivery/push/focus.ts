declare module '../../../infra/ctx' {
  interface Deps {
    /** The people who look at the console just now. */
    focusedUsers: FocusedUsers
  }
}

/** How long a look counts without being repeated. */
const LAPSES_MS = 30_000

/** People remembered at most; lapsed ones are forgotten first. */
const MAX_KNOWN = 10_000

/**
 * Who looks at the console, from what open sockets say. Kept in memory: after a restart the sockets
 * say it again.
 */
export class FocusedUsers {
  private readonly untilMs = new Map<string, number>()

  /** Records that a person looks at a conversation, or stopped. */
  record(
    { organizationId, userId }: { organizationId: string; userId: string },
    { isLooking, nowMs }: { isLooking: boolean; nowMs: number },
  ): void {
    const key = `${organizationId} ${userId}`
    this.untilMs.delete(key)
    if (!isLooking) return
    if (this.untilMs.size >= MAX_KNOWN)
      for (const [known, untilMs] of this.untilMs) if (untilMs <= nowMs) this.untilMs.delete(known)
    this.untilMs.set(key, nowMs + LAPSES_MS)
  }

  /** Whether a person looks at the console now. */
  has(
    { organizationId, userId }: { organizationId: string; userId: string },
    nowMs: number,
  ): boolean {
    return (this.untilMs.get(`${organizationId} ${userId}`) ?? 0) > nowMs
  }
}
