import type { Ctx } from '../../infra/ctx'
import { encryptedColumns } from '../../infra/keys/encrypted-columns'
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

/** Re-encrypts the headers of custom actions. */
export const sealedCustomActions = encryptedColumns(
  customActions,
  ['headersSealed'],
  ({ organizationId, id }) => placeOf(organizationId, id),
)
