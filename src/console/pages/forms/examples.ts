import { t } from '../../texts/texts'
import type { CATEGORIES } from './words'

/** The version of Flow JSON that the examples are written in. */
const VERSION = '7.3'

interface Field {
  type: 'TextInput' | 'TextArea' | 'DatePicker' | 'RadioButtonsGroup'
  name: string
  label: string
  more?: Record<string, unknown>
}

/** A form of one screen with these fields, which ends when it is sent. */
const formOf = (id: string, title: string, fields: readonly Field[]): Record<string, unknown> => ({
  version: VERSION,
  screens: [
    {
      id,
      title,
      terminal: true,
      layout: {
        type: 'SingleColumnLayout',
        children: [
          ...fields.map(({ type, name, label, more }) => ({
            ...{ type, name, label, required: true },
            ...more,
          })),
          {
            type: 'Footer',
            label: t('forms.words.send'),
            'on-click-action': {
              name: 'complete',
              payload: Object.fromEntries(fields.map(({ name }) => [name, `\${form.${name}}`])),
            },
          },
        ],
      },
    },
  ],
})

/** What a new form may begin with. */
export const EXAMPLES = ['feedback', 'appointment', 'contact'] as const
/** One of the forms to begin with. */
export type Example = (typeof EXAMPLES)[number]

/** What each example is for, as WhatsApp names it. */
export const CATEGORY_OF: Readonly<Record<Example, (typeof CATEGORIES)[number]>> = {
  feedback: 'SURVEY',
  appointment: 'APPOINTMENT_BOOKING',
  contact: 'CONTACT_US',
}

/** Returns a form to begin with, in the language of the person. */
export function exampleOf(example: Example): Record<string, unknown> {
  if (example === 'feedback') {
    const choices = (['good', 'fair', 'bad'] as const).map((id) => ({
      id,
      title: t(`forms.words.${id}`),
    }))
    return formOf('FEEDBACK', t('forms.words.how'), [
      {
        ...{ type: 'RadioButtonsGroup', name: 'rating', label: t('forms.words.how') },
        more: { 'data-source': choices },
      },
      {
        ...{ type: 'TextArea', name: 'words', label: t('forms.words.own') },
        more: { required: false },
      },
    ])
  }
  if (example === 'appointment')
    return formOf('APPOINTMENT', t('forms.words.appointment'), [
      { type: 'DatePicker', name: 'day', label: t('forms.words.day') },
      { type: 'TextInput', name: 'time', label: t('forms.words.time') },
      { type: 'TextArea', name: 'wish', label: t('forms.words.wish') },
    ])
  return formOf('CONTACT', t('forms.words.contact'), [
    { type: 'TextInput', name: 'name', label: t('forms.words.name') },
    {
      ...{ type: 'TextInput', name: 'email', label: t('forms.words.email') },
      more: { 'input-type': 'email' },
    },
  ])
}
