import type { Ctx } from '../../../../infra/ctx'

type SealCtx = Pick<Ctx, 'vault' | 'organizationId'>

/** Header values by node and header name. */
export type NodeHeaders = Record<string, Record<string, string>>

/** The place that a ciphertext is bound to. All versions of a flow share theirs. */
const placeOf = (ctx: SealCtx, flowId: string, column: 'headers' | 'completion'): string =>
  `${ctx.organizationId}/bot-flows/${column}/${flowId}`

/** Encrypts the header values of the nodes of a graph; `null` if there are none. */
export const sealNodeHeaders = (
  ctx: SealCtx,
  flowId: string,
  headers: NodeHeaders,
): string | null =>
  Object.keys(headers).length === 0
    ? null
    : ctx.vault.seal(JSON.stringify(headers), placeOf(ctx, flowId, 'headers'))

/** Decrypts the header values of the nodes of a graph. */
export const openNodeHeaders = (ctx: SealCtx, flowId: string, sealed: string | null): NodeHeaders =>
  sealed === null
    ? {}
    : (JSON.parse(ctx.vault.open(sealed, placeOf(ctx, flowId, 'headers'))) as NodeHeaders)

/** Encrypts the header values of the completion webhook; `null` if there are none. */
export const sealCompletionHeaders = (
  ctx: SealCtx,
  flowId: string,
  headers: Record<string, string>,
): string | null =>
  Object.keys(headers).length === 0
    ? null
    : ctx.vault.seal(JSON.stringify(headers), placeOf(ctx, flowId, 'completion'))

/** Decrypts the header values of the completion webhook. */
export const openCompletionHeaders = (
  ctx: SealCtx,
  flowId: string,
  sealed: string | null,
): Record<string, string> =>
  sealed === null
    ? {}
    : (JSON.parse(ctx.vault.open(sealed, placeOf(ctx, flowId, 'completion'))) as Record<
        string,
        string
      >)

/** Returns header values encrypted with the current key. */
export const resealed = (
  ctx: SealCtx,
  flowId: string,
  column: 'headers' | 'completion',
  sealed: string | null,
): string | null =>
  sealed === null ? null : ctx.vault.reseal(sealed, placeOf(ctx, flowId, column))
