import type { ReactNode } from 'react'

import type { Template } from '../../api/shapes'
import { FoundName } from '../../parts/found-select'
import type { Column } from '../../parts/table'
import { formatLanguage, formatNumber, formatShort } from '../../texts/format'
import { findText, t } from '../../texts/texts'

/** The states by which templates are filtered. */
export const STATES = [
  'REJECTED',
  'PENDING',
  'APPROVED',
  'PAUSED',
  'DISABLED',
  'DRAFT',
  'ARCHIVED',
] as const

/** How WhatsApp finds that customers take a template. */
export const QUALITIES = ['GREEN', 'YELLOW', 'RED'] as const

/** States in which a template is not sent until somebody does something. */
const BAD = new Set(['REJECTED', 'DISABLED', 'LOCKED', 'LIMIT_EXCEEDED'])
const GOOD = new Set(['APPROVED', 'REINSTATED'])

/** Returns the text of a part of a template. */
function textOfPart({ components }: Template, type: 'HEADER' | 'BODY' | 'FOOTER'): string {
  const part = components.find((one) => String(one['type']).toUpperCase() === type)
  return typeof part?.['text'] === 'string' ? part['text'] : ''
}

/** Why WhatsApp does not send it. Reasons that are new are shown as WhatsApp names them. */
export const reasonOf = ({ reason, recommendation }: Template): string =>
  [reason && (findText(`templates.reason.${reason}`) ?? reason), recommendation]
    .filter((words) => words !== null && words !== '')
    .join(' ')

/** The state of a template, with WhatsApp's reason. */
export function State({ template }: { template: Template }) {
  const { status } = template
  const look = BAD.has(status) ? 'danger' : GOOD.has(status) ? 'good' : ''
  const reason = reasonOf(template)
  return (
    <>
      <span className={`chip ${look}`}>{findText(`templates.state.${status}`) ?? status}</span>
      {reason !== '' && (
        <span className="second small" title={reason}>
          {reason}
        </span>
      )}
    </>
  )
}

/** What the table of templates shows. `link` opens one. */
export const columns = (link: (one: Template) => ReactNode): Column<Template>[] => [
  {
    ...{ id: 'name', label: t('contact.name'), width: 4 },
    cell: (one) => (
      <>
        {link(one)}
        <span className="second small" dir="auto">
          {textOfPart(one, 'BODY').split('\n', 1)[0]}
        </span>
        {one.name !== one.display_name && <code className="second small">{one.name}</code>}
      </>
    ),
  },
  {
    ...{ id: 'language', label: t('templates.language'), width: 1.3 },
    cell: ({ language }) => formatLanguage(language),
  },
  {
    ...{ id: 'category', label: t('templates.category'), width: 1.2 },
    cell: ({ category }) => t(`templates.category.${category}`),
  },
  {
    ...{ id: 'state', label: t('templates.state'), width: 2 },
    cell: (one) => <State template={one} />,
  },
  {
    ...{ id: 'quality', label: t('templates.quality'), width: 1, isExtra: true },
    cell: ({ quality }) => quality !== 'UNKNOWN' && t(`templates.quality.${quality}`),
  },
  {
    ...{ id: 'sent', label: t('templates.sent'), width: 1, isNumber: true, isExtra: true },
    cell: ({ usage }) => formatNumber(usage.sent_30d),
  },
  {
    ...{ id: 'used', label: t('templates.used'), width: 1.2, isNumber: true },
    cell: ({ usage: { last_sent_at: at } }) =>
      at !== null && <time dateTime={at}>{formatShort(at)}</time>,
  },
  {
    ...{ id: 'account', label: t('templates.number'), width: 1.4, isOptional: true, isExtra: true },
    cell: ({ account_id: id }) => <FoundName kind="account" id={id} />,
  },
  {
    ...{ id: 'changed', label: t('templates.changed'), width: 1.2, isNumber: true },
    ...{ isOptional: true, isExtra: true },
    cell: ({ updated_at: at }) => <time dateTime={at}>{formatShort(at)}</time>,
  },
]
