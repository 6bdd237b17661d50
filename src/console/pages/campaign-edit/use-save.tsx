import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { Campaign } from '../../api/shapes'
import type { Draft } from '../../parts/draft'
import { keyOf } from '../../live/query'
import { useMerged } from '../../parts/merge'
import { changesFor, MERGE, type CampaignForm } from './form'

/** Shows the server's answer about a campaign wherever it is shown. */
export function useKeep(): (campaign: Campaign) => void {
  const client = useQueryClient()
  return (campaign) => {
    const { id } = campaign
    client.setQueryData(keyOf('GET /api/campaigns/{id}', { params: { id } }), campaign)
  }
}

/**
 * Returns how a draft is saved, and the window in which a person chooses between what they and
 * somebody else changed. The first time it is created.
 */
export function useSave(
  campaign: Campaign | null,
  draft: Draft<CampaignForm>,
  onMade: (campaign: Campaign) => void,
): { save: () => Promise<Campaign>; windows: ReactNode } {
  const keep = useKeep()
  const merged = useMerged(MERGE)
  const create = async (): Promise<Campaign> => {
    const { updated_at: _, ...body } = draft.value
    const { name, account_id } = body
    const first = await callOnce('POST /api/campaigns', {
      body: { ...changesFor(body), name, account_id },
    })
    keep(first)
    onMade(first)
    return first
  }
  const change = async (from: Campaign): Promise<Campaign> => {
    let last = from
    await merged.save(draft.changes, draft.seen, async (changes, { updated_at: ifMatch }) => {
      const body = changesFor(changes)
      if (Object.keys(body).length === 0) return
      last = await call('PUT /api/campaigns/{id}', { params: { id: from.id }, body, ifMatch })
      keep(last)
    })
    draft.discard()
    return last
  }
  return {
    save: async () => (campaign === null ? await create() : await change(campaign)),
    windows: merged.windows,
  }
}
