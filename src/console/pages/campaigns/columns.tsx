import type { ReactNode } from 'react'

import type { Campaign } from '../../api/shapes'
import { FoundName } from '../../parts/found-select'
import type { Column } from '../../parts/table'
import { wordsOfName } from '../../texts/name-words'
import { formatMoney, formatNumber, formatShort } from '../../texts/format'
import { t } from '../../texts/texts'

const LOOKS: Partial<Record<Campaign['status'], string>> = {
  sending: 'good',
  paused: 'warn',
}

/** The state of a campaign; of one under way also how far it is, of one that waits why. */
export function State({ campaign, hasBar = true }: { campaign: Campaign; hasBar?: boolean }) {
  const { status, pending_count: pending, sending_count: sending, total_recipients: all } = campaign
  const words = t(`campaigns.state.${status}`)
  const isUnderWay = (status === 'sending' || status === 'paused') && all > 0
  return (
    <>
      <span className={`chip ${LOOKS[status] ?? ''}`}>{words}</span>
      {status === 'paused' && campaign.pause_reason !== null && (
        <span className="small"> {t(`campaigns.paused.${campaign.pause_reason}`)}</span>
      )}
      {status === 'scheduled' && campaign.scheduled_at !== null && (
        <span className="small"> {formatShort(campaign.scheduled_at)}</span>
      )}
      {isUnderWay && hasBar && (
        <span
          className="bar"
          role="progressbar"
          aria-label={t('campaigns.progress', { name: campaign.name })}
          aria-valuemin={0}
          aria-valuenow={all - pending - sending}
          aria-valuemax={all}
        >
          <span style={{ inlineSize: `${(1 - (pending + sending) / all) * 100}%` }} />
        </span>
      )}
    </>
  )
}

/** What it cost, or before it ended what it will cost. */
export function costOf({
  actual_cost: actual,
  estimated_cost: estimate,
  currency,
  status,
}: Campaign) {
  if (currency === null) return null
  if (status !== 'draft' && status !== 'scheduled' && actual !== null)
    return formatMoney(Number(actual), currency)
  return estimate === null
    ? null
    : t('campaigns.about', { price: formatMoney(Number(estimate), currency) })
}

const count = (
  id:
    | 'total_recipients'
    | `${'sent' | 'delivered' | 'read' | 'replied' | 'failed' | 'clicked'}_count`,
  rest: Partial<Column<Campaign>> = {},
): Column<Campaign> => ({
  id,
  label: t(`campaigns.column.${id}`),
  width: 1.1,
  isNumber: true,
  cell: (one) => (one.status === 'draft' ? null : formatNumber(one[id])),
  ...rest,
})

const moment = (id: 'created_at' | 'started_at' | 'completed_at'): Column<Campaign> => ({
  ...{ id, label: t(`campaigns.column.${id}`), width: 1.2, isNumber: true },
  ...{ isOptional: true, isExtra: true },
  cell: ({ [id]: at }) => at !== null && <time dateTime={at}>{formatShort(at)}</time>,
})

/** What the table of campaigns shows. `link` opens one. */
export const columns = (link: (one: Campaign) => ReactNode): Column<Campaign>[] => [
  {
    ...{ id: 'name', label: t('contact.name'), width: 2.8 },
    cell: link,
  },
  {
    ...{ id: 'state', label: t('templates.state'), width: 2.2 },
    cell: (one) => <State campaign={one} />,
  },
  {
    ...{ id: 'template', label: t('campaigns.template'), width: 2, isExtra: true },
    cell: ({ template_name: name }) => name !== null && <bdi>{wordsOfName(name)}</bdi>,
  },
  count('total_recipients'),
  count('sent_count'),
  count('delivered_count', { isExtra: true }),
  count('read_count'),
  count('replied_count', { isExtra: true }),
  { id: 'cost', label: t('campaigns.cost'), width: 1.2, isNumber: true, cell: costOf },
  count('failed_count', { isOptional: true, isExtra: true }),
  count('clicked_count', { isOptional: true, isExtra: true }),
  {
    ...{ id: 'account', label: t('templates.number'), width: 1.4, isOptional: true, isExtra: true },
    cell: ({ account_id: id }) => <FoundName kind="account" id={id} />,
  },
  moment('created_at'),
  moment('started_at'),
  moment('completed_at'),
]
