import type { ReadCtx } from '../../../infra/read/read-ctx'
import { transfersOf } from './find'

/** Returns the number of active transfers of a person. */
export const activeTransfersOf = (
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  userId: string,
): number => transfersOf(ctx, userId).length
