import { componentOf, type Component } from '../../../../platform/templates/components'
import type { Report } from '../../../../lib/input-problems'

export const TYPES = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER']

/** Reports component types that occur more than once. */
export function checkDuplicates(
  report: Report,
  path: string,
  components: readonly Component[],
): void {
  for (const type of TYPES)
    if (components.filter((component) => component.type === type).length > 1)
      report(path, `must have at most one ${type}`)
}

/** Reports invalid combinations of components. */
export function checkCombinations(
  report: Report,
  path: string,
  components: readonly Component[],
  category: string,
): void {
  checkDuplicates(report, path, components)
  const has = (type: Component['type']): boolean =>
    components.some((component) => component.type === type)
  if (!has('BODY')) report(path, 'requires a BODY')
  if (has('LIMITED_TIME_OFFER') && category !== 'MARKETING')
    report(path, 'allows a LIMITED_TIME_OFFER only for the category MARKETING')
  if (has('LIMITED_TIME_OFFER') && has('FOOTER'))
    report(path, 'allows no FOOTER next to a LIMITED_TIME_OFFER')
  if (has('CAROUSEL')) {
    if (category === 'AUTHENTICATION')
      report(path, 'allows no CAROUSEL for the category AUTHENTICATION')
    const beside = (['HEADER', 'FOOTER', 'BUTTONS', 'LIMITED_TIME_OFFER'] as const).find(has)
    if (beside !== undefined) report(path, `allows no ${beside} next to a CAROUSEL`)
  }
  if (category !== 'AUTHENTICATION') return
  if (has('HEADER')) report(path, 'allows no HEADER for the category AUTHENTICATION')
  if (componentOf(components, 'BUTTONS')?.buttons.some(({ type }) => type === 'OTP') !== true)
    report(path, 'requires an OTP button for the category AUTHENTICATION')
}
