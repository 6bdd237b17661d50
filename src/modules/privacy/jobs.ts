import { Type } from '@sinclair/typebox'
import { and, isNotNull, lte } from 'drizzle-orm'

import { HOUR_MS, SECOND_MS } from '../../lib/clock'
import { systemCtx, type Ctx, type Deps } from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import { defineJob } from '../../infra/jobs/define'
import { defineSchedule } from '../../infra/jobs/schedule'
import { changeRequestIn } from './requests'
import { privacyRequests } from './table'
import { failPrivacyExport, writePrivacyExport } from './write-export'

/** Files that are written at the same time, of all organizations; of each organization one. */
const AT_ONCE = 2

declare module '../../infra/ctx' {
  interface Deps {
    /** The organizations whose privacy export is being written; there is one process. */
    privacyExports: Set<string>
  }
}

/**
 * Takes a turn to write a file; `null` while the organization writes one already, or enough others
 * do. The caller gives the turn back.
 */
function takeTurn({
  privacyExports: writing,
  organizationId,
}: Pick<Ctx, 'privacyExports' | 'organizationId'>): Disposable | null {
  if (writing.has(organizationId) || writing.size >= AT_ONCE) return null
  writing.add(organizationId)
  return { [Symbol.dispose]: () => void writing.delete(organizationId) }
}

/** Writes what a person gets about itself, when its turn has come. */
export const writePrivacyFile = defineJob({
  name: 'privacy.export',
  lane: 'default',
  args: Type.Object({ requestId: Type.String() }),
  timeoutMs: 2 * HOUR_MS,
  maxAttempts: 5,
  async run(ctx, { requestId }) {
    using turn = takeTurn(ctx)
    if (!turn) return { snoozeMs: SECOND_MS }
    try {
      await writePrivacyExport(ctx, requestId)
      return undefined
    } catch (error) {
      if (ctx.isLastAttempt && !ctx.signal.aborted)
        failPrivacyExport(ctx, requestId, error instanceof Error ? error.message : 'failed')
      throw error
    }
  },
})

const BATCH = 100

/** Deletes files that were kept for seven days; that there was a request stays known. */
export const expirePrivacyFiles = defineJob({
  name: 'privacy.expire',
  lane: 'default',
  args: Type.Object({}),
  run: (ctx) => expire(ctx),
})

export const privacySchedule = defineSchedule('privacy-files', HOUR_MS, expirePrivacyFiles)

async function expire(deps: Deps): Promise<void> {
  for (;;) {
    const old = deps.db.orm
      .select()
      .from(privacyRequests)
      .where(
        and(
          lte(privacyRequests.expiresAtMs, deps.clock.nowMs()),
          isNotNull(privacyRequests.storedAs),
        ),
      )
      .limit(BATCH)
      .all()
    for (const { organizationId, id, storedAs } of old) {
      transact(deps.db, (tx) =>
        changeRequestIn(tx, systemCtx(deps, organizationId), id, {
          state: 'expired',
          storedAs: null,
        }),
      )
      if (storedAs !== null) await deps.files.remove(storedAs)
    }
    if (old.length < BATCH) return
  }
}
