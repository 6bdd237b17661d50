import { eq } from 'drizzle-orm'

import { MINUTE_MS } from '../../../lib/clock'
import { ForbiddenError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { sessions } from './table'

const FRESH_MS = 5 * MINUTE_MS

/**
 * Requires that the caller has authenticated within the last five minutes, so that an unattended
 * browser cannot do what is final or hands out everything. Throws ForbiddenError.
 */
export function requireFreshLogin(ctx: Ctx): void {
  const { sessionId } = ctx.actor
  const session =
    sessionId === null
      ? undefined
      : ctx.db.orm.select().from(sessions).where(eq(sessions.id, sessionId)).get()
  if (!session || ctx.clock.nowMs() - session.createdAtMs > FRESH_MS)
    throw new ForbiddenError(
      'This requires a sign-in within the last five minutes. Sign in again.',
      {
        code: 'fresh_login_required',
      },
    )
}
