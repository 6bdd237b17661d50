import type { FieldProblem } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { hiddenWords } from '../keywords/hidden-words'
import type { BotFlowRow } from './queries'

/** Returns the words of a flow that opt a customer out or in, so that the flow does not begin. */
export const hiddenTriggers = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  { triggerKeywords, triggerMatchType }: Pick<BotFlowRow, 'triggerKeywords' | 'triggerMatchType'>,
): FieldProblem[] =>
  triggerMatchType === 'regex'
    ? []
    : hiddenWords(ctx, { field: 'trigger_keywords', effect: 'does not begin the flow' })(
        JSON.parse(triggerKeywords) as string[],
      )
