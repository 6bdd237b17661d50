import { Link } from '@tanstack/react-router'

import { useApi } from '../../live/query'
import { useListKeys } from '../../parts/list-keys'
import { Loaded } from '../../parts/loaded'
import { RichLine } from '../../parts/rich-text'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'

const MAX_SHOWN = 8
/** Length of the preview of a message that is longer, in characters. */
const PREVIEW_LENGTH = 100

const isCut = (preview: string): boolean => Array.from(preview).length >= PREVIEW_LENGTH

/** The newest messages and calls with a contact, over all numbers. Each opens its conversation. */
export function Messages({ contactId }: { contactId: string }) {
  const rows = useListKeys<HTMLUListElement>()
  const result = useApi('GET /api/contacts/{id}/messages', {
    params: { id: contactId },
    query: { limit: MAX_SHOWN },
  })
  return (
    <Loaded result={result} rows={5}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="muted">{t('parts.contact.no-message')}</p>
        ) : (
          <ul className="hits" ref={rows}>
            {items
              .toSorted((one, other) => other.timestamp.localeCompare(one.timestamp))
              .map((one) => (
                <li key={one.id}>
                  <Link
                    to="/inbox/$conversationId"
                    params={{ conversationId: one.conversation_id }}
                    search={{ message: one.id }}
                    data-row
                    className="hit"
                  >
                    <span className="grow">
                      <span className="muted small block">
                        {t(`contact.${one.direction}`)} · {formatDateTime(one.timestamp)}
                      </span>
                      <span className="hit-words">
                        <RichLine text={isCut(one.preview) ? `${one.preview}…` : one.preview} />
                      </span>
                    </span>
                  </Link>
                </li>
              ))}
          </ul>
        )
      }
    </Loaded>
  )
}
