import { Link, useParams, useSearch } from '@tanstack/react-router'

import type { Campaign } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Guarded, Loaded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { wordsOfName } from '../../texts/name-words'
import { t } from '../../texts/texts'
import { Actions } from './campaign-actions'
import { Figures } from './figures'
import { People } from './people'

/** One campaign: how far it is, what became of it, and everybody it was for. */
export function CampaignPage() {
  const { campaignId } = useParams({ from: '/campaigns/$campaignId' })
  const mayRead = useCan('campaigns:read')
  const result = useApi('GET /api/campaigns/{id}', { params: { id: campaignId } }, mayRead)
  if (mayRead && result.data) return <Shown campaign={result.data} />
  return (
    <Page title={t('campaigns.title')} isWide>
      <Guarded needs="campaigns:read">
        <Loaded result={result}>{() => null}</Loaded>
      </Guarded>
    </Page>
  )
}

function Shown({ campaign }: { campaign: Campaign }) {
  const { view } = useSearch({ from: '/campaigns/$campaignId' })
  const address = { to: '/campaigns/$campaignId', params: { campaignId: campaign.id } } as const
  return (
    <Page
      title={campaign.name}
      {...(campaign.template_name === null
        ? {}
        : { hint: t('campaigns.sends', { template: wordsOfName(campaign.template_name) }) })}
      actions={<Actions campaign={campaign} />}
      isWide
    >
      <nav className="tabs" aria-label={campaign.name}>
        <Link
          {...address}
          search={{ view: undefined }}
          activeOptions={{ explicitUndefined: true }}
          replace
        >
          {t('campaigns.overview')}
        </Link>
        <Link {...address} search={{ view: 'people' }} replace>
          {t('campaigns.people')}
        </Link>
      </nav>
      {view === 'people' ? <People campaign={campaign} /> : <Figures campaign={campaign} />}
    </Page>
  )
}
