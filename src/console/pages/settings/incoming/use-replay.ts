import { useQueryClient } from '@tanstack/react-query'

import { call } from '../../../api/client'
import { refreshRows } from '../../../live/rows'
import { notify, report } from '../../../parts/toast'
import { t } from '../../../texts/texts'

/** Processes a delivery again. */
export const replayOf = (id: string) =>
  call('POST /api/inbound/events/{id}/replay', { params: { id } })

/** Loads the journal again after something in it is processed again. */
export function useJournalRefresh(): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    await refreshRows(client, 'GET /api/inbound/events')
    await client.invalidateQueries({ queryKey: ['GET /api/inbound/events/{id}'] })
  }
}

/** Returns how one delivery is processed again. */
export function useReplayOne(): (id: string) => void {
  const refresh = useJournalRefresh()
  return (id) => {
    replayOf(id)
      .then(() => {
        notify(t('incoming.replayed', { count: 1 }))
        return refresh()
      })
      .catch(report)
  }
}
