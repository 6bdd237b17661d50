import { useQueryClient } from '@tanstack/react-query'

import { callOnce } from '../../api/call-once'
import type { ContactDetails } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { Button } from '../button'
import { Loaded } from '../loaded'
import { report } from '../toast'

const ROUTE = 'GET /api/contacts/{id}/consents'
const MAX_SHOWN = 20

/** What the contact said about marketing, and when; a person can record what was said elsewhere. */
export function Consents({ contact }: { contact: ContactDetails }) {
  const client = useQueryClient()
  const mayChange = useCan('contacts:update')
  const params = { id: contact.id }
  const result = useApi(ROUTE, { params, query: { limit: MAX_SHOWN } })
  const next = contact.marketing_consent === 'opted_in' ? 'opted_out' : 'opted_in'
  return (
    <div className="consents">
      <Loaded result={result} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="muted small">{t('inbox.consent.unknown')}</p>
          ) : (
            <ul className="plain-list">
              {items.map(({ id, state, source, actor, evidence, created_at: at }) => (
                <li key={id}>
                  {t(`inbox.consent.${state}`)}{' '}
                  <span className="muted small">
                    {actor?.name ?? t(`parts.consent.${source}`)} · {formatDateTime(at)}
                  </span>
                  {evidence !== null && (
                    <span className="small block" dir="auto">
                      {evidence}
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {mayChange && (
        <Button
          onPress={() => {
            callOnce('POST /api/contacts/{id}/consents', {
              params,
              body: { purpose: 'marketing', state: next },
            })
              .then(() => client.invalidateQueries({ queryKey: [ROUTE] }))
              .catch(report)
          }}
        >
          {t(next === 'opted_in' ? 'parts.consent.record-in' : 'parts.consent.record-out')}
        </Button>
      )}
    </div>
  )
}
