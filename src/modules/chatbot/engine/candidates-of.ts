import { hasWholeWords, normalText } from '../../../lib/whole-words'
import type { Ctx } from '../../../infra/ctx'
import { listTriggers } from '../bot-flows/queries'
import type { Candidates } from './candidates'
import type { Turn } from './model'

/** Returns the rules and flow triggers that match a turn, the best first. */
export function candidatesOf(
  ctx: Ctx,
  { accountId }: { accountId: string | null; nowMs: number },
  turn: Turn,
): Candidates {
  const text = normalText(turn.text ?? '')
  const found = listTriggers(ctx)
    .filter((trigger) => trigger.accountId === null || trigger.accountId === accountId)
    .filter(({ keywords }) => keywords.some((word) => hasWholeWords(text, normalText(word))))
    .toSorted((a, b) => b.priority - a.priority)
    .map(({ flowId }) => ({ kind: 'flow' as const, flowId }))
  return { found, notes: [] }
}
