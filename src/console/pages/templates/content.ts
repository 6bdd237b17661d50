import type { Body } from '../../api/client'
import { isFile } from '../../parts/template/header-files'
import {
  variablesIn,
  type ButtonForm,
  type CardForm,
  type Loose,
  type Samples,
  type TemplateForm,
} from './form'

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

function wireButton(button: ButtonForm): Loose {
  const { type, text, url, phone_number, flow_id: flowId, screen, example, kept } = button
  const plain = { type, ...(text === '' ? {} : { text }) }
  switch (type) {
    case 'URL':
      return { ...plain, url, ...(variablesIn(url).length > 0 ? { example: [example] } : {}) }
    case 'PHONE_NUMBER':
      return { ...plain, phone_number }
    case 'COPY_CODE':
      return { ...plain, example }
    case 'FLOW':
      return {
        ...plain,
        // a form that is chosen here takes the place of one that was named elsewhere
        ...(flowId === '' ? kept : { ...keptBeside(kept), flow_id: flowId }),
        ...(screen === '' ? {} : { screen }),
      }
    default:
      return plain
  }
}

const keptBeside = ({ flow_name: _name, flow_json: _json, ...kept }: Loose): Loose => kept

/** The only button of a one-time code. */
function codeButton(form: TemplateForm): Loose {
  const { codeWay, codeButton: text, fillButton, apps, hasTerms } = form
  const isFilled = codeWay !== 'COPY_CODE'
  return {
    ...{ type: 'OTP', otp_type: codeWay },
    ...(text === '' ? {} : { text }),
    ...(isFilled && fillButton !== '' ? { autofill_text: fillButton } : {}),
    ...(isFilled && apps.length > 0 ? { supported_apps: apps } : {}),
    ...(codeWay === 'ZERO_TAP' && hasTerms ? { zero_tap_terms_accepted: true } : {}),
  }
}

function wireCard({ format, mediaId, kept, body, samples, buttons }: CardForm): Loose {
  return {
    components: [
      {
        ...{ type: 'HEADER', format },
        ...(format === 'PRODUCT' ? {} : kept),
        ...(mediaId === null || format === 'PRODUCT' ? {} : { media_id: mediaId }),
      },
      ...(body === '' ? [] : [{ type: 'BODY', text: body, ...exampleOf('body', body, samples) }]),
      { type: 'BUTTONS', buttons: buttons.map(wireButton) },
    ],
  }
}

function wireHeader({ header, headerText, headerSamples, headerKept }: TemplateForm): Loose[] {
  if (header === 'NONE') return []
  const plain = { type: 'HEADER', format: header }
  return header === 'TEXT'
    ? [{ ...plain, text: headerText, ...exampleOf('header', headerText, headerSamples) }]
    : [{ ...plain, ...headerKept }]
}

/** Where the problems of a part are reported, by the part. */
export type Paths = Partial<
  Record<'HEADER' | 'BODY' | 'FOOTER' | 'BUTTONS' | 'CAROUSEL' | 'LIMITED_TIME_OFFER', string>
>

/** Returns the components of a template as the API takes them. */
export function componentsOf(form: TemplateForm): Loose[] {
  const { category, kind, body, footer, buttons } = form
  if (category === 'AUTHENTICATION')
    return [
      { type: 'BODY', add_security_recommendation: form.hasAdvice },
      ...(form.minutes === null ? [] : [{ type: 'FOOTER', code_expiration_minutes: form.minutes }]),
      { type: 'BUTTONS', buttons: [codeButton(form)] },
    ]
  const text = { type: 'BODY', text: body, ...exampleOf('body', body, form.samples) }
  if (kind === 'CAROUSEL') return [text, { type: 'CAROUSEL', cards: form.cards.map(wireCard) }]
  return [
    ...wireHeader(form),
    ...(kind === 'OFFER'
      ? [{ type: 'LIMITED_TIME_OFFER', text: form.offer, has_expiration: form.hasEnd }]
      : []),
    text,
    ...(footer === '' || kind === 'OFFER' ? [] : [{ type: 'FOOTER', text: footer }]),
    ...(buttons.length === 0 ? [] : [{ type: 'BUTTONS', buttons: buttons.map(wireButton) }]),
  ]
}

/** Returns where the server reports the problems of the text and the buttons of a card. */
export const pathsOfCard = (path: string, index: number, { body }: CardForm) => {
  const parts = `${path}.cards.${index}.components`
  return { body: `${parts}.1`, buttons: `${parts}.${body === '' ? 1 : 2}` }
}

/** Returns where the server reports the problems of each part. */
export const pathsOf = (form: TemplateForm): Paths =>
  Object.fromEntries(
    componentsOf(form).map(({ type }, index) => [String(type), `components.${index}`]),
  ) as Paths

const hasFile = ({ header, kind, category }: TemplateForm): boolean =>
  category !== 'AUTHENTICATION' && kind !== 'CAROUSEL' && isFile(header)

/** Returns what can be changed of a template, as the API takes it. */
export const contentOf = (form: TemplateForm) => ({
  category: form.category,
  components: componentsOf(form),
  header_media_id: hasFile(form) ? form.mediaId : null,
  message_send_ttl_seconds: form.ttl,
  ...(form.category === 'MARKETING'
    ? { creative_opt_out: form.optOut, max_price: form.maxPrice }
    : {}),
})

/**
 * Returns the changes of a template as the API takes them. What only advertising has goes with its
 * category; it stays if WhatsApp has moved the template to another one.
 */
export const changesOf = (changes: Partial<TemplateForm>, seen: TemplateForm) => ({
  ...('category' in changes ? { creative_opt_out: null, max_price: null } : {}),
  ...contentOf({ ...seen, ...changes }),
})

/** Returns a new template as the API takes it. */
export const newTemplateOf = (form: TemplateForm): NonNullable<Body<'POST /api/templates'>> => ({
  account_id: form.accountId,
  name: form.name,
  display_name: form.name,
  language: form.language,
  ...contentOf(form),
})
