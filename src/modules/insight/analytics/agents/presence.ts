import { eq, gte, isNull, lt, or } from 'drizzle-orm'

import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { memberBreaks } from '../../../organization/members/table'
import type { CountSpan } from './read-counts'

/** A break of a member; `endedAtMs` is `null` while it lasts. */
interface Break {
  startedAtMs: number
  endedAtMs: number | null
}

/** How long a member was available and away, milliseconds, and their number of breaks. */
export interface AgentPresence {
  availableMs: number
  awayMs: number
  breaks: number
}

/** Returns the part of a span that lies within another one. */
export const clip = (span: CountSpan, to: CountSpan): CountSpan => ({
  fromMs: Math.max(span.fromMs, to.fromMs),
  beforeMs: Math.min(span.beforeMs, to.beforeMs),
})

const lengthOf = ({ fromMs, beforeMs }: CountSpan): number => Math.max(0, beforeMs - fromMs)

/** Returns the breaks of a member that overlap a span. */
export const breaksOf = (ctx: ReadCtx, userId: string, { fromMs, beforeMs }: CountSpan): Break[] =>
  ctx.db.orm
    .select({ startedAtMs: memberBreaks.startedAtMs, endedAtMs: memberBreaks.endedAtMs })
    .from(memberBreaks)
    .where(
      inOrganization(
        ctx,
        memberBreaks,
        eq(memberBreaks.userId, userId),
        lt(memberBreaks.startedAtMs, beforeMs),
        or(isNull(memberBreaks.endedAtMs), gte(memberBreaks.endedAtMs, fromMs)),
      ),
    )
    .all()

/** Returns the presence of a member in a span. */
export function presenceIn(breaks: readonly Break[], span: CountSpan): AgentPresence {
  const within = breaks.map((one) =>
    lengthOf(clip({ fromMs: one.startedAtMs, beforeMs: one.endedAtMs ?? Infinity }, span)),
  )
  const awayMs = within.reduce((sum, ms) => sum + ms, 0)
  return {
    availableMs: lengthOf(span) - awayMs,
    awayMs,
    breaks: within.filter((ms) => ms > 0).length,
  }
}
