import type { Body } from '../../api/client'
import { variablesIn, type ButtonForm, type Loose, type Samples, type TemplateForm } from './form'

/** Returns a text with its examples as WhatsApp takes them. */
function exampleOf(component: 'header' | 'body', text: string, samples: Samples): Loose {
  const names = variablesIn(text)
  if (names.length === 0) return {}
  const values = names.map((name) => samples[name] ?? '')
  if (names.some((name) => !/^\d+$/.test(name)))
    return {
      example: {
        [`${component}_text_named_params`]: names.map((name, nth) => ({
          param_name: name,
          example: values[nth],
        })),
      },
    }
  const numbered = names
    .toSorted((one, other) => Number(one) - Number(other))
    .map((name) => samples[name] ?? '')
  return {
    example: { [`${component}_text`]: component === 'body' ? [numbered] : numbered },
  }
}

function wireButton({ type, text, url, phone_number, flow_id, example }: ButtonForm): Loose {
  const plain = { type, ...(text === '' ? {} : { text }) }
  switch (type) {
    case 'URL':
      return { ...plain, url, ...(variablesIn(url).length > 0 ? { example: [example] } : {}) }
    case 'PHONE_NUMBER':
      return { ...plain, phone_number }
    case 'COPY_CODE':
      return { type, example }
    case 'FLOW':
      return { ...plain, flow_id }
    default:
      return plain
  }
}

/** Where the problems of a part are reported, by the part. */
export type Paths = Partial<
  Record<'HEADER' | 'BODY' | 'FOOTER' | 'BUTTONS' | 'CAROUSEL' | 'LIMITED_TIME_OFFER', string>
>

/** Returns the components of a template as the API takes them. */
export function componentsOf(form: TemplateForm): Loose[] {
  const { category, kind, header, headerText, body, footer, buttons } = form
  if (category === 'AUTHENTICATION')
    return [
      { type: 'BODY', add_security_recommendation: form.hasAdvice },
      ...(form.minutes === null ? [] : [{ type: 'FOOTER', code_expiration_minutes: form.minutes }]),
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    ]
  const text = { type: 'BODY', text: body, ...exampleOf('body', body, form.samples) }
  if (kind === 'CAROUSEL')
    return [
      text,
      {
        type: 'CAROUSEL',
        cards: form.cards.map((card) => ({
          components: [
            {
              ...{ type: 'HEADER', format: card.format },
              ...(card.mediaId === null ? {} : { media_id: card.mediaId }),
            },
            ...(card.body === ''
              ? []
              : [{ type: 'BODY', text: card.body, ...exampleOf('body', card.body, card.samples) }]),
            { type: 'BUTTONS', buttons: card.buttons.map(wireButton) },
          ],
        })),
      },
    ]
  return [
    ...(header === 'NONE'
      ? []
      : [
          header === 'TEXT'
            ? {
                ...{ type: 'HEADER', format: header, text: headerText },
                ...exampleOf('header', headerText, form.headerSamples),
              }
            : { type: 'HEADER', format: header },
        ]),
    ...(kind === 'OFFER'
      ? [{ type: 'LIMITED_TIME_OFFER', text: form.offer, has_expiration: form.hasEnd }]
      : []),
    text,
    ...(footer === '' || kind === 'OFFER' ? [] : [{ type: 'FOOTER', text: footer }]),
    ...(buttons.length === 0 ? [] : [{ type: 'BUTTONS', buttons: buttons.map(wireButton) }]),
  ]
}

/** Returns where the server reports the problems of each part. */
export const pathsOf = (form: TemplateForm): Paths =>
  Object.fromEntries(
    componentsOf(form).map(({ type }, index) => [String(type), `components.${index}`]),
  ) as Paths

const hasFile = ({ header, kind, category }: TemplateForm): boolean =>
  category !== 'AUTHENTICATION' &&
  kind !== 'CAROUSEL' &&
  ['IMAGE', 'VIDEO', 'DOCUMENT'].includes(header)

/** Returns what can be changed of a template, as the API takes it. */
export const contentOf = (form: TemplateForm) => ({
  category: form.category,
  components: componentsOf(form),
  header_media_id: hasFile(form) ? form.mediaId : null,
})

/** Returns a new template as the API takes it. */
export const newTemplateOf = (form: TemplateForm): NonNullable<Body<'POST /api/templates'>> => ({
  account_id: form.accountId,
  name: form.name,
  display_name: form.name,
  language: form.language,
  ...contentOf(form),
})
