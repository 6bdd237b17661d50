import type { Template } from '../../api/shapes'
import type { Merge } from '../../parts/merge'
import { t, type TextKey } from '../../texts/texts'
import { formOf, type TemplateForm } from './form'

/** What people call the parts of a template. */
const LABELS: Record<keyof TemplateForm, TextKey> = {
  accountId: 'templates.number',
  name: 'contact.name',
  language: 'templates.language',
  category: 'templates.category',
  kind: 'templates.kind',
  header: 'templates.header-kind',
  headerText: 'templates.header-text',
  headerSamples: 'templates.examples',
  mediaId: 'templates.header',
  body: 'templates.text',
  samples: 'templates.examples',
  footer: 'templates.footer',
  buttons: 'templates.buttons',
  cards: 'templates.cards',
  offer: 'templates.offer',
  hasEnd: 'templates.offer-end',
  hasAdvice: 'templates.code-advice',
  minutes: 'templates.code-minutes',
  updated_at: 'wizard.field.updated_at',
}

/** Returns a part in words; `null` if it says itself. The file of a header is only said to differ. */
function wordsOf(field: keyof TemplateForm, value: unknown): string | null {
  switch (field) {
    case 'category':
      return t(`templates.category.${value as TemplateForm['category']}`)
    case 'kind':
      return t(`templates.kind.${value as TemplateForm['kind']}`)
    case 'header':
      return t(`templates.header.${value as TemplateForm['header']}`)
    case 'mediaId':
      return value === null ? null : t('parts.merge.changed')
    case 'samples':
    case 'headerSamples':
      return Object.entries(value as TemplateForm['samples'])
        .map(([name, sample]) => `${name}: ${sample}`)
        .join(', ')
    case 'buttons':
      return (value as TemplateForm['buttons']).map(({ text }) => text).join(', ')
    case 'cards':
      return (value as TemplateForm['cards']).map(({ body }) => body).join(' · ')
    default:
      return null
  }
}

/** How two people who write the same template are told about each other. */
export const MERGE: Merge<TemplateForm> = {
  read: (present) => formOf(present as Template), // the server sends the template
  label: (field) => t(LABELS[field]),
  show: wordsOf,
}
