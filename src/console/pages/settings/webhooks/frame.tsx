import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'

import type { WebhookEndpointWithStats } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Guarded, Loaded } from '../../../parts/loaded'
import { Page } from '../../../parts/page'
import { t } from '../../../texts/texts'

/** What every part of an endpoint's screen has: its heading and the way to the other parts. */
export interface Frame {
  title: string
  hint: string
  tabs: ReactNode
}

/** The overview's address is how that of the deliveries begins. */
const EXACT = { exact: true, includeSearch: false }
const TABS = {
  overview: '/settings/webhooks/$endpointId',
  deliveries: '/settings/webhooks/$endpointId/deliveries',
} as const

const Tabs = ({ endpointId }: { endpointId: string }) => (
  <nav className="tabs" aria-label={t('webhooks.tabs')}>
    {(['overview', 'deliveries'] as const).map((one) => (
      <Link key={one} to={TABS[one]} params={{ endpointId }} search={{}} activeOptions={EXACT}>
        {t(`webhooks.tab.${one}`)}
      </Link>
    ))}
  </nav>
)

/** A part of an endpoint's screen, once the endpoint is loaded. */
export function EndpointScreen({
  children,
}: {
  children: (endpoint: WebhookEndpointWithStats, frame: Frame) => ReactNode
}) {
  const { endpointId = '' } = useParams({ strict: false })
  const mayRead = useCan('webhooks:read')
  const result = useApi('GET /api/webhooks/{id}', { params: { id: endpointId } }, mayRead)
  const endpoint = result.data
  if (endpoint)
    return children(endpoint, {
      title: endpoint.name,
      hint: endpoint.url,
      tabs: <Tabs endpointId={endpointId} />,
    })
  return (
    <Page title={t('webhooks.title')}>
      <Guarded needs="webhooks:read">
        <Loaded result={result}>{() => null}</Loaded>
      </Guarded>
    </Page>
  )
}
