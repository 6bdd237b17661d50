import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../api/client'
import type { Campaign } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import type { Draft } from '../../parts/draft'
import { NumberField, TextField } from '../../parts/field'
import { FilterBuilder } from '../../parts/filter/builder'
import { MatchCount, usePreview } from '../../parts/filter/match-count'
import { useFilter } from '../../parts/filter/use-filter'
import { FoundSelect } from '../../parts/found-select'
import { SearchSelect } from '../../parts/search-select'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'
import type { CampaignForm } from './form'
import { useKeep } from './use-save'
import { Ways } from './ways'
import { ListFile } from './who-file'

type Way = 'segment' | 'filter' | 'list'

interface Props {
  campaign: Campaign | null
  draft: Draft<CampaignForm>
  /** Saves what was changed; a campaign that is new is created. */
  onSave: () => Promise<Campaign>
}

/** Who gets it: a segment, people by conditions, or those of a list. */
export function WhoStep({ campaign, draft, onSave }: Props) {
  const { value, set } = draft
  const listed = campaign?.total_recipients ?? 0
  const mayImport = useCan('campaigns:create', 'contacts:import')
  const [way, setWay] = useState<Way>(() =>
    value.filter !== null ? 'filter' : value.segment_id === null && listed > 0 ? 'list' : 'segment',
  )
  const ways = (['segment', 'filter', 'list'] as const).filter(
    (one) => one !== 'list' || mayImport || listed > 0,
  )
  return (
    <div className="form wizard-form">
      <div className="wizard-row wide">
        <TextField
          name="name"
          label={t('wizard.field.name')}
          hint={t('wizard.who.name-hint')}
          maxLength={255}
          isRequired
          value={value.name}
          onChange={(name) => {
            set({ name })
          }}
        />
        <FoundSelect
          kind="account"
          label={t('wizard.field.account_id')}
          value={value.account_id}
          onChange={(id) => {
            // a template belongs to a number
            if (id !== value.account_id)
              set({ account_id: id, template_id: null, variable_mapping: {} })
          }}
        />
      </div>
      <Ways
        label={t('wizard.who.question')}
        value={way}
        ways={ways.map((id) => ({
          id,
          label: t(`wizard.who.${id}`),
          hint: t(`wizard.who.${id}-hint`),
        }))}
        onChange={(next) => {
          setWay(next)
          set({ segment_id: null, filter: null })
        }}
      />
      {(way === 'segment' || value.segment_id !== null) && <SegmentField draft={draft} />}
      {(way === 'filter' || value.filter !== null) && <FilterField draft={draft} />}
      {listed > 0 && campaign && <Listed campaign={campaign} isOnly={way === 'list'} />}
      {way === 'list' && mayImport && <ListFile hasList={listed > 0} onSave={onSave} />}
      <NumberField
        name="audience.exclude_contacted_days"
        label={t('wizard.field.exclude_contacted_days')}
        hint={t('wizard.who.days-hint')}
        range={[1, 365]}
        value={value.exclude_contacted_days}
        onChange={(days) => {
          set({ exclude_contacted_days: days })
        }}
        onClear={() => {
          set({ exclude_contacted_days: null })
        }}
      />
    </div>
  )
}

/** A segment, and how many people it has now. */
function SegmentField({ draft: { value, set } }: Pick<Props, 'draft'>) {
  const mayRead = useCan('contacts:read')
  const { data } = useApi('GET /api/segments', { query: { limit: 100 } }, mayRead)
  const segments = data?.items ?? []
  const chosen = segments.find(({ id }) => id === value.segment_id)
  const preview = usePreview(chosen?.filter ?? null)
  if (data && segments.length === 0)
    return (
      <p>
        {t('wizard.who.no-segment')}{' '}
        <Link to="/contacts" search={{}}>
          {t('contacts.title')}
        </Link>
      </p>
    )
  return (
    <>
      <SearchSelect
        name="audience.segment_id"
        label={t('wizard.field.segment_id')}
        choices={segments.map(({ id, name }) => ({ id, label: name }))}
        value={value.segment_id}
        onChange={(id) => {
          set({ segment_id: id })
        }}
      />
      {chosen && <MatchCount preview={preview} />}
    </>
  )
}

/** Conditions, and how many people meet them now. */
function FilterField({ draft: { value, set } }: Pick<Props, 'draft'>) {
  const [edited, edit] = useFilter(value.filter, (filter) => {
    set({ filter })
  })
  const preview = usePreview(value.filter)
  return (
    <>
      <FilterBuilder value={edited} onChange={edit} error={preview.error} />
      {value.filter !== null && <MatchCount preview={preview} />}
    </>
  )
}

/** The people of the list that a campaign has, and how to take them out. */
function Listed({ campaign, isOnly }: { campaign: Campaign; isOnly: boolean }) {
  const keep = useKeep()
  const mayChange = useCan('campaigns:update')
  const { id, total_recipients: count } = campaign
  return (
    <div className="wizard-listed">
      <p className="grow">
        <b>{t(isOnly ? 'wizard.who.listed' : 'wizard.who.also', { count })}</b>{' '}
        <Link to="/campaigns/$campaignId" params={{ campaignId: id }} search={{ view: 'people' }}>
          {t('wizard.who.see')}
        </Link>
      </p>
      {mayChange && (
        <Button
          look="quiet"
          icon="trash"
          onPress={() => {
            call('DELETE /api/campaigns/{id}/recipients', { params: { id } })
              .then(keep)
              .catch(report)
          }}
        >
          {t('wizard.who.remove')}
        </Button>
      )}
    </div>
  )
}
