import {
  componentOf,
  mediaFormatOf,
  variablesOf,
  type Body,
  type Button,
  type Component,
  type Header,
} from '../../../platform/templates/components'

/** A value that the sender fills in. */
export interface TemplateVariable {
  component: 'HEADER' | 'BODY' | 'BUTTONS' | 'LIMITED_TIME_OFFER'
  /** Name or number of a text variable; otherwise the kind of value. */
  key: string
  /** Position of a button, from 0. */
  index: number | null
  /** Number of a card, from 0. */
  card: number | null
  required: boolean
  example: string | null
}

/** Returns the values a sender may fill in, in the order the customer sees them. */
export function templateVariables(
  components: readonly Component[],
  isAuthentication: boolean,
): TemplateVariable[] {
  const own = [
    ...headerVariables(componentOf(components, 'HEADER'), null),
    ...offerVariables(components),
    ...(isAuthentication ? [codeVariable] : bodyVariables(componentOf(components, 'BODY'), null)),
    ...buttonVariables(componentOf(components, 'BUTTONS')?.buttons ?? [], null),
  ]
  const cards = componentOf(components, 'CAROUSEL')?.cards ?? []
  return [
    ...own,
    ...cards.flatMap((card, index) => [
      ...headerVariables(componentOf(card.components, 'HEADER'), index),
      ...bodyVariables(componentOf(card.components, 'BODY'), index),
      ...buttonVariables(componentOf(card.components, 'BUTTONS')?.buttons ?? [], index),
    ]),
  ]
}

/** The one-time code of an authentication template; text and button share it. */
const codeVariable: TemplateVariable = {
  component: 'BODY',
  key: '1',
  index: null,
  card: null,
  required: true,
  example: '123456',
}

/** Returns numbered variables in numeric order, named ones in text order. */
export const inOrder = (names: string[]): string[] =>
  names.every((name) => /^\d+$/.test(name))
    ? names.toSorted((a, b) => Number(a) - Number(b))
    : names

function exampleOf(part: Body | Extract<Header, { format: 'TEXT' }>, key: string): string | null {
  const { example } = part
  const named = [
    ...(example?.body_text_named_params ?? []),
    ...(example?.header_text_named_params ?? []),
  ]
  const numbered = example?.body_text?.[0] ?? example?.header_text ?? []
  return (
    named.find(({ param_name }) => param_name === key)?.example ?? numbered[Number(key) - 1] ?? null
  )
}

function headerVariables(header: Header | undefined, card: number | null): TemplateVariable[] {
  const variable = (
    key: string,
    required: boolean,
    example: string | null = null,
  ): TemplateVariable => ({
    component: 'HEADER',
    key,
    index: null,
    card,
    required,
    example,
  })
  if (header === undefined) return []
  if (mediaFormatOf(header) !== null)
    return [variable('media', !('media_id' in header && header.media_id !== undefined))]
  if (header.format === 'TEXT')
    return inOrder(variablesOf(header.text)).map((key) =>
      variable(key, true, exampleOf(header, key)),
    )
  return header.format === 'LOCATION' ? [variable('location', true)] : [variable('product', true)]
}

const bodyVariables = (body: Body | undefined, card: number | null): TemplateVariable[] =>
  body === undefined
    ? []
    : inOrder(variablesOf(body.text ?? '')).map((key) => ({
        component: 'BODY',
        key,
        index: null,
        card,
        required: true,
        example: exampleOf(body, key),
      }))

const offerVariables = (components: readonly Component[]): TemplateVariable[] =>
  componentOf(components, 'LIMITED_TIME_OFFER')?.has_expiration === true
    ? [
        {
          component: 'LIMITED_TIME_OFFER',
          key: 'expires_at',
          index: null,
          card: null,
          required: true,
          example: null,
        },
      ]
    : []

/** Value that each button type takes, and whether it is required. */
const BUTTON_KEYS: Readonly<Record<string, { key: string; required: boolean }>> = {
  QUICK_REPLY: { key: 'payload', required: false },
  COPY_CODE: { key: 'code', required: true },
  FLOW: { key: 'flow', required: false },
  CATALOG: { key: 'thumbnail_product_retailer_id', required: false },
  MPM: { key: 'products', required: true },
  VOICE_CALL: { key: 'call', required: false },
}

const buttonVariables = (buttons: readonly Button[], card: number | null): TemplateVariable[] =>
  buttons.flatMap((button, index): TemplateVariable[] => {
    const place = { component: 'BUTTONS' as const, index, card }
    if (button.type === 'URL')
      return variablesOf(button.url).length === 0
        ? []
        : [{ ...place, key: '1', required: true, example: button.example?.[0] ?? null }]
    const known = BUTTON_KEYS[button.type]
    return known === undefined
      ? []
      : [{ ...place, ...known, example: button.type === 'COPY_CODE' ? button.example : null }]
  })

/**
 * Returns the path of a variable in a send request: `name`, `header_params.1`, `button_params.0`,
 * `cards.1.template_params.2`.
 */
export function variableLabel({ component, key, index, card }: TemplateVariable): string {
  const at = card === null ? '' : `cards.${card}.`
  if (component === 'BODY') return card === null ? key : `${at}template_params.${key}`
  if (component === 'LIMITED_TIME_OFFER') return 'offer_expires_at'
  if (component === 'BUTTONS') return `${at}button_params.${index}`
  return key === 'media' ? `${at}header_media_id` : `${at}header_params.${key}`
}
