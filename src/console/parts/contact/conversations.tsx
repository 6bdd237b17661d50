import { Link } from '@tanstack/react-router'

import { useApi } from '../../live/query'
import { formatShort } from '../../texts/format'
import { t } from '../../texts/texts'
import { Loaded } from '../loaded'
import { RichLine } from '../rich-text'

interface Props {
  contactId: string
  /** The conversation that is shown beside the list. */
  except?: string
}

const MAX_SHOWN = 50

/** The conversations of a contact: one for each number of the organization. */
export function Conversations({ contactId, except }: Props) {
  const result = useApi('GET /api/conversations', {
    query: { contact_id: contactId, limit: MAX_SHOWN },
  })
  const { accounts = [] } = useApi('GET /api/conversations/counts', {}).data?.folders ?? {}
  return (
    <Loaded result={result} rows={2}>
      {({ items }) => {
        const shown = items.filter(({ id }) => id !== except)
        if (shown.length === 0) return <p className="muted small">{t('inbox.panel.no-others')}</p>
        return (
          <ul className="conversation-rows">
            {shown.map(({ id, account_id: account, state, last_message: last }) => (
              <li key={id}>
                <Link
                  to="/inbox/$conversationId"
                  params={{ conversationId: id }}
                  search={{}}
                  className="conversation-row"
                >
                  <span className="conversation-words">
                    <RichLine text={last?.preview ?? t('parts.contact.no-message')} />
                  </span>
                  <span className="muted small">
                    {[
                      accounts.length > 1 ? accounts.find((one) => one.id === account)?.name : null,
                      state === 'open' ? t('parts.contact.open') : t(`inbox.state.${state}`),
                      last && formatShort(last.timestamp),
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )
      }}
    </Loaded>
  )
}
