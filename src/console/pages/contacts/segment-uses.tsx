import { Link } from '@tanstack/react-router'

import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Item, ItemList } from '../../parts/item-list'
import { Loaded } from '../../parts/loaded'
import { t } from '../../texts/texts'
import { searchOf, useViews } from './view-model'

/** The campaigns that take their people from a segment, and the views that show it. */
export function Uses({ segmentId }: { segmentId: string }) {
  const mayRead = useCan('campaigns:read')
  const query = { segment_id: segmentId, limit: 100 }
  const campaigns = useApi('GET /api/campaigns', { query }, mayRead)
  const result = useViews(useCan('contacts:read'))
  return (
    <Loaded result={result} rows={1}>
      {({ items }) => {
        const views = items.filter(({ filter }) => filter['segment_id'] === segmentId)
        const uses = campaigns.data?.items ?? []
        if (uses.length + views.length === 0)
          return <p className="muted">{t('contacts.segment.no-uses')}</p>
        return (
          <ItemList label={t('contacts.segment.uses')}>
            {uses.map(({ id, name, status }) => (
              <Item
                key={id}
                name={name}
                link={
                  <Link to="/campaigns/$campaignId" params={{ campaignId: id }} search={{}}>
                    <bdi>{name}</bdi>
                  </Link>
                }
                hint={t(`campaigns.state.${status}`)}
              />
            ))}
            {views.map((view) => (
              <Item
                key={view.id}
                name={view.name}
                link={
                  <Link to="/contacts" search={searchOf(view)}>
                    <bdi>{view.name}</bdi>
                  </Link>
                }
                hint={t('contacts.segment.view')}
              />
            ))}
          </ItemList>
        )
      }}
    </Loaded>
  )
}
