import type { Template } from '../../api/shapes'

/** A value that a template needs when it is sent. */
export type Variable = Template['variables'][number]

/** Returns the name of a variable as the server calls it. */
export function nameOfVariable({ component, key, index, card }: Variable): string {
  if (component === 'LIMITED_TIME_OFFER') return 'offer_expires_at'
  const own =
    component === 'HEADER' ? `header.${key}` : component === 'BUTTONS' ? `button.${index}` : key
  return card === null ? own : `cards.${card}.${own}`
}

/** Keys of values that are files, lists or places, and not written here. */
const OTHER = new Set(['media', 'flow', 'products', 'product', 'location', 'call', 'expires_at'])

/** Whether a value is a file, a list or a place rather than words. */
export const isOther = (key: string): boolean => OTHER.has(key)

/** Returns the variables that are filled with words. */
export const wordsOf = ({ variables }: Pick<Template, 'variables'>): Variable[] =>
  variables.filter(({ key, required }) => !OTHER.has(key) && (required || key !== 'payload'))
