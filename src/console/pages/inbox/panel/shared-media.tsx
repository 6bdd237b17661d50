import { Link } from '@tanstack/react-router'

import { useApi } from '../../../live/query'
import { Loaded } from '../../../parts/loaded'
import { t } from '../../../texts/texts'

const MAX_SHOWN = 12

/** The newest pictures of a contact. Each leads to its place in the conversation. */
export function SharedMedia({ contactId }: { contactId: string }) {
  const result = useApi('GET /api/contacts/{id}/messages', {
    params: { id: contactId },
    query: { type: 'image', limit: MAX_SHOWN },
  })
  return (
    <Loaded result={result} rows={2}>
      {({ items }) => {
        const shown = items.filter(
          ({ media, revoked_at: revokedAt }) => media?.state === 'ready' && revokedAt === null,
        )
        if (shown.length === 0) return <p className="muted small">{t('inbox.panel.no-media')}</p>
        return (
          <ul className="shared-media">
            {shown.map(({ id, conversation_id: conversationId, media }) => (
              <li key={id}>
                <Link
                  to="/inbox/$conversationId"
                  params={{ conversationId }}
                  search={{ message: id }}
                  aria-label={t('inbox.media.open', {
                    name: media?.filename ?? t('inbox.type.image'),
                  })}
                >
                  <img src={media?.thumbnail_url ?? media?.url ?? ''} alt="" loading="lazy" />
                </Link>
              </li>
            ))}
          </ul>
        )
      }}
    </Loaded>
  )
}
