import { and, asc, eq, gt, isNotNull } from 'drizzle-orm'

import { acrossOrganizations, inOrganization, systemCtx, type Ctx } from '../../../infra/ctx'
import type { EncryptedTable } from '../../../infra/keys/keyring'
import { aiContexts } from '../table'
import type { ContextRow } from './view'

type Headers = Record<string, string>

const placeOf = (organizationId: string, id: string): string =>
  `${organizationId}/ai_contexts/headers/${id}`

/** Returns the headers of a context encrypted; `null` for none. */
export const sealHeaders = (
  ctx: Pick<Ctx, 'vault' | 'organizationId'>,
  id: string,
  headers: Headers,
): string | null =>
  Object.keys(headers).length === 0
    ? null
    : ctx.vault.seal(JSON.stringify(headers), placeOf(ctx.organizationId, id))

/** Returns the headers of a context in plain text, for one request. */
export const openHeaders = (
  ctx: Pick<Ctx, 'vault'>,
  {
    organizationId,
    id,
    headersSealed,
  }: Pick<ContextRow, 'organizationId' | 'id' | 'headersSealed'>,
): Headers =>
  headersSealed === null
    ? {}
    : (JSON.parse(ctx.vault.open(headersSealed, placeOf(organizationId, id))) as Headers)

const BATCH = 50

/** Re-encrypts the headers of API contexts. */
export const sealedAiContexts: EncryptedTable = {
  name: 'ai_contexts',
  reencryptIn(tx, deps, after) {
    const rows = tx
      .select()
      .from(aiContexts)
      .where(
        acrossOrganizations(
          'a key rotation encrypts the secrets of all organizations',
          and(gt(aiContexts.id, after), isNotNull(aiContexts.headersSealed)),
        ),
      )
      .orderBy(asc(aiContexts.id))
      .limit(BATCH)
      .all()
    for (const { organizationId, id, headersSealed } of rows)
      tx.update(aiContexts)
        .set({
          headersSealed: deps.vault.reseal(headersSealed ?? '', placeOf(organizationId, id)),
        })
        .where(inOrganization(systemCtx(deps, organizationId), aiContexts, eq(aiContexts.id, id)))
        .run()
    return rows.length < BATCH ? null : (rows.at(-1)?.id ?? null)
  },
}
