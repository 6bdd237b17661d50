import type { Ctx } from '../../../infra/ctx'
import { transfersOf } from './find'

/** Returns the number of active transfers of a person. */
export const activeTransfersOf = (ctx: Ctx, userId: string): number =>
  transfersOf(ctx, userId).length
