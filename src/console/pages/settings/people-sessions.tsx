import { useState } from 'react'

import { call } from '../../api/client'
import type { User } from '../../api/shapes'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { Loaded, Pager } from '../../parts/loaded'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { SessionItems } from './sessions'
import { useRefresh } from '../../live/use-refresh'

interface Props {
  user: User
  /** Asks whether all of them are to end. */
  onEndAll: () => void
  onClose: () => void
}

/** Where a colleague is signed in to the organization. */
export function PeopleSessions({ user, onEndAll, onClose }: Props) {
  const [page, setPage] = useState(1)
  const params = { id: user.id }
  const result = useApi('GET /api/users/{id}/sessions', { params, query: { page, limit: 20 } })
  const refresh = useRefresh('GET /api/users/{id}/sessions')
  return (
    <Dialog
      title={t('settings.people.sessions-of', { name: user.full_name })}
      size="medium"
      isOpen
      onClose={onClose}
    >
      <Loaded result={result} rows={2}>
        {({ items, total_pages: pages }) => (
          <>
            {items.length === 0 && <p className="muted">{t('settings.people.no-sessions')}</p>}
            <SessionItems
              sessions={items}
              onEnd={({ id }) => {
                call('DELETE /api/users/{id}/sessions/{session_id}', {
                  params: { ...params, session_id: id },
                })
                  .then(refresh)
                  .catch(report)
              }}
            />
            <Pager page={page} pages={pages ?? 1} onPage={setPage} />
          </>
        )}
      </Loaded>
      <footer className="actions">
        <Button look="danger" onPress={onEndAll}>
          {t('settings.people.end-sessions')}
        </Button>
      </footer>
    </Dialog>
  )
}
