import { Link } from '@tanstack/react-router'

import { useApi } from '../../live/query'
import { Item, ItemList } from '../../parts/item-list'
import { Loaded } from '../../parts/loaded'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'

const MAX_SHOWN = 20

/** The campaigns that reached the contact, and what became of each message. */
export function Campaigns({ contactId }: { contactId: string }) {
  const result = useApi('GET /api/contacts/{id}/campaigns', {
    params: { id: contactId },
    query: { limit: MAX_SHOWN },
  })
  return (
    <Loaded result={result} rows={2}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="muted">{t('contact.no-campaigns')}</p>
        ) : (
          <ItemList label={t('campaigns.title')}>
            {items.map(({ id, name, status, sent_at: sentAt, replied_at: repliedAt }) => (
              <Item
                key={id}
                name={name}
                link={
                  <Link
                    to="/campaigns/$campaignId"
                    params={{ campaignId: id }}
                    search={{}}
                    dir="auto"
                  >
                    {name}
                  </Link>
                }
                hint={[
                  t(`campaigns.person.${status}`),
                  repliedAt === null ? null : t('campaigns.column.replied_count'),
                  sentAt && formatDateTime(sentAt),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              />
            ))}
          </ItemList>
        )
      }
    </Loaded>
  )
}
