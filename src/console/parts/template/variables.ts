import type { Template } from '../../api/shapes'
import { t } from '../../texts/texts'

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

/** Returns what a template lacks above its cards: a file for each card that has none here. */
export const cardFilesOf = ({ variables }: Pick<Template, 'variables'>): Variable[] =>
  variables.filter(({ key, card, required }) => required && key === 'media' && card !== null)

/** Whether a value is the code of a template for one-time codes, whose words are WhatsApp's. */
export const isCode = ({ category }: Pick<Template, 'category'>, one: Variable): boolean =>
  category === 'AUTHENTICATION' && one.component === 'BODY'

/** Returns what people call a value of a card. */
export const onCard = (card: number | null, name: string): string =>
  card === null ? name : t('wizard.what.in-card', { number: card + 1, name })

/** Returns the variables that are filled with words. */
export const wordsOf = ({ variables }: Pick<Template, 'variables'>): Variable[] =>
  variables.filter(({ key, required }) => !OTHER.has(key) && (required || key !== 'payload'))
