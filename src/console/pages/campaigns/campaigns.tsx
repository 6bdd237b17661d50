import { Link, useSearch } from '@tanstack/react-router'

import { CAMPAIGN_STATES, type Campaign } from '../../api/shapes'
import { useCan } from '../../live/me'
import { ChoiceFilter, ListPage, useShow } from '../../parts/list-page'
import { MenuItem } from '../../parts/menu'
import { t } from '../../texts/texts'
import { columns } from './columns'
import { useVerbs, VERB_ICONS, VERBS } from './verbs'

/** Messages to many, what became of them, and how far they are. */
export function Campaigns() {
  const search = useSearch({ from: '/campaigns' })
  const show = useShow<typeof search>()
  const { steer, windows } = useVerbs()
  const menu = (campaign: Campaign) =>
    VERBS[campaign.status]?.map((verb) => (
      <MenuItem
        key={verb}
        icon={VERB_ICONS[verb]}
        isDangerous={verb === 'cancel'}
        label={t(`campaigns.${verb}`)}
        onAction={() => {
          steer(verb, campaign)
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
      columns={columns(({ id, name }) => (
        <Link to="/campaigns/$campaignId" params={{ campaignId: id }} search={{}} dir="auto">
          {name}
        </Link>
      ))}
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
      {windows}
    </ListPage>
  )
}
