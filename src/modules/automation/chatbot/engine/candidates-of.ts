import type { Ctx } from '../../../../infra/ctx'
import { matchRules } from '../keywords/match'
import type { Candidates } from './candidates'
import type { Turn } from './model'

/** Returns the rules and flow triggers that match a turn, the best first. */
export const candidatesOf = (
  ctx: Ctx,
  { accountId, nowMs }: { accountId: string | null; nowMs: number },
  { text, tap }: Turn,
): Candidates =>
  text === null && tap === null
    ? { found: [], note: null }
    : matchRules(ctx, { text: text ?? '', accountId, atMs: nowMs, tapped: tap?.id })
