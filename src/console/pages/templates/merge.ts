import type { Template } from '../../api/shapes'
import type { Merge } from '../../parts/merge'
import { t, type TextKey } from '../../texts/texts'
import type { TemplateForm } from './form'
import { formOf } from './read-form'
import { ttlName } from './delivery'

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
  headerKept: 'templates.header',
  body: 'templates.text',
  samples: 'templates.examples',
  footer: 'templates.footer',
  buttons: 'templates.buttons',
  cards: 'templates.cards',
  offer: 'templates.offer',
  hasEnd: 'templates.offer-end',
  hasAdvice: 'templates.code-advice',
  minutes: 'templates.code-minutes',
  codeWay: 'templates.code-way',
  codeButton: 'templates.button-text',
  fillButton: 'templates.code-fill',
  apps: 'templates.code-apps',
  hasTerms: 'templates.code-terms',
  ttl: 'templates.ttl',
  optOut: 'templates.opt-out',
  maxPrice: 'templates.max-price',
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
    case 'headerKept':
      return value === null ? null : t('parts.merge.changed')
    case 'codeWay':
      return t(`templates.code-way.${value as TemplateForm['codeWay']}`)
    case 'apps':
      return (value as TemplateForm['apps']).map((app) => app.package_name).join(', ')
    case 'ttl':
      return ttlName(value as TemplateForm['ttl'])
    case 'optOut':
      return t(`templates.opt-out.${String(value) as 'null' | 'true' | 'false'}`)
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
