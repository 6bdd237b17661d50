import type { FieldProblem } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { meanings } from '../../../inbox/contacts/consent/keywords'
import { comparedWord, consentSettingsOf } from '../../../inbox/contacts/consent/settings'

/**
 * Returns a search for those of a rule's or flow's keywords that opt a customer out or in, so that
 * they are not answered alone. `effect` says what such a message does.
 */
export function hiddenWords(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  { field, effect }: { field: string; effect: string },
): (keywords: readonly string[]) => FieldProblem[] {
  const consent = meanings(consentSettingsOf(ctx))
  return (keywords) =>
    keywords.flatMap((keyword, index) => {
      const meaning = consent.get(comparedWord(keyword))
      if (meaning === undefined) return []
      const kind = meaning === 'opted_out' ? 'opt-out' : 'opt-in'
      return [
        {
          path: `${field}.${index}`,
          message: `is an ${kind} word: a message that is only this word ${effect}`,
        },
      ]
    })
}
