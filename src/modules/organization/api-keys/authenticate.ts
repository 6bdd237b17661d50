import { eq } from 'drizzle-orm'

import { MINUTE_MS } from '../../../lib/clock'
import { UnauthorizedError } from '../../../lib/errors'
import { sha256Hex } from '../../../lib/hash'
import { acrossOrganizations, inOrganization, type Deps } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import { isStorageError } from '../../../infra/db/errors'
import { transact } from '../../../infra/db/transact'
import { isKey } from './format'
import { findKeyRow, type ApiKeyRow } from './queries'
import { apiKeys } from './table'

const byHash = compiled((orm) =>
  orm
    .select()
    .from(apiKeys)
    .where(
      acrossOrganizations(
        'the key itself names its organization',
        eq(apiKeys.keyHash, place(apiKeys.keyHash, 'keyHash')),
      ),
    )
    .prepare(),
)

/**
 * Returns the API key of a request if it is well formed (checked without a query), known, enabled
 * and not expired. Throws UnauthorizedError `invalid_api_key`, which does not reveal the reason.
 */
export function requireValidKey(deps: Pick<Deps, 'db' | 'clock'>, written: string): ApiKeyRow {
  return requireActive(
    deps,
    isKey(written) ? (byHash(deps.db).get({ keyHash: sha256Hex(written) }) ?? null) : null,
  )
}

/** Checks that a key is enabled and not expired. Throws UnauthorizedError `invalid_api_key`. */
function requireActive(deps: Pick<Deps, 'clock'>, row: ApiKeyRow | null): ApiKeyRow {
  if (!row || !row.isActive || (row.expiresAtMs !== null && row.expiresAtMs <= deps.clock.nowMs()))
    throw new UnauthorizedError('The API key is unknown, expired or disabled.', {
      code: 'invalid_api_key',
    })
  return row
}

/**
 * Returns the key if it is still valid. Throws UnauthorizedError `invalid_api_key`, also if it is
 * deleted.
 */
export const requireActiveKey = (
  deps: Pick<Deps, 'db' | 'clock'>,
  of: { organizationId: string; id: string },
): ApiKeyRow =>
  requireActive(deps, findKeyRow({ ...deps, organizationId: of.organizationId }, of.id))

/**
 * Records when and from which address a key was used, at most once a minute, also in the given row.
 * Ignores storage errors, so that the request can proceed.
 */
export function recordKeyUse(
  deps: Pick<Deps, 'db' | 'clock' | 'log'>,
  key: ApiKeyRow,
  address: string,
): void {
  const nowMs = deps.clock.nowMs()
  if (key.lastUsedAtMs !== null && nowMs - key.lastUsedAtMs < MINUTE_MS) return
  try {
    transact(deps.db, (tx) => {
      tx.update(apiKeys)
        .set({ lastUsedAtMs: nowMs, lastUsedIp: address })
        .where(inOrganization(key, apiKeys, eq(apiKeys.id, key.id)))
        .run()
    })
    key.lastUsedAtMs = nowMs
  } catch (error) {
    if (!isStorageError(error)) throw error
    deps.log.warn({ error }, 'last use of an API key not recorded')
  }
}
