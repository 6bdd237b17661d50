import type { FieldProblem } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { meaningOf } from '../../../inbox/contacts/consent/keywords'
import { comparedWord, consentSettingsOf } from '../../../inbox/contacts/consent/settings'
import type { BotFlowRow } from './queries'

/** Returns the words of a flow that opt a customer out or in, so that the flow does not begin. */
export function hiddenTriggers(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  { triggerKeywords, triggerMatchType }: Pick<BotFlowRow, 'triggerKeywords' | 'triggerMatchType'>,
): FieldProblem[] {
  if (triggerMatchType === 'regex') return []
  const settings = consentSettingsOf(ctx)
  return (JSON.parse(triggerKeywords) as string[]).flatMap((keyword, index) => {
    const meaning = meaningOf(settings, comparedWord(keyword))
    if (meaning === null) return []
    const kind = meaning === 'opted_out' ? 'opt-out' : 'opt-in'
    return [
      {
        path: `trigger_keywords.${index}`,
        message: `is an ${kind} word: a message that is only this word does not begin the flow`,
      },
    ]
  })
}
