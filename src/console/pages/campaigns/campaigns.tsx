import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { CAMPAIGN_STATES, type Campaign } from '../../api/shapes'
import { useCan } from '../../live/me'
import { Confirm } from '../../parts/dialog'
import { ChoiceFilter, ListPage, useShow } from '../../parts/list-page'
import { MenuItem } from '../../parts/menu'
import { formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'
import { useSteer, VERBS, type Restored, type Verb } from './actions'
import { columns } from './columns'
import { ResumeRestored } from './resume-restored'

/** Messages to many, what became of them, and how far they are. */
export function Campaigns() {
  const search = useSearch({ from: '/campaigns' })
  const show = useShow<typeof search>()
  const [restored, setRestored] = useState<Restored | null>(null)
  const steer = useSteer(setRestored)
  const [asked, setAsked] = useState<Campaign | null>(null)
  const choose = (verb: Verb, campaign: Campaign): void => {
    if (verb === 'cancel') setAsked(campaign)
    else steer(verb, campaign)
  }
  const menu = (campaign: Campaign) =>
    VERBS[campaign.status]?.map((verb) => (
      <MenuItem
        key={verb}
        icon={({ pause: 'pause', resume: 'play', cancel: 'stop' } as const)[verb]}
        isDangerous={verb === 'cancel'}
        label={t(`campaigns.${verb}`)}
        onAction={() => {
          choose(verb, campaign)
        }}
      />
    ))
  return (
    <ListPage
      title={t('campaigns.title')}
      route="GET /api/campaigns"
      needs="campaigns:read"
      icon="campaigns"
      find={t('campaigns.search')}
      words={search.q}
      filter={{ status: search.state }}
      columns={columns()}
      nameOf={({ name }) => name}
      {...(useCan('campaigns:execute') ? { menu } : {})}
      empty={t('campaigns.empty')}
      emptyHint={t('campaigns.empty-hint')}
      filters={
        <ChoiceFilter
          label={t('templates.state')}
          any={t('templates.any-state')}
          value={search.state}
          choices={CAMPAIGN_STATES.map((id) => ({ id, label: t(`campaigns.state.${id}`) }))}
          onChange={(state) => {
            show({ state })
          }}
        />
      }
    >
      {asked && (
        <Confirm
          isOpen
          title={t('campaigns.cancel-title', { name: asked.name })}
          text={t('campaigns.cancel-text', { left: formatNumber(asked.pending_count) })}
          action={t('campaigns.cancel')}
          onConfirm={() => {
            steer('cancel', asked)
          }}
          onClose={() => {
            setAsked(null)
          }}
        />
      )}
      {restored && (
        <ResumeRestored
          restored={restored}
          onSend={() => {
            steer('send-again', restored.campaign)
          }}
          onClose={() => {
            setRestored(null)
          }}
        />
      )}
    </ListPage>
  )
}
