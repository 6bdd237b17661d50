import type { Contact } from '../../api/shapes'
import type { PhoneValues } from '../../parts/phone/message'
import { firstValues, paramsOf, shownValues, type Values } from '../../parts/template/values'
import { nameOfVariable, type Variable } from '../../parts/template/variables'
import { componentsOf } from './content'
import { variablesIn, type ButtonForm, type Samples, type TemplateForm } from './form'

/** A code as WhatsApp shows it in its own examples. */
const CODE = '123456'

const of = (component: Variable['component'], card: number | null) => ({ component, card })

const inText = (
  place: ReturnType<typeof of>,
  text: string,
  samples: Readonly<Samples>,
): Variable[] =>
  variablesIn(text).map((key) => ({
    ...{ ...place, key, index: null, required: true, example: samples[key] ?? null },
  }))

const inButtons = (card: number | null, buttons: readonly ButtonForm[]): Variable[] =>
  buttons.flatMap(({ type, url, example }, index) => {
    const key = type === 'COPY_CODE' ? 'code' : variablesIn(url).length > 0 ? '1' : null
    return key === null
      ? []
      : [{ ...of('BUTTONS', card), key, index, required: true, example: example || null }]
  })

/** Returns what a template that is being written has to be filled in with. */
export function variablesOf(form: TemplateForm): Variable[] {
  if (form.category === 'AUTHENTICATION')
    return [{ ...of('BODY', null), key: '1', index: null, required: true, example: CODE }]
  const body = inText(of('BODY', null), form.body, form.samples)
  if (form.kind === 'CAROUSEL')
    return [
      ...body,
      ...form.cards.flatMap(({ body: text, samples, buttons }, card) => [
        ...inText(of('BODY', card), text, samples),
        ...inButtons(card, buttons),
      ]),
    ]
  return [
    ...(form.header === 'TEXT'
      ? inText(of('HEADER', null), form.headerText, form.headerSamples)
      : []),
    ...body,
    ...inButtons(null, form.buttons),
  ]
}

/** Returns the examples of values, by their names. */
export const exampleValues = (variables: readonly Variable[]): Values =>
  Object.fromEntries(
    variables.flatMap((one) =>
      one.example === null || one.example === '' ? [] : [[nameOfVariable(one), one.example]],
    ),
  )

/** The person to whom a message would go. */
export interface Person {
  name: string | null
  contact: Contact
}

/** Returns what a phone shows: the examples, or what is known about a person in their place. */
export function shownFor(form: TemplateForm, person: Person | null): PhoneValues {
  const template = { variables: variablesOf(form), components: componentsOf(form) }
  const known = person === null ? {} : firstValues(template, person.name, person.contact)
  const values = { ...exampleValues(template.variables), ...known }
  const shown = shownValues(paramsOf(template, values, null), form.mediaId)
  return {
    ...shown,
    cards: form.cards.map(({ mediaId }, card) => ({ ...shown.cards?.[card], mediaId })),
  }
}
