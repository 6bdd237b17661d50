import { Link, useSearch } from '@tanstack/react-router'

import { saveFile } from '../../api/save-file'
import { RECIPIENT_STATES, type Campaign, type CampaignRecipient } from '../../api/shapes'
import { useRows, type RowsFilter } from '../../live/rows'
import { Button } from '../../parts/button'
import { ChoiceFilter, useShow } from '../../parts/list-page'
import { SearchBox } from '../../parts/search-box'
import { Empty } from '../../parts/state'
import { Table, Total, type Column } from '../../parts/table'
import { report } from '../../parts/toast'
import { useSearchText } from '../../parts/use-search-text'
import { formatShort } from '../../texts/format'
import { formatPhone } from '../../texts/phone'
import { t } from '../../texts/texts'
import { causeOf } from './failures'
import { useTakeOut } from './take-out'

const LOOKS: Partial<Record<CampaignRecipient['status'], string>> = {
  delivered: 'good',
  read: 'good',
  failed: 'danger',
  unknown: 'warn',
}

const nameOf = ({ name, phone_number: number }: CampaignRecipient): string =>
  name ?? (number === null ? t('campaigns.nameless') : formatPhone(number))

/** The state, and why it is none of the good ones. */
function State({ person: { status, skip_reason: reason, error } }: { person: CampaignRecipient }) {
  const why = reason === null ? error && causeOf(error) : t(`campaigns.skipped.${reason}`)
  return (
    <>
      <span className={`chip ${LOOKS[status] ?? ''}`}>{t(`campaigns.person.${status}`)}</span>
      {why !== null && (
        <span className="second small" dir="auto" title={why}>
          {why}
        </span>
      )}
    </>
  )
}

const time = (
  id: 'sent_at' | 'read_at' | 'replied_at',
  label: string,
): Column<CampaignRecipient> => ({
  ...{ id, label, width: 1, isNumber: true, isExtra: id !== 'sent_at' },
  cell: ({ [id]: at }) => at !== null && <time dateTime={at}>{formatShort(at)}</time>,
})

const columns = (): Column<CampaignRecipient>[] => [
  {
    ...{ id: 'name', label: t('contact.name'), width: 2.5 },
    cell: (one) =>
      one.contact_id === null ? (
        <b dir="auto">{nameOf(one)}</b>
      ) : (
        <Link to="/contacts/$contactId" params={{ contactId: one.contact_id }} dir="auto">
          {nameOf(one)}
        </Link>
      ),
  },
  {
    ...{ id: 'number', label: t('contacts.number'), width: 1.5, isExtra: true },
    cell: ({ name, phone_number: number }) =>
      name !== null && number !== null && <bdi>{formatPhone(number)}</bdi>,
  },
  { id: 'state', label: t('templates.state'), width: 4, cell: (one) => <State person={one} /> },
  time('sent_at', t('campaigns.column.sent_count')),
  time('read_at', t('campaigns.column.read_count')),
  time('replied_at', t('campaigns.column.replied_count')),
]

/** Everybody a campaign is for, and what became of their message. */
export function People({ campaign }: { campaign: Campaign }) {
  const { id } = campaign
  const { menu, askWindow } = useTakeOut(campaign, nameOf)
  const search = useSearch({ from: '/campaigns/$campaignId' })
  const show = useShow<typeof search>()
  const { q, state, error } = search
  const filter: RowsFilter<'GET /api/campaigns/{id}/recipients'> = {
    id,
    ...(state === undefined ? {} : { status: state }),
    ...(error === undefined ? {} : { error_code: error }),
    ...(q === undefined ? {} : { search: q }),
  }
  const rows = useRows('GET /api/campaigns/{id}/recipients', filter, true)
  const [text, setText] = useSearchText(q ?? '', 250, (wanted) => {
    show({ q: wanted === '' ? undefined : wanted })
  })
  const clear = (): void => {
    show({ q: undefined, state: undefined, error: undefined })
  }
  const isFiltered = [q, state, error].some((one) => one !== undefined)
  return (
    <>
      <search className="filter-bar">
        <SearchBox label={t('campaigns.search-people')} value={text} onChange={setText} />
        <ChoiceFilter
          label={t('templates.state')}
          any={t('templates.any-state')}
          value={state}
          choices={RECIPIENT_STATES.map((one) => ({
            id: one,
            label: t(`campaigns.person.${one}`),
          }))}
          onChange={(one) => {
            show({ state: one })
          }}
        />
        {error !== undefined && (
          <Button
            icon="close"
            onPress={() => {
              show({ error: undefined })
            }}
          >
            {t('campaigns.one-cause')}
          </Button>
        )}
        <Button
          look="quiet"
          icon="download"
          onPress={() => {
            const wish = { params: { id }, query: state === undefined ? {} : { status: state } }
            saveFile('GET /api/campaigns/{id}/export', wish, 'campaign.csv').catch(report)
          }}
        >
          {t('campaigns.save-csv')}
        </Button>
        <Total rows={rows} />
      </search>
      <Table
        label={t('campaigns.people')}
        rows={rows}
        columns={columns()}
        nameOf={nameOf}
        {...(menu ? { menu } : {})}
        empty={
          <Empty icon="contacts" title={t('campaigns.nobody')} hint={t('campaigns.nobody-hint')} />
        }
        onClear={isFiltered ? clear : undefined}
      />
      {askWindow}
    </>
  )
}
