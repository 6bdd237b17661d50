import { sha256Hex } from '../../lib/hash'
import type { Ctx } from '../../infra/ctx'
import type { AccountRow } from './view'

/** The secrets of a number, by the column that holds them. */
export type SecretColumn = 'accessTokenSealed' | 'appSecretSealed' | 'verifyTokenSealed' | 'pinSealed'

const placeOf = (at: { organizationId: string; id: string }, column: SecretColumn): string =>
  `${at.organizationId}/accounts/${column}/${at.id}`

/** A secret encrypted for its place; `null` clears it. */
export const sealSecret = (ctx: Ctx, accountId: string, column: SecretColumn, secret: string | null): string | null =>
  secret === null ? null : ctx.vault.seal(secret, placeOf({ organizationId: ctx.organizationId, id: accountId }, column))

/** A secret of a number in clear, for the one call that needs it; `null` when there is none. */
export function openSecret(deps: Pick<Ctx, 'vault'>, row: AccountRow, column: SecretColumn): string | null {
  const sealed = row[column]
  return sealed === null ? null : deps.vault.open(sealed, placeOf(row, column))
}

/** By which the verification request finds a number's token without it being readable. */
export const verifyTokenHash = (token: string): string => sha256Hex(token)
