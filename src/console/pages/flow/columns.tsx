import type { ReactNode } from 'react'

import type { BotFlowSummary } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { FoundName } from '../../parts/found-select'
import type { Column } from '../../parts/table'
import { formatList, formatNumber, formatShort } from '../../texts/format'
import { t } from '../../texts/texts'

/** Whether a flow answers customers, and whether something about it is not published. */
function State({ flow: { enabled, version, has_draft: hasDraft } }: { flow: BotFlowSummary }) {
  const state = enabled ? 'on' : version === null ? 'draft' : 'off'
  return (
    <>
      <span className={enabled ? 'chip good' : 'chip'}>{t(`flow.state.${state}`)}</span>
      {hasDraft && version !== null && (
        <span className="second small">{t('flow.state.changed')}</span>
      )}
    </>
  )
}

/** Returns how many conversations each flow had in the last 30 days; `null` for who may not know. */
export function useConversations(): ReadonlyMap<string, number> | null {
  const may = useCan('analytics:read')
  const { data } = useApi('GET /api/analytics/chatbot', { query: { granularity: 'month' } }, may)
  return may && data
    ? new Map(data.by_flow.map(({ flow_id: id, conversations }) => [id, conversations]))
    : null
}

/** What the table of flows shows. `link` opens one. */
export const columns = (
  link: (one: BotFlowSummary) => ReactNode,
  conversations: ReadonlyMap<string, number> | null,
): Column<BotFlowSummary>[] => [
  {
    ...{ id: 'name', label: t('contact.name'), width: 4 },
    cell: (one) => (
      <>
        {link(one)}
        {one.description !== null && (
          <span className="second small" dir="auto">
            {one.description}
          </span>
        )}
      </>
    ),
  },
  {
    ...{ id: 'state', label: t('flow.state'), width: 1.6 },
    cell: (one) => <State flow={one} />,
  },
  {
    ...{ id: 'words', label: t('flow.words'), width: 2.6 },
    cell: ({ trigger_keywords: words }) =>
      words.length === 0 ? (
        <span className="muted">{t('flow.words.none')}</span>
      ) : (
        <bdi>{formatList(words)}</bdi>
      ),
  },
  {
    ...{ id: 'number', label: t('flow.number'), width: 2, isExtra: true },
    cell: ({ account_id: id }) =>
      id === null ? t('flow.every-number') : <FoundName kind="account" id={id} />,
  },
  {
    ...{ id: 'version', label: t('flow.version'), width: 1, isNumber: true, isExtra: true },
    cell: ({ version }) => version !== null && formatNumber(version),
  },
  ...(conversations === null
    ? []
    : [
        {
          ...{ id: 'conversations', label: t('flow.conversations'), width: 3, isNumber: true },
          cell: ({ id }: BotFlowSummary) => formatNumber(conversations.get(id) ?? 0),
        },
      ]),
  {
    ...{ id: 'changed', label: t('flow.changed-at'), width: 1.4, isNumber: true },
    cell: ({ updated_at: at }) => <time dateTime={at}>{formatShort(at)}</time>,
  },
]
