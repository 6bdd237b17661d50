import { Link, useSearch } from '@tanstack/react-router'

import type { PrivacyRequest } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { ChoiceFilter, ListPage, useShow } from '../../../parts/list-page'
import { MenuItem } from '../../../parts/menu'
import type { Column } from '../../../parts/table'
import { formatDateTime, formatShort } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { hasFile, PrivacyState, Requester, saveCopy } from './privacy-words'

const KINDS = ['export', 'erase'] as const
const STATES = ['running', 'completed', 'failed', 'expired'] as const

const among = <K extends string>(choices: readonly K[], value: string | undefined): K | undefined =>
  choices.find((one) => one === value)

const COLUMNS: () => Column<PrivacyRequest>[] = () => [
  {
    ...{ id: 'kind', label: t('privacy.kind'), width: 2 },
    cell: ({ id, kind }) => (
      <Link to="/settings/privacy/$requestId" params={{ requestId: id }} search={{}}>
        {t(`privacy.kind.${kind}`)}
      </Link>
    ),
  },
  {
    ...{ id: 'state', label: t('privacy.state'), width: 1.4 },
    cell: (request) => <PrivacyState {...request} />,
  },
  {
    ...{ id: 'by', label: t('privacy.by'), width: 1.6 },
    cell: (request) => <Requester {...request} />,
  },
  {
    ...{ id: 'until', label: t('privacy.until'), width: 1.4, isNumber: true, isExtra: true },
    cell: (request) =>
      hasFile(request) && request.expires_at !== null ? formatDateTime(request.expires_at) : '',
  },
  {
    ...{ id: 'asked', label: t('privacy.asked'), width: 1.2, isNumber: true },
    cell: ({ created_at: at }) => <time dateTime={at}>{formatShort(at)}</time>,
  },
]

/** What customers asked for: copies of their data, and its erasure. */
export function Privacy() {
  const search = useSearch({ from: '/settings' })
  const show = useShow<{ kind?: string | undefined; state?: string | undefined }>()
  const kind = among(KINDS, search.kind)
  const state = among(STATES, search.state)
  const canSave = useCan('contacts:export')
  return (
    <ListPage
      title={t('privacy.title')}
      hint={t('privacy.hint')}
      route="GET /api/privacy/requests"
      needs="contacts:export"
      icon="lock"
      filter={{ kind, state }}
      columns={COLUMNS()}
      nameOf={({ kind: asked, created_at: at }) =>
        [t(`privacy.kind.${asked}`), formatDateTime(at)].join(' · ')
      }
      menu={(request) =>
        canSave &&
        hasFile(request) && (
          <MenuItem
            icon="download"
            label={t('exports.download')}
            onAction={() => {
              saveCopy(request)
            }}
          />
        )
      }
      empty={t('privacy.empty')}
      emptyHint={t('privacy.empty-hint')}
      filters={
        <>
          <ChoiceFilter
            label={t('privacy.kind')}
            any={t('privacy.any-kind')}
            value={kind}
            choices={KINDS.map((id) => ({ id, label: t(`privacy.kind.${id}`) }))}
            onChange={(next) => {
              show({ kind: next })
            }}
          />
          <ChoiceFilter
            label={t('privacy.state')}
            any={t('privacy.any-state')}
            value={state}
            choices={STATES.map((id) => ({ id, label: t(`privacy.state.${id}`) }))}
            onChange={(next) => {
              show({ state: next })
            }}
          />
        </>
      }
    />
  )
}
