import type { ReactNode } from 'react'

import type { Template } from '../../api/shapes'
import { FoundName } from '../../parts/found-select'
import type { Column } from '../../parts/table'
import { technicalNameOf } from '../../parts/template/title'
import { firstLineOf } from '../../parts/template/values'
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
    ...{ id: 'name', label: t('contact.name'), width: 3.8 },
    cell: (one) => (
      <>
        {link(one)}
        <span className="second small" dir="auto">
          {firstLineOf(one)}
        </span>
        {technicalNameOf(one) !== null && <code className="second small">{one.name}</code>}
      </>
    ),
  },
  {
    ...{ id: 'language', label: t('templates.language'), width: 1.8 },
    cell: ({ language }) => formatLanguage(language),
  },
  {
    ...{ id: 'category', label: t('templates.category'), width: 1.2 },
    cell: ({ category }) => t(`templates.category.${category}`),
  },
  {
    ...{ id: 'state', label: t('templates.state'), width: 2.4 },
    cell: (one) => <State template={one} />,
  },
  {
    ...{ id: 'quality', label: t('templates.quality'), width: 1, isExtra: true },
    cell: ({ quality }) => quality !== 'UNKNOWN' && t(`templates.quality.${quality}`),
  },
  {
    ...{ id: 'sent', label: t('templates.sent'), width: 1.4, isNumber: true, isExtra: true },
    cell: ({ usage }) => formatNumber(usage.sent_30d),
  },
  {
    ...{ id: 'used', label: t('templates.used'), width: 1.6, isNumber: true },
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
