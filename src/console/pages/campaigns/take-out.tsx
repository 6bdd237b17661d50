import { useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'

import { call } from '../../api/client'
import type { Campaign, CampaignRecipient } from '../../api/shapes'
import { useCan } from '../../live/me'
import { keyOf } from '../../live/query'
import { removeRow } from '../../live/rows'
import { Confirm } from '../../parts/dialog'
import { MenuItem } from '../../parts/menu'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { isPrepared } from './verbs'

/**
 * Returns the menu of a person in the list of a campaign that has not begun, with which they are taken
 * out, and the window that asks before.
 */
export function useTakeOut(
  campaign: Campaign,
  nameOf: (person: CampaignRecipient) => string,
): { menu: ((person: CampaignRecipient) => ReactNode) | undefined; askWindow: ReactNode } {
  const client = useQueryClient()
  const mayChange = useCan('campaigns:update')
  const [asked, setAsked] = useState<CampaignRecipient | null>(null)
  const { id } = campaign
  const remove = async (person: CampaignRecipient): Promise<void> => {
    const params = { id, recipient_id: person.id }
    await call('DELETE /api/campaigns/{id}/recipients/{recipient_id}', { params })
    removeRow(client, 'GET /api/campaigns/{id}/recipients', person.id)
    await client.invalidateQueries({
      queryKey: keyOf('GET /api/campaigns/{id}', { params: { id } }),
    })
  }
  return {
    menu:
      mayChange && isPrepared(campaign)
        ? (person) => (
            <MenuItem
              icon="trash"
              isDangerous
              label={t('campaigns.take-out')}
              onAction={() => {
                setAsked(person)
              }}
            />
          )
        : undefined,
    askWindow: asked && (
      <Confirm
        isOpen
        title={t('campaigns.take-out-title', { name: nameOf(asked) })}
        text={t('campaigns.take-out-text')}
        action={t('campaigns.take-out')}
        onConfirm={() => {
          remove(asked).catch(report)
        }}
        onClose={() => {
          setAsked(null)
        }}
      />
    ),
  }
}
