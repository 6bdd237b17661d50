import type { Template } from '../../api/shapes'
import { cardFilesOf, nameOfVariable, onCard } from '../../parts/template/variables'
import { formatList } from '../../texts/format'
import { t } from '../../texts/texts'
import { labelOf } from './bindings'
import type { CampaignForm } from './form'
import { beyondOf, unboundOf } from './sources'

/**
 * Returns what a campaign still needs before it can be checked; `null` if nothing, or if another
 * sentence of the step says it.
 */
export function missingOf(
  form: Pick<CampaignForm, 'template_id' | 'variable_mapping'>,
  template: Template | null,
  isWho: boolean,
): string | null {
  if (!isWho) return t('wizard.what.lacks-people', { step: t('wizard.step.who') })
  if (form.template_id === null) return t('wizard.what.lacks-template')
  if (template === null || beyondOf(template).length > 0) return null
  const files = new Set(cardFilesOf(template).map(nameOfVariable))
  const names = unboundOf(template, form.variable_mapping).map((one) =>
    files.has(nameOfVariable(one))
      ? onCard(one.card, t('wizard.what.a-file'))
      : labelOf(template, one),
  )
  return names.length === 0 ? null : t('wizard.what.lacks-values', { names: formatList(names) })
}
