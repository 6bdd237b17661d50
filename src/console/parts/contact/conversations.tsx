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
  return (
    <Loaded result={result} rows={2}>
      {({ items }) => {
        const shown = items.filter(({ id }) => id !== except)
        if (shown.length === 0) return <p className="muted small">{t('inbox.panel.no-others')}</p>
        return (
          <ul className="plain-list">
            {shown.map(({ id, state, last_message: last }) => (
              <li key={id}>
                <Link to="/inbox/$conversationId" params={{ conversationId: id }} search={{}}>
                  <RichLine text={last?.preview ?? t('parts.contact.no-message')} />
                </Link>
                <span className="muted small">
                  {' '}
                  {state === 'open' ? t('parts.contact.open') : t(`inbox.state.${state}`)}
                  {last && ` · ${formatShort(last.timestamp)}`}
                </span>
              </li>
            ))}
          </ul>
        )
      }}
    </Loaded>
  )
}
