import { and, asc, eq, gt, isNotNull } from 'drizzle-orm'

import { acrossOrganizations, inOrganization, systemCtx, type Ctx } from '../../infra/ctx'
import type { EncryptedTable } from '../../infra/keys/keyring'
import type { ActionRow } from './config'
import { customActions } from './table'

type Headers = Record<string, string>

const placeOf = (organizationId: string, id: string): string =>
  `${organizationId}/custom_actions/headers/${id}`

/** Returns the headers of an action encrypted; `null` for none. */
export const sealHeaders = (
  ctx: Pick<Ctx, 'vault' | 'organizationId'>,
  id: string,
  headers: Headers,
): string | null =>
  Object.keys(headers).length === 0
    ? null
    : ctx.vault.seal(JSON.stringify(headers), placeOf(ctx.organizationId, id))

/** Returns the headers of an action in plain text, for one request. */
export const openHeaders = (
  ctx: Pick<Ctx, 'vault'>,
  row: Pick<ActionRow, 'organizationId' | 'id' | 'headersSealed'>,
): Headers =>
  row.headersSealed === null
    ? {}
    : (JSON.parse(
        ctx.vault.open(row.headersSealed, placeOf(row.organizationId, row.id)),
      ) as Headers)

const BATCH = 50

/** Re-encrypts the headers of custom actions. */
export const sealedCustomActions: EncryptedTable = {
  name: 'custom_actions',
  reencryptIn(tx, deps, after) {
    const rows = tx
      .select()
      .from(customActions)
      .where(
        acrossOrganizations(
          'a key rotation encrypts the secrets of all organizations',
          and(gt(customActions.id, after), isNotNull(customActions.headersSealed)),
        ),
      )
      .orderBy(asc(customActions.id))
      .limit(BATCH)
      .all()
    for (const { organizationId, id, headersSealed } of rows)
      tx.update(customActions)
        .set({
          headersSealed: deps.vault.reseal(headersSealed ?? '', placeOf(organizationId, id)),
        })
        .where(
          inOrganization(systemCtx(deps, organizationId), customActions, eq(customActions.id, id)),
        )
        .run()
    return rows.length < BATCH ? null : (rows.at(-1)?.id ?? null)
  },
}
