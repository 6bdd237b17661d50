import { useQueryClient } from '@tanstack/react-query'

import { call } from '../../api/client'
import type { Campaign } from '../../api/shapes'
import { changeRow } from '../../live/rows'
import { report } from '../../parts/toast'

/** What can be done with a campaign that is under way. */
export type Verb = 'pause' | 'resume' | 'cancel'

/** What can be done with a campaign in a state. */
export const VERBS: Partial<Record<Campaign['status'], readonly Verb[]>> = {
  scheduled: ['cancel'],
  sending: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
}

/** Returns how to pause, resume and cancel a campaign. The row shows what became of it. */
export function useSteer(): (verb: Verb, campaign: Pick<Campaign, 'id'>) => void {
  const client = useQueryClient()
  return (verb, { id }) => {
    const params = { id }
    const calls = {
      pause: () => call('POST /api/campaigns/{id}/pause', { params }),
      resume: () => call('POST /api/campaigns/{id}/resume', { params, body: {} }),
      cancel: () => call('POST /api/campaigns/{id}/cancel', { params }),
    }
    calls[verb]()
      .then((campaign) => {
        changeRow(client, 'GET /api/campaigns', id, () => campaign)
      })
      .catch(report)
  }
}
