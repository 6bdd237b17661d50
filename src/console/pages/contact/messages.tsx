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
          <ul className="contact-messages" ref={rows}>
            {items
              .toSorted((one, other) => one.timestamp.localeCompare(other.timestamp))
              .map((one) => (
                <li key={one.id} className={`bubble-line first ${one.direction}`}>
                  <Link
                    to="/inbox/$conversationId"
                    params={{ conversationId: one.conversation_id }}
                    search={{ message: one.id }}
                    data-row
                    className="bubble"
                  >
                    <span className="visually-hidden">{t(`contact.${one.direction}`)} </span>
                    <span className="hit-words">
                      <RichLine text={isCut(one.preview) ? `${one.preview}…` : one.preview} />
                    </span>
                    <time className="muted small" dateTime={one.timestamp}>
                      {formatDateTime(one.timestamp)}
                    </time>
                  </Link>
                </li>
              ))}
          </ul>
        )
      }
    </Loaded>
  )
}
