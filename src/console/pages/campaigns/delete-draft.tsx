import { useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'

import { call } from '../../api/client'
import type { Campaign } from '../../api/shapes'
import { removeRow } from '../../live/rows'
import { Confirm } from '../../parts/dialog'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'

/** Returns how a draft is deleted, and the window that asks before. */
export function useDeletion(onDeleted: () => void = () => undefined): {
  askDelete: (campaign: Campaign) => void
  deleteWindow: ReactNode
} {
  const client = useQueryClient()
  const [asked, setAsked] = useState<Campaign | null>(null)
  return {
    askDelete: setAsked,
    deleteWindow: asked && (
      <Confirm
        isOpen
        title={t('campaigns.delete-title', { name: asked.name })}
        text={t('campaigns.delete-text')}
        action={t('campaigns.delete')}
        onConfirm={() => {
          const { id, name } = asked
          call('DELETE /api/campaigns/{id}', { params: { id } })
            .then(() => {
              removeRow(client, 'GET /api/campaigns', id)
              notify(t('campaigns.deleted', { name }))
              onDeleted()
            })
            .catch(report)
        }}
        onClose={() => {
          setAsked(null)
        }}
      />
    ),
  }
}
