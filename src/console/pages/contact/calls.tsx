import { useApi } from '../../live/query'
import { CallFiles, CallOutcome, lengthOf } from '../../parts/contact/call'
import { Item, ItemList } from '../../parts/item-list'
import { Loaded } from '../../parts/loaded'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'

const MAX_SHOWN = 20

/** The latest calls with the contact, and what became of them. */
export function Calls({ contactId }: { contactId: string }) {
  const query = { contact_id: contactId, limit: MAX_SHOWN }
  return (
    <Loaded result={useApi('GET /api/calls', { query })} rows={2}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="muted">{t('contact.no-calls')}</p>
        ) : (
          <ItemList label={t('records.calls.title')}>
            {items.map((one) => (
              <Item
                key={one.id}
                name={t(`records.calls.${one.direction}`)}
                badge={<CallOutcome call={one} />}
                hint={[formatDateTime(one.timestamp), lengthOf(one)].filter(Boolean).join(' · ')}
                actions={<CallFiles call={one} />}
              />
            ))}
          </ItemList>
        )
      }
    </Loaded>
  )
}
