import type { Ctx } from '../../../infra/ctx'
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

/** Returns the secrets of a Flow encrypted with the current key. */
export const reencryptFlowSecrets = (
  ctx: Pick<Ctx, 'vault' | 'organizationId'>,
  { id, endpointSecretSealed: secret, endpointHeadersSealed: headers }: FlowRow,
): Pick<FlowRow, 'endpointSecretSealed' | 'endpointHeadersSealed'> => ({
  endpointSecretSealed:
    secret === null ? null : ctx.vault.reseal(secret, sealContextOf(ctx, id, 'secret')),
  endpointHeadersSealed:
    headers === null ? null : ctx.vault.reseal(headers, sealContextOf(ctx, id, 'headers')),
})
