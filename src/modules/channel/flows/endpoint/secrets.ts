import type { Ctx } from '../../../../infra/ctx'
import { encryptedColumns } from '../../../../infra/keys/encrypted-columns'
import { flows } from '../table'
import type { FlowRow } from '../view'

const sealContextOf = (ctx: Pick<Ctx, 'organizationId'>, flowId: string, column: string): string =>
  `${ctx.organizationId}/flows/${column}/${flowId}`

/** Encrypts a secret for one column of a Flow. */
export const encryptFlowSecret = (
  ctx: Pick<Ctx, 'vault' | 'organizationId'>,
  flowId: string,
  column: 'secret' | 'headers',
  plain: string,
): string => ctx.vault.seal(plain, sealContextOf(ctx, flowId, column))

/** Returns a decrypted secret for one call; `null` without one. */
export const decryptFlowSecret = (
  ctx: Pick<Ctx, 'vault' | 'organizationId'>,
  row: FlowRow,
  column: 'secret' | 'headers',
): string | null => {
  const sealed = column === 'secret' ? row.endpointSecretSealed : row.endpointHeadersSealed
  return sealed === null ? null : ctx.vault.open(sealed, sealContextOf(ctx, row.id, column))
}

const NAMES = { endpointSecretSealed: 'secret', endpointHeadersSealed: 'headers' } as const

/** Secrets for requests to customer endpoints. */
export const sealedFlows = encryptedColumns(
  flows,
  ['endpointSecretSealed', 'endpointHeadersSealed'],
  (row, column) => sealContextOf(row, row.id, NAMES[column]),
)
