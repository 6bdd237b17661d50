import { useQueryClient } from '@tanstack/react-query'

import { call } from '../../api/client'
import { ApiError } from '../../api/error'
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

/** A campaign of a restored backup, and how many people may have its message already. */
export interface Restored {
  campaign: Campaign
  people: number
}

/**
 * Returns how to pause, resume and cancel a campaign. The row shows what became of it. `onRestored`
 * asks whether a campaign is resumed whose message people may have; `send-again` answers "yes".
 */
export function useSteer(
  onRestored: (restored: Restored) => void,
): (verb: Verb | 'send-again', campaign: Campaign) => void {
  const client = useQueryClient()
  return (verb, campaign) => {
    const { id } = campaign
    const params = { id }
    const resume = (body: { include_unknown?: boolean }) =>
      call('POST /api/campaigns/{id}/resume', { params, body })
    const calls = {
      pause: () => call('POST /api/campaigns/{id}/pause', { params }),
      resume: () => resume({}),
      'send-again': () => resume({ include_unknown: true }),
      cancel: () => call('POST /api/campaigns/{id}/cancel', { params }),
    }
    calls[verb]()
      .then((changed) => {
        changeRow(client, 'GET /api/campaigns', id, () => changed)
      })
      .catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'restored') report(error)
        else onRestored({ campaign, people: peopleIn(error) })
      })
  }
}

const peopleIn = ({ more }: ApiError): number => (more.details as { recipients: number }).recipients
