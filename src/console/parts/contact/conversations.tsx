import { Link } from '@tanstack/react-router'

import type { Contact } from '../../api/shapes'
import { useApi } from '../../live/query'
import { formatShort } from '../../texts/format'
import { t } from '../../texts/texts'
import { Loaded } from '../loaded'

interface Props {
  contact: Pick<Contact, 'id' | 'display_name' | 'phone_number'>
  /** The conversation that is shown beside the list. */
  except?: string
}

const MAX_SHOWN = 50

/** Returns what finds a contact: its number, or its name where the number is masked. */
const searchOf = ({ phone_number: phone, display_name: name }: Props['contact']): string =>
  phone !== null && /\d{5}/.test(phone) ? phone : (name ?? '')

/** The conversations of a contact: one for each number of the organization. */
export function Conversations({ contact, except }: Props) {
  const search = searchOf(contact)
  const result = useApi(
    'GET /api/conversations',
    { query: { search, limit: MAX_SHOWN } },
    search !== '',
  )
  if (search === '') return <p className="muted small">{t('inbox.panel.no-others')}</p>
  return (
    <Loaded result={result} rows={2}>
      {({ items }) => {
        const shown = items.filter((one) => one.contact.id === contact.id && one.id !== except)
        if (shown.length === 0) return <p className="muted small">{t('inbox.panel.no-others')}</p>
        return (
          <ul className="plain-list">
            {shown.map(({ id, state, last_message: last }) => (
              <li key={id}>
                <Link to="/inbox/$conversationId" params={{ conversationId: id }} search={{}}>
                  <span dir="auto">{last?.preview ?? t('parts.contact.no-message')}</span>
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
