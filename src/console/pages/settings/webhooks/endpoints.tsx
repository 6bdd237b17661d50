import { Link, useNavigate } from '@tanstack/react-router'

import type { WebhookEndpoint } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Item } from '../../../parts/item-list'
import { report } from '../../../parts/toast'
import { formatDateTime } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { Collection, usePage, useWords } from '../collection'
import { ReferenceLink } from '../reference-link'
import { EndpointState } from './words'

/** Returns where an endpoint is, since when it fails, and when it was last sent something. */
function hintOf({ url, failing_since: failing, last_delivery_at: last }: WebhookEndpoint): string {
  return [
    // an address keeps its direction between words of another one
    `\u2066${url}\u2069`,
    failing !== null && t('webhooks.failing-since', { time: formatDateTime(failing) }),
    last === null ? t('webhooks.no-delivery') : t('webhooks.last', { time: formatDateTime(last) }),
  ]
    .filter((fact) => fact !== false)
    .join(' · ')
}

/** The addresses of programs that are told what happens. */
export function Webhooks() {
  const navigate = useNavigate()
  const words = useWords()
  const query = { page: usePage(), limit: 50, ...(words === '' ? {} : { search: words }) }
  const result = useApi('GET /api/webhooks', { query }, useCan('webhooks:read'))
  const add = (): void => {
    navigate({ to: '/settings/webhooks/new', search: {} }).catch(report)
  }
  return (
    <Collection
      title={t('webhooks.title')}
      hint={t('webhooks.hint')}
      needs="webhooks:read"
      add={
        useCan('webhooks:read', 'webhooks:create')
          ? { label: t('webhooks.add'), onPress: add }
          : null
      }
      empty={{ icon: 'link', title: t('webhooks.empty'), hint: t('webhooks.empty-hint') }}
      result={result}
      searchLabel={t('webhooks.find')}
      row={(endpoint) => (
        <Item
          key={endpoint.id}
          name={endpoint.name}
          link={
            <Link
              to="/settings/webhooks/$endpointId"
              params={{ endpointId: endpoint.id }}
              search={{}}
            >
              <bdi>{endpoint.name}</bdi>
            </Link>
          }
          badge={<EndpointState {...endpoint} />}
          hint={hintOf(endpoint)}
        />
      )}
    >
      <ReferenceLink part="webhooks" />
    </Collection>
  )
}
