import type { Ctx } from '../../../infra/ctx'
import { encryptedColumns } from '../../../infra/keys/encrypted-columns'
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

/** Re-encrypts the headers of API contexts. */
export const sealedAiContexts = encryptedColumns(
  aiContexts,
  ['headersSealed'],
  ({ organizationId, id }) => placeOf(organizationId, id),
)
