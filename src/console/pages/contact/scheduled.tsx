import { Link } from '@tanstack/react-router'

import { useApi } from '../../live/query'
import { wordsOf } from '../../parts/contact/scheduled-words'
import { Item, ItemList } from '../../parts/item-list'
import { Loaded } from '../../parts/loaded'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'

/** At most so many can wait for one contact. */
const MOST = 20

/** The messages that are sent to the contact later. */
export function Scheduled({ contactId }: { contactId: string }) {
  const query = { contact_id: contactId, state: 'scheduled', limit: MOST } as const
  return (
    <Loaded result={useApi('GET /api/scheduled-messages', { query })} rows={1}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="muted">{t('contact.no-scheduled')}</p>
        ) : (
          <>
            <ItemList label={t('records.scheduled.title')}>
              {items.map((one) => (
                <Item
                  key={one.id}
                  name={wordsOf(one)}
                  hint={[formatDateTime(one.send_at), one.created_by?.name]
                    .filter(Boolean)
                    .join(' · ')}
                />
              ))}
            </ItemList>
            <Link to="/scheduled" search={{}}>
              {t('contact.all-scheduled')}
            </Link>
          </>
        )
      }
    </Loaded>
  )
}
